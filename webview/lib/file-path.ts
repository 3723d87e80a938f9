/** Returns the path by which the host opens an attached or commented file: absolute, or relative to a workspace folder. */
export function pathOf({ url, filename }: { url: string; filename: string }): string {
  return url.startsWith("file:") ? decodeURIComponent(new URL(url).pathname) : filename;
}
