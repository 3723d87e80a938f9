/** Splits a change of which only the lines before and after are known into its smallest parts. Pure. */
import { differences, type LineHunk, moved } from "./line-diff.ts";

/** Lines of the text and the lines that replace them. Where both counts are equal, they do so one by one. */
export interface LineStep {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly fresh: readonly string[];
}

/**
 * Returns the steps in order. A program that writes a whole text again (a formatter, a checkout) thus changes only the
 * lines that differ, and a line that was only indented keeps its author.
 */
export function alignedSteps(old: readonly string[], fresh: readonly string[]): LineStep[] {
  return differences(old, fresh)
    .flatMap((hunk) => refined(old, fresh, hunk))
    .map(({ baseStart, baseCount, start, count }) => ({
      from: baseStart,
      to: baseStart + baseCount,
      fresh: fresh.slice(start, start + count),
    }));
}

export const withoutSpaces = (line: string): string => line.replaceAll(/\s/g, "");

/** Returns what no formatter changes: letters and digits. */
export const wordsOf = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, "");

/** By what lines of two texts are the same, the surer key first: all but spaces, then all that no formatter changes. */
const lineKeys = [withoutSpaces, (line: string): string => wordsOf(line) || withoutSpaces(line)] as const;

/**
 * Splits a replacement whose line counts differ at lines with the same key, for one key after the other, then at those
 * that are alike.
 */
function refined(
  old: readonly string[],
  fresh: readonly string[],
  hunk: LineHunk,
  [keyOf, ...others]: readonly ((line: string) => string)[] = lineKeys,
): LineHunk[] {
  if (isPlain(hunk)) return [hunk];
  if (!keyOf) return peeled(old, fresh, hunk);
  const [oldLines, freshLines] = [linesIn(old, hunk.baseStart, hunk.baseCount), linesIn(fresh, hunk.start, hunk.count)];
  const [oldKeys, freshKeys] = [oldLines.map(keyOf), freshLines.map(keyOf)];
  const parts: LineHunk[] = [];
  let at = { old: 0, fresh: 0 };
  for (const part of [...differences(oldKeys, freshKeys), theEnd(oldKeys, freshKeys)]) {
    const count = part.baseStart - at.old;
    if (count > 0) parts.push({ baseStart: at.old, baseCount: count, start: at.fresh, count });
    if (part.baseCount + part.count > 0) append(parts, refined(oldLines, freshLines, part, others));
    at = { old: part.baseStart + part.baseCount, fresh: part.start + part.count };
  }
  return parts.map((part) => moved(part, hunk.baseStart, hunk.start));
}

const linesIn = (lines: readonly string[], start: number, count: number) => lines.slice(start, start + count);

const append = (parts: LineHunk[], more: readonly LineHunk[]): void => {
  for (const part of more) parts.push(part);
};

const theEnd = (old: readonly string[], fresh: readonly string[]): LineHunk => ({
  ...{ baseStart: old.length, baseCount: 0 },
  ...{ start: fresh.length, count: 0 },
});

const isPlain = ({ baseCount, count }: LineHunk): boolean => baseCount === 0 || count === 0 || baseCount === count;

/** Takes pairs of similar lines off both ends. */
function peeled(old: readonly string[], fresh: readonly string[], hunk: LineHunk): LineHunk[] {
  if (isPlain(hunk)) return [hunk];
  const { baseStart, baseCount, start, count } = hunk;
  const most = Math.min(baseCount, count);
  const alike = (at: number, other: number) =>
    areAlike(withoutSpaces(old[at] ?? ""), withoutSpaces(fresh[other] ?? ""));
  let head = 0;
  while (head < most && alike(baseStart + head, start + head)) head++;
  let tail = 0;
  while (tail < most - head && alike(baseStart + baseCount - 1 - tail, start + count - 1 - tail)) tail++;
  const rest = { baseCount: baseCount - head - tail, count: count - head - tail };
  return [
    { baseStart, baseCount: head, start, count: head },
    { baseStart: baseStart + head, start: start + head, ...rest },
    { baseStart: baseStart + head + rest.baseCount, baseCount: tail, start: start + head + rest.count, count: tail },
  ].filter((part) => part.baseCount + part.count > 0);
}

/** Whether two lines, given without their spaces, share at least half of their characters at both ends. */
export function areAlike(a: string, b: string): boolean {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return (head + tail) * 2 >= Math.max(a.length, b.length);
}
