/**
 * Where the rows of the log stand. Heights of rows that were never drawn are guesses, so the log is held by a row in
 * sight: what is above it may turn out higher or lower, and the gap at the top makes up for it.
 */
import { rowAt, type VisibleRows, visibleRows } from "./visible-rows.ts";

/** A row, and its distance from the top of the view in px; negative if it begins above. */
export interface ScrollAnchor {
  key: string;
  offset: number;
  /** Where it was when it was chosen, which is where it is looked for first. */
  index: number;
}

/** `end`: the log stays at its end. `hold`: the anchor stays where it is in the page. `go`: the view moves to it. */
type Aim = { type: "end" } | { type: "hold" | "go"; anchor: ScrollAnchor };

interface LogPlace {
  keys: readonly string[];
  /** Top of each row in px, and the end of the last one. */
  tops: readonly number[];
  scrollTop: number;
  height: number;
  aim: Aim;
  kept: readonly number[];
}

export interface LogLayout extends VisibleRows {
  /** What the gap at the top is higher than the guess, in px. */
  shift: number;
  /** Where the log has to be scrolled to; undefined: it stays. */
  scrollTo: number | "end" | undefined;
}

/** Drawn above and below the view, in px: the next rows are there before they are seen. */
const margin = 600;

export function layOutLog(place: LogPlace): LogLayout {
  const { aim, keys, tops, scrollTop } = place;
  const count = keys.length;
  if (aim.type === "end" || count === 0) {
    const top = Math.max(0, (tops[count] ?? 0) - place.height);
    return { ...rowsAround(place, top), shift: 0, scrollTo: "end" };
  }
  const index = indexOf(keys, aim.anchor);
  const natural = (tops[index] ?? 0) - aim.anchor.offset;
  if (aim.type === "hold") {
    const shift = scrollTop - natural;
    const held = rowsAround(place, natural);
    const first = held.rows[0];
    // Above the first row there is no gap that could make up for anything.
    const fits = Math.abs(shift) < 0.5 || (first !== undefined && first.index > 0 && first.gap + shift >= 0);
    if (fits) return { ...shifted(held, shift), shift, scrollTo: undefined };
  }
  const scrollTo = Math.max(0, natural);
  return { ...rowsAround(place, scrollTo), shift: 0, scrollTo };
}

function rowsAround({ tops, height, kept }: LogPlace, top: number): VisibleRows {
  return visibleRows({ tops, scrollTop: top - margin, height: height + 2 * margin, kept, spare: 1 });
}

function shifted({ rows: [first, ...rest], gap }: VisibleRows, shift: number): VisibleRows {
  return { rows: first ? [{ ...first, gap: first.gap + shift }, ...rest] : [], gap };
}

/** Returns the row at the top of the view. */
export function anchorAt(keys: readonly string[], tops: readonly number[], top: number): ScrollAnchor {
  const index = rowAt(tops, Math.max(0, top));
  return { key: keys[index] ?? "", offset: (tops[index] ?? 0) - top, index };
}

/** Returns where the row is; a row that is gone is taken for the one in its place. */
function indexOf(keys: readonly string[], { key, index }: ScrollAnchor): number {
  if (keys[index] === key) return index;
  const found = keys.indexOf(key);
  return found >= 0 ? found : Math.min(index, keys.length - 1);
}
