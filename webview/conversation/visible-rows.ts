/** Which rows of a long list are drawn: those in sight and some around them, and those that must be there. */

export interface VisibleRows {
  /** By their indices in the list; `gap` is the height in px of what is left out above the row. */
  rows: { index: number; gap: number }[];
  /** Height of what is left out below the last row. */
  gap: number;
}

interface RowWindow {
  /** Top of each row in px, and the end of the last one. */
  tops: readonly number[];
  scrollTop: number;
  height: number;
  /** Drawn wherever they are, in any order: they have the focus, get it by Tab, or hold an end of the selection. */
  kept: readonly number[];
  /** Rows above and below those in sight, so that the next ones are there before they are seen. */
  spare: number;
}

/** Returns the top of each row, and the end of the last one. */
export function topsOf(heights: readonly number[]): number[] {
  let end = 0;
  return [0, ...heights.map((height) => (end += height))];
}

/** Returns the rows to draw; with the gaps they are as high as all rows. */
export function visibleRows({ tops, scrollTop, height, kept, spare }: RowWindow): VisibleRows {
  const count = tops.length - 1;
  const first = Math.max(0, rowAt(tops, scrollTop) - spare);
  const end = Math.min(count, rowAt(tops, scrollTop + height) + 1 + spare);
  const seen = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);
  const others = new Set(kept.filter((index) => index >= 0 && index < count && (index < first || index >= end)));
  const indices = others.size === 0 ? seen : [...seen, ...others].sort((a, b) => a - b);
  const top = (index: number) => tops[index] ?? 0;
  const endBefore = (at: number) => top((indices[at - 1] ?? -1) + 1);
  const rows = indices.map((index, at) => ({ index, gap: top(index) - endBefore(at) }));
  return { rows, gap: top(count) - endBefore(indices.length) };
}

/** Returns the row at this distance from the top. */
export function rowAt(tops: readonly number[], distance: number): number {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] ?? 0) <= distance) low = middle;
    else high = middle - 1;
  }
  return low;
}
