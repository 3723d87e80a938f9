/** Compares texts: as hunks, as a patch for the panel, and as numbered lines for the model. Pure. */
import { structuredPatch } from "diff";
import type { FileDiff } from "../../chat/message.ts";
import { commonHead, commonTail, cutLine, lineAt, numbered, splitLines } from "./text.ts";

export interface DiffHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each begins with ` `, `-`, `+` or `\`. */
  lines: string[];
}

const context = 3;
/** A change that takes longer to compare is shown as one block. */
const timeLimitMs = 200;
const shownLines = 1_000;
const shownCharacters = 2_000;

/** Compares only the part between the first and the last difference, so that a small change in a big file is fast. */
export function compare(before: string, after: string): DiffHunk[] {
  if (before === after) return [];
  const start = back(before, commonHead(before, after));
  const shared = commonTail(before, after, start);
  const oldEnd = ahead(before, before.length - shared);
  const newEnd = after.length - (before.length - oldEnd);
  const removed = before.slice(start, oldEnd);
  const added = after.slice(start, newEnd);
  const offset = lineAt(before, start) - 1;
  const patch = structuredPatch("", "", removed, added, undefined, undefined, { context, timeout: timeLimitMs });
  const hunks = patch ? patch.hunks : [block(removed, added)];
  return hunks.map((hunk) => ({ ...hunk, oldStart: hunk.oldStart + offset, newStart: hunk.newStart + offset }));
}

export function toFileDiff(path: string, hunks: readonly DiffHunk[]): FileDiff {
  let added = 0;
  let removed = 0;
  const patch: string[] = [];
  let left = 0;
  for (const hunk of hunks) {
    if (patch.length < shownLines) patch.push(hunkHeader(hunk));
    for (const line of hunk.lines) {
      if (line.startsWith("+")) added++;
      else if (line.startsWith("-")) removed++;
      if (patch.length < shownLines)
        patch.push(cutLine(line.endsWith("\r") ? line.slice(0, -1) : line, shownCharacters));
      else left++;
    }
  }
  if (left > 0) patch.push(`\\ ${left} more lines are not shown`);
  return { path, added, removed, patch: patch.join("\n") };
}

/** Returns the new lines of each hunk with context, numbered, at most `limit` lines. */
export function inContext(hunks: readonly DiffHunk[], limit: number): string {
  const shown: string[] = [];
  for (const hunk of hunks) {
    if (shown.length > 0) shown.push("     …");
    let number = hunk.newStart;
    for (const line of hunk.lines) {
      if (!line.startsWith(" ") && !line.startsWith("+")) continue;
      if (shown.length >= limit) return [...shown, "     … (more changes are not shown)"].join("\n");
      const text = line.endsWith("\r") ? line.slice(1, -1) : line.slice(1);
      shown.push(numbered(cutLine(text, shownCharacters), number++));
    }
  }
  return shown.join("\n");
}

/** A hunk without lines on one side names the line before it, as `diff -u` does. */
function hunkHeader({ oldStart, oldLines, newStart, newLines }: DiffHunk): string {
  const from = oldLines === 0 ? oldStart - 1 : oldStart;
  const to = newLines === 0 ? newStart - 1 : newStart;
  return `@@ -${from},${oldLines} +${to},${newLines} @@`;
}

function block(removed: string, added: string): DiffHunk {
  const before = splitLines(removed);
  const after = splitLines(added);
  return {
    oldStart: 1,
    oldLines: before.length,
    newStart: 1,
    newLines: after.length,
    lines: [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)],
  };
}

/** Returns the start of the line that is `context` lines before the one at `index`. */
function back(text: string, index: number): number {
  let start = index;
  for (let line = 0; line <= context; line++) {
    if (start === 0) return 0;
    start = text.lastIndexOf("\n", line === 0 ? start - 1 : start - 2) + 1;
  }
  return start;
}

/** Returns the end of the line that is `context` lines after the one at `index`. */
function ahead(text: string, index: number): number {
  let end = index;
  for (let line = 0; line <= context; line++) {
    end = text.indexOf("\n", end) + 1;
    if (end === 0) return text.length;
  }
  return end;
}
