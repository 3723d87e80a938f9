/** Splits texts into lines and compares them. Pure. */
import { diffArrays } from "diff";

/** Lines of the base that were replaced by lines of the text. Counted from 0. */
export interface LineHunk {
  readonly baseStart: number;
  readonly baseCount: number;
  readonly start: number;
  readonly count: number;
}

/** If a range has more differing lines than this, it becomes one hunk. */
const maxEditLength = 1000;

/**
 * Returns the lines with their line endings; only the last may have none. Not by a regular expression: over a line of
 * millions of characters, V8 ends a match with a RangeError at times, on a busy machine.
 */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  let feed = text.indexOf("\n");
  let carriage = text.indexOf("\r");
  while (feed >= 0 || carriage >= 0) {
    const isFeed = carriage < 0 || (feed >= 0 && feed < carriage);
    const end = isFeed || feed === carriage + 1 ? feed + 1 : carriage + 1;
    lines.push(text.slice(start, end));
    start = end;
    if (feed >= 0 && feed < start) feed = text.indexOf("\n", start);
    if (carriage >= 0 && carriage < start) carriage = text.indexOf("\r", start);
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}

/** Returns the replacements that turn `before` into `after`: lines `from` to `to` (exclusive) become `lines`. */
export function lineChanges(before: string, after: string): { from: number; to: number; lines: string }[] {
  const fresh = splitLines(after);
  return differences(splitLines(before), fresh).map(({ baseStart, baseCount, start, count }) => ({
    from: baseStart,
    to: baseStart + baseCount,
    lines: fresh.slice(start, start + count).join(""),
  }));
}

/**
 * Compares the lines as a person would: lines that occur once in each text anchor the comparison (a patience diff),
 * instead of the blank lines and brackets that are everywhere.
 */
export function differences(base: readonly string[], text: readonly string[]): LineHunk[] {
  const [head, common] = commonEnds(base, text);
  const tail = Math.min(base.length, text.length) === head + common ? common : withoutIdle(base, common);
  const old = base.slice(head, base.length - tail);
  const fresh = text.slice(head, text.length - tail);
  if (old.length === 0 && fresh.length === 0) return [];
  const whole = { baseStart: head, baseCount: old.length, start: head, count: fresh.length };
  if (old.length === 0 || fresh.length === 0) return [whole];
  const anchors = anchorsOf(old, fresh);
  if (anchors.length === 0) return compared(old, fresh)?.map((hunk) => moved(hunk, head, head)) ?? [whole];
  const hunks: LineHunk[] = [];
  let from = { base: 0, text: 0 };
  for (const to of [...anchors, { base: old.length, text: fresh.length }]) {
    for (const hunk of differences(old.slice(from.base, to.base), fresh.slice(from.text, to.text))) {
      hunks.push(moved(hunk, head + from.base, head + from.text));
    }
    from = { base: to.base + 1, text: to.text + 1 };
  }
  return hunks;
}

/** Returns the number of equal lines at the start, and of the rest at the end. */
export function commonEnds(a: readonly string[], b: readonly string[]): [number, number] {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return [head, tail];
}

export function joined(hunks: readonly LineHunk[]): LineHunk[] {
  return joinedWhere(hunks, (last, next) => last.start + last.count === next.start);
}

export const moved = (hunk: LineHunk, base: number, text: number): LineHunk => ({
  ...hunk,
  baseStart: hunk.baseStart + base,
  start: hunk.start + text,
});

interface LineAnchor {
  base: number;
  text: number;
}

/** Returns the longest sequence of lines with words that occur exactly once in both texts, in the same order. */
function anchorsOf(base: readonly string[], text: readonly string[]): LineAnchor[] {
  const places = new Map<string, LineAnchor | undefined>();
  base.forEach((line, at) => {
    places.set(line, places.has(line) ? undefined : { base: at, text: -1 });
  });
  text.forEach((line, at) => {
    const place = places.get(line);
    if (place) places.set(line, place.text < 0 ? { ...place, text: at } : undefined);
  });
  const common = [...places].flatMap(([line, place]) => (place && place.text >= 0 && hasWords(line) ? [place] : []));
  return longestRising(common);
}

/** Leaves out brackets at the start of the common tail: they may as well belong to the lines that were added. */
function withoutIdle(lines: readonly string[], tail: number): number {
  let left = tail;
  while (left > 0 && !hasWords(lines[lines.length - left] ?? "")) left--;
  return left;
}

export const hasWords = (line: string): boolean => /[\p{L}\p{N}]/u.test(line);

/** `anchors` are sorted by `base`. Returns the longest subsequence that is sorted by `text`, too. */
function longestRising(anchors: readonly LineAnchor[]): LineAnchor[] {
  interface Link extends LineAnchor {
    before: Link | undefined;
  }
  /** The last anchor of the best sequence of each length. */
  const ends: Link[] = [];
  for (const anchor of anchors) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle]?.text ?? anchor.text) < anchor.text) low = middle + 1;
      else high = middle;
    }
    ends[low] = { ...anchor, before: ends[low - 1] };
  }
  const row: LineAnchor[] = [];
  for (let link = ends.at(-1); link; link = link.before) row.push(link);
  return row.reverse();
}

/** Returns undefined if the texts differ too much. */
function compared(base: string[], text: string[]): LineHunk[] | undefined {
  const pieces = diffArrays(base, text, { maxEditLength });
  if (!pieces) return undefined;
  const found: LineHunk[] = [];
  let baseStart = 0;
  let start = 0;
  for (const { added, removed, count } of pieces) {
    if (added) found.push({ baseStart, baseCount: 0, start, count });
    if (removed) found.push({ baseStart, baseCount: count, start, count: 0 });
    if (!added) baseStart += count;
    if (!removed) start += count;
  }
  const isIdle = (from: number, to: number) => !text.slice(from, to).some(hasWords);
  const rewrites = (hunk: LineHunk) => hunk.count > 0 && hunk.baseCount > 0;
  // A rewritten block stays one change, even if some brackets and blank lines in it happen to be equal.
  return joinedWhere(
    joined(found),
    (last, next) => rewrites(last) && rewrites(next) && isIdle(last.start + last.count, next.start),
  );
}

export function joinedWhere(
  hunks: readonly LineHunk[],
  areOne: (last: LineHunk, next: LineHunk) => boolean,
): LineHunk[] {
  const out: LineHunk[] = [];
  for (const hunk of hunks) {
    const last = out.at(-1);
    if (!last || !areOne(last, hunk)) {
      out.push(hunk);
      continue;
    }
    out[out.length - 1] = {
      ...last,
      baseCount: hunk.baseStart + hunk.baseCount - last.baseStart,
      count: hunk.start + hunk.count - last.start,
    };
  }
  return out;
}
