import type * as vscode from "vscode";

/** Returns the last line of a range, from 0; one of which nothing is in the range does not count. */
export function lastLineOf({ start, end }: Pick<vscode.Range, "start" | "end">): number {
  return end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
}
