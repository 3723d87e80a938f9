import type { PlaceLines } from "../markdown/link-target.ts";
import { send } from "./vscode-api.ts";

/** Has a file opened, with the lines of a range selected. */
export function sendOpenFile(path: string, { line, lastLine }: PlaceLines): void {
  send({ type: "open-file", path, ...(line && { line }), ...(lastLine && { lastLine }) });
}

/** Returns the lines of a selection. */
export function linesOf(selection: { start: number; end: number } | undefined): PlaceLines {
  if (!selection) return { line: undefined, lastLine: undefined };
  const { start, end } = selection;
  return { line: start, lastLine: end > start ? end : undefined };
}
