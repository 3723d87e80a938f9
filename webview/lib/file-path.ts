/** Returns the path by which the host opens an attached or commented file: absolute, or relative to a workspace folder. */
export function pathOf({ url, filename }: { url: string; filename: string }): string {
  return url.startsWith("file:") ? decodeURIComponent(new URL(url).pathname) : filename;
}

/** Returns the lines of an attached selection as they follow its file's name; empty for a whole file. */
export function attachedLines({ source }: { source?: { start: number; end: number } | undefined }): string {
  return source ? `:${source.start}–${source.end}` : "";
}
