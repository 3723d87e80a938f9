/** Lines of texts, and where two texts differ. Pure. */
import { diffArrays } from "diff";

/** Lines `baseStart…` of one text, the base, stand where lines `start…` of the other stand. Counted from 0. */
export interface Hunk {
  readonly baseStart: number;
  readonly baseCount: number;
  readonly start: number;
  readonly count: number;
}

/** Beyond this many differing lines in a row the comparison gives up and calls the whole range one hunk. */
const maxEditLength = 1000;

/** With their line endings; only the last may have none. */
export function splitLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
}

/** The lines to replace, from the top down, to make one text of another: `from` to `to` (not included) become `lines`. */
export function lineChanges(before: string, after: string): { from: number; to: number; lines: string }[] {
  const fresh = splitLines(after);
  return differences(splitLines(before), fresh).map(({ baseStart, baseCount, start, count }) => ({
    from: baseStart,
    to: baseStart + baseCount,
    lines: fresh.slice(start, start + count).join(""),
  }));
}

/**
 * As people would tell them: lines that stand once in each text hold the comparison together (a patience diff), and not
 * the blank lines and brackets that are everywhere.
 */
export function differences(base: readonly string[], text: readonly string[]): Hunk[] {
  const [head, common] = commonEnds(base, text);
  const tail = Math.min(base.length, text.length) === head + common ? common : withoutIdle(base, common);
  const old = base.slice(head, base.length - tail);
  const fresh = text.slice(head, text.length - tail);
  if (old.length === 0 && fresh.length === 0) return [];
  const whole = { baseStart: head, baseCount: old.length, start: head, count: fresh.length };
  if (old.length === 0 || fresh.length === 0) return [whole];
  const anchors = anchorsOf(old, fresh);
  if (anchors.length === 0) return compared(old, fresh)?.map((hunk) => moved(hunk, head, head)) ?? [whole];
  const hunks: Hunk[] = [];
  let from = { base: 0, text: 0 };
  for (const to of [...anchors, { base: old.length, text: fresh.length }]) {
    for (const hunk of differences(old.slice(from.base, to.base), fresh.slice(from.text, to.text))) {
      hunks.push(moved(hunk, head + from.base, head + from.text));
    }
    from = { base: to.base + 1, text: to.text + 1 };
  }
  return joined(hunks);
}

/** How many lines are the same at the beginning, and of the rest at the end. */
export function commonEnds(a: readonly string[], b: readonly string[]): [number, number] {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return [head, tail];
}

/** Neighbours without a line between them are one. */
export function joined(hunks: readonly Hunk[]): Hunk[] {
  return joinedWhere(hunks, (last, next) => last.start + last.count === next.start);
}

export const moved = (hunk: Hunk, base: number, text: number): Hunk => ({
  ...hunk,
  baseStart: hunk.baseStart + base,
  start: hunk.start + text,
});

interface Anchor {
  base: number;
  text: number;
}

/** The longest row of lines with words that stand exactly once in both, in the same order in both. */
function anchorsOf(base: readonly string[], text: readonly string[]): Anchor[] {
  const places = new Map<string, Anchor | undefined>();
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

/** A bracket after a change may as well be the one that ends what was added. */
function withoutIdle(lines: readonly string[], tail: number): number {
  let left = tail;
  while (left > 0 && !hasWords(lines[lines.length - left] ?? "")) left--;
  return left;
}

/** Other than blank lines and brackets. */
const hasWords = (line: string): boolean => /[\p{L}\p{N}]/u.test(line);

/** `anchors` rise in `base`; answers with the most of them that rise in `text`, too. */
function longestRising(anchors: readonly Anchor[]): Anchor[] {
  interface Link extends Anchor {
    before: Link | undefined;
  }
  /** The last of the best row of each length. */
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
  const row: Anchor[] = [];
  for (let link = ends.at(-1); link; link = link.before) row.push(link);
  return row.reverse();
}

/** Undefined when they differ too much. */
function compared(base: string[], text: string[]): Hunk[] | undefined {
  const pieces = diffArrays(base, text, { maxEditLength });
  if (!pieces) return undefined;
  const found: Hunk[] = [];
  let baseStart = 0;
  let start = 0;
  for (const { added, removed, count } of pieces) {
    if (added) found.push({ baseStart, baseCount: 0, start, count });
    if (removed) found.push({ baseStart, baseCount: count, start, count: 0 });
    if (!added) baseStart += count;
    if (!removed) start += count;
  }
  const isIdle = (from: number, to: number) => !text.slice(from, to).some(hasWords);
  const rewrites = (hunk: Hunk) => hunk.count > 0 && hunk.baseCount > 0;
  // Brackets and blank lines that happen to be the same do not make many changes of one that rewrites a block.
  return joinedWhere(
    joined(found),
    (last, next) => rewrites(last) && rewrites(next) && isIdle(last.start + last.count, next.start),
  );
}

function joinedWhere(hunks: readonly Hunk[], areOne: (last: Hunk, next: Hunk) => boolean): Hunk[] {
  const out: Hunk[] = [];
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
