import type { Attachment } from "../../src/chat/prompt-input.ts";

/** Returns the path by which the host opens an attached or commented file: absolute, or relative to a workspace folder. */
export function pathOf({ url, filename }: { url: string; filename: string }): string {
  return url.startsWith("file:") ? decodeURIComponent(new URL(url).pathname) : filename;
}

/** Returns the lines of an attached selection as they follow its file's name; empty for a whole file. */
export function attachedLines({ source }: Pick<Attachment, "source">): string {
  return source && !source.whole ? linesName(source) : "";
}

/** Returns the end of a long name, which stays where the name is cut: it tells files apart that begin alike. Empty for others. */
export function keptEnd(name: string): string {
  return name.length > 24 ? name.slice(-10) : "";
}

/** `:12` or `:12–18`. */
export function linesName({ start, end }: { start: number; end: number }): string {
  return end > start ? `:${start}–${end}` : `:${start}`;
}
