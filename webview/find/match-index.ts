/** The matches of all rows of the log, by their numbers: most of them are nowhere in the page. */

import type { LogRow } from "../conversation/log-rows.ts";
import type { FindPiece } from "../conversation/part-rows.ts";

/** A match: the one with this number, from 0, of `of` in the piece. */
export interface MatchPlace {
  key: string;
  at: number;
  of: number;
}

export interface RowMatch extends MatchPlace {
  row: LogRow;
  folds: FindPiece["folds"];
  /** Its number in the row, from 0. */
  inRow: number;
}

interface MatchedPiece extends Pick<FindPiece, "key" | "folds"> {
  count: number;
}

/** `pieces`: those that have matches. */
interface RowMatches {
  count: number;
  pieces: readonly MatchedPiece[];
}

const none: RowMatches = { count: 0, pieces: [] };

export class MatchIndex {
  readonly #rows = new WeakMap<LogRow, RowMatches>();

  /** Counts the matches of a row, in place of those before. Returns how many there are. */
  add(row: LogRow, pieces: readonly FindPiece[], countIn: (text: string) => number): number {
    const found = pieces.flatMap(({ key, folds, text }) => {
      const count = countIn(text);
      return count === 0 ? [] : [{ key, folds, count }];
    });
    const count = found.reduce((sum, piece) => sum + piece.count, 0);
    this.#rows.set(row, count === 0 ? none : { count, pieces: found });
    return count;
  }

  has(row: LogRow): boolean {
    return this.#rows.has(row);
  }

  countIn(row: LogRow): number {
    return this.#of(row).count;
  }

  /** Returns the match with this number in the row, from 0; with -1 the last one. */
  at(row: LogRow, number: number): RowMatch | undefined {
    const inRow = number < 0 ? this.#of(row).count + number : number;
    let at = inRow;
    for (const { key, folds, count } of this.#of(row).pieces) {
      if (at >= 0 && at < count) return { row, key, folds, at, of: count, inRow };
      at -= count;
    }
    return undefined;
  }

  first(rows: readonly LogRow[]): RowMatch | undefined {
    const row = rows.find((one) => this.countIn(one) > 0);
    return row && this.at(row, 0);
  }

  /** Returns the match after or before another one, around the ends of `rows`. */
  next({ row, inRow }: RowMatch, by: 1 | -1, rows: readonly LogRow[]): RowMatch | undefined {
    const near = inRow + by < 0 ? undefined : this.at(row, inRow + by);
    if (near) return near;
    const from = rows.indexOf(row);
    for (let distance = 1; distance <= rows.length; distance++) {
      const other = rows[(from + by * distance + rows.length) % rows.length];
      const found = other && this.at(other, by === 1 ? 0 : -1);
      if (found) return found;
    }
    return undefined;
  }

  /**
   * Finds a match again after rows or texts have changed: the same one of its piece, which may be in another row, else the
   * last one of its row.
   */
  again(match: RowMatch, rows: readonly LogRow[]): RowMatch | undefined {
    const row = rows.includes(match.row) ? match.row : rows.find((one) => this.#piece(one, match.key));
    const piece = row && this.#piece(row, match.key);
    if (!row || !piece) return row && this.at(row, -1);
    return this.at(row, piece.before + Math.min(match.at, piece.count - 1));
  }

  /** `before`: number of matches in the row before this piece. */
  #piece(row: LogRow, key: string): { before: number; count: number } | undefined {
    let before = 0;
    for (const piece of this.#of(row).pieces) {
      if (piece.key === key) return { before, count: piece.count };
      before += piece.count;
    }
    return undefined;
  }

  #of(row: LogRow): RowMatches {
    return this.#rows.get(row) ?? none;
  }
}
