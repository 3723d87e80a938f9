/**
 * What the agent changed in one text and nobody has decided on yet. Pure: no editor, no disk.
 *
 * `base` is the text as it would be without those changes, `text` as it is. Outside of the hunks both are equal, line
 * by line. A user's change outside of the hunks is therefore made in both, and no reject can ever undo it.
 */
import { commonEnds, differences, type Hunk, joined, moved, splitLines } from "./line-diff.ts";

/** Lines carry their own line endings; only the last may have none. */
export interface Changes {
  readonly base: readonly string[];
  readonly text: readonly string[];
  /** In order, with at least one common line between neighbours. */
  readonly hunks: readonly Hunk[];
}

/** Who changes the text: what the agent does is up for review, what the user does is not. */
export type Author = "agent" | "user";

/** An edit as an editor tells it: a range of lines and characters, from 0, and what stands there instead. */
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

/** The text that all rejects together would leave. */
export const baseText = (changes: Changes): string => changes.base.join("");
export const currentText = (changes: Changes): string => changes.text.join("");

export function oldLines(changes: Changes, hunk: Hunk): readonly string[] {
  return changes.base.slice(hunk.baseStart, hunk.baseStart + hunk.baseCount);
}

/** From now on the hunk's new lines are what was always there. */
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

/** The hunk's old lines stand in the text again. */
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

/** Takes over an edit that was made in the text. */
export function edited(changes: Changes, edit: TextEdit, author: Author): Changes {
  const { text } = changes;
  const head = (text[edit.startLine] ?? "").slice(0, edit.startCharacter);
  const tail = (text[edit.endLine] ?? "").slice(edit.endCharacter);
  const end = Math.min(edit.endLine + 1, text.length);
  return replaced(changes, edit.startLine, end, splitLines(head + edit.text + tail), author);
}

/** Takes over a text of which only the outcome is known. */
export function becomes(changes: Changes, text: string, author: Author): Changes {
  const lines = splitLines(text);
  // From the bottom up, so that a replacement does not move those that are still to come.
  return differences(changes.text, lines).reduceRight(
    (now, { baseStart, baseCount, start, count }) =>
      replaced(now, baseStart, baseStart + baseCount, lines.slice(start, start + count), author),
    changes,
  );
}

/** Lines `from` to `to` (not included) of the text become `lines`. */
function replaced(changes: Changes, from: number, to: number, lines: readonly string[], author: Author): Changes {
  const old = changes.text.slice(from, to);
  const [head, tail] = commonEnds(old, lines);
  if (head + tail === old.length && old.length === lines.length) return changes;
  const place = { from: from + head, to: to - tail };
  const fresh = lines.slice(head, lines.length - tail);
  const mirrored = author === "user" ? inBoth(changes, place, fresh) : undefined;
  return mirrored ?? inText(changes, place, fresh);
}

interface Span {
  from: number;
  to: number;
}

/** Makes the change in base and text, unless it cuts into a hunk or the base cannot take it as whole lines. */
function inBoth(changes: Changes, { from, to }: Span, lines: readonly string[]): Changes | undefined {
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

/** Makes the change in the text alone: with the hunks it touches it becomes what now differs there. */
function inText(changes: Changes, { from, to }: Span, lines: readonly string[]): Changes {
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

/** `toSpliced`, which takes its lines as arguments, fails on very long files. */
const spliced = (lines: readonly string[], at: number, count: number, fresh: readonly string[]): string[] => [
  ...lines.slice(0, at),
  ...fresh,
  ...lines.slice(at + count),
];

const end = (hunk: Hunk): number => hunk.start + hunk.count;

/** How far a line behind these hunks stands from its place in the base. */
const shiftOf = (hunks: readonly Hunk[]): number => hunks.reduce((sum, hunk) => sum + hunk.baseCount - hunk.count, 0);

function without(hunks: readonly Hunk[], index: number, grown: { base: number; text: number }): Hunk[] {
  return [...hunks.slice(0, index), ...hunks.slice(index + 1).map((hunk) => moved(hunk, grown.base, grown.text))];
}
