/**
 * The agent's changes in one text that nobody has decided on yet. Pure: no editor, no disk.
 *
 * `base` is the text without those changes, `text` the current one. Outside the hunks both are equal, line by line. A
 * user's change outside the hunks is made in both, so that no reject can undo it.
 */
import { commonEnds, differences, joined, type LineHunk, moved, splitLines } from "./line-diff.ts";

/** Lines include their line endings; only the last may have none. */
export interface Changes {
  readonly base: readonly string[];
  readonly text: readonly string[];
  /** In order, with at least one common line between neighbours. */
  readonly hunks: readonly LineHunk[];
}

/** Author of a change. Only the agent's changes are reviewed. */
export type Author = "agent" | "user";

/** An edit in an editor: a range, counted from 0, and its new text. */
export interface TextEdit {
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly endCharacter: number;
  readonly text: string;
}

export function unchanged(text: string): Changes {
  const lines = splitLines(text);
  return { base: lines, text: lines, hunks: [] };
}

/** Returns the text after rejecting everything. */
export const baseText = (changes: Changes): string => changes.base.join("");
export const currentText = (changes: Changes): string => changes.text.join("");

export function oldLines(changes: Changes, hunk: LineHunk): readonly string[] {
  return changes.base.slice(hunk.baseStart, hunk.baseStart + hunk.baseCount);
}

/** Makes the hunk's new lines part of the base. */
export function accept(changes: Changes, index: number): Changes {
  const hunk = changes.hunks[index];
  if (!hunk) return changes;
  const added = changes.text.slice(hunk.start, hunk.start + hunk.count);
  return {
    base: spliced(changes.base, hunk.baseStart, hunk.baseCount, added),
    text: changes.text,
    hunks: without(changes.hunks, index, { base: hunk.count - hunk.baseCount, text: 0 }),
  };
}

/** Puts the hunk's old lines back into the text. */
export function reject(changes: Changes, index: number): Changes {
  const hunk = changes.hunks[index];
  if (!hunk) return changes;
  return {
    base: changes.base,
    text: spliced(changes.text, hunk.start, hunk.count, oldLines(changes, hunk)),
    hunks: without(changes.hunks, index, { base: 0, text: hunk.baseCount - hunk.count }),
  };
}

export const acceptAll = ({ text }: Changes): Changes => ({ base: text, text, hunks: [] });
export const rejectAll = ({ base }: Changes): Changes => ({ base, text: base, hunks: [] });

export function edited(changes: Changes, edit: TextEdit, author: Author): Changes {
  const { text } = changes;
  const head = (text[edit.startLine] ?? "").slice(0, edit.startCharacter);
  const tail = (text[edit.endLine] ?? "").slice(edit.endCharacter);
  const end = Math.min(edit.endLine + 1, text.length);
  return replaced(changes, { from: edit.startLine, to: end }, splitLines(head + edit.text + tail), author);
}

/** Applies a change of which only the resulting text is known. */
export function becomes(changes: Changes, text: string, author: Author): Changes {
  const lines = splitLines(text);
  // From the bottom up, so that a replacement does not move the next ones.
  return differences(changes.text, lines).reduceRight(
    (now, { baseStart, baseCount, start, count }) =>
      replaced(now, { from: baseStart, to: baseStart + baseCount }, lines.slice(start, start + count), author),
    changes,
  );
}

/** Replaces lines of the text with `lines`. */
function replaced(changes: Changes, { from, to }: LineRange, lines: readonly string[], author: Author): Changes {
  const old = changes.text.slice(from, to);
  const [head, tail] = commonEnds(old, lines);
  if (head + tail === old.length && old.length === lines.length) return changes;
  const place = { from: from + head, to: to - tail };
  const fresh = lines.slice(head, lines.length - tail);
  const mirrored = author === "user" ? inBoth(changes, place, fresh) : undefined;
  return mirrored ?? inText(changes, place, fresh);
}

interface LineRange {
  from: number;
  /** Exclusive. */
  to: number;
}

/** Applies the change to base and text. Undefined if it touches a hunk or would not be whole lines in the base. */
function inBoth(changes: Changes, { from, to }: LineRange, lines: readonly string[]): Changes | undefined {
  const { hunks } = changes;
  if (hunks.some((hunk) => from < end(hunk) && to > hunk.start)) return undefined;
  const before = hunks.filter((hunk) => end(hunk) <= from);
  const shift = shiftOf(before);
  const base = spliced(changes.base, from + shift, to - from, lines);
  for (const at of [from + shift - 1, from + shift + lines.length - 1]) {
    if (at >= 0 && at < base.length - 1 && !/[\r\n]$/.test(base[at] ?? "")) return undefined;
  }
  const grown = lines.length - (to - from);
  const after = hunks.slice(before.length).map((hunk) => moved(hunk, grown, grown));
  return { base, text: spliced(changes.text, from, to - from, lines), hunks: joined([...before, ...after]) };
}

/** Makes the change in the text only. It is compared with the base again, together with the hunks that it touches. */
function inText(changes: Changes, { from, to }: LineRange, lines: readonly string[]): Changes {
  const { base, text, hunks } = changes;
  const before = hunks.filter((hunk) => end(hunk) < from);
  const touched = hunks.filter((hunk) => end(hunk) >= from && hunk.start <= to);
  const after = hunks.slice(before.length + touched.length);
  const start = Math.min(from, ...touched.map((hunk) => hunk.start));
  const stop = Math.max(to, ...touched.map(end));
  const fresh = [...text.slice(start, from), ...lines, ...text.slice(to, stop)];
  const baseStart = start + shiftOf(before);
  const baseStop = stop + shiftOf([...before, ...touched]);
  const grown = lines.length - (to - from);
  return {
    base,
    text: spliced(text, from, to - from, lines),
    hunks: joined([
      ...before,
      ...differences(base.slice(baseStart, baseStop), fresh).map((hunk) => moved(hunk, baseStart, start)),
      ...after.map((hunk) => moved(hunk, 0, grown)),
    ]),
  };
}

/** Like `toSpliced`, which takes the lines as arguments and fails on very long files. */
const spliced = (lines: readonly string[], at: number, count: number, fresh: readonly string[]): string[] => [
  ...lines.slice(0, at),
  ...fresh,
  ...lines.slice(at + count),
];

const end = (hunk: LineHunk): number => hunk.start + hunk.count;

/** Returns the distance of a line after these hunks from its line in the base. */
const shiftOf = (hunks: readonly LineHunk[]): number =>
  hunks.reduce((sum, hunk) => sum + hunk.baseCount - hunk.count, 0);

function without(hunks: readonly LineHunk[], index: number, grown: { base: number; text: number }): LineHunk[] {
  return [...hunks.slice(0, index), ...hunks.slice(index + 1).map((hunk) => moved(hunk, grown.base, grown.text))];
}
