/** Builds a part of a text under review from its lines, in their order. */
import { append, end, endingOfLine, isEnded, type LineMark } from "./hunks.ts";
import { differences, joined, type LineHunk, moved } from "./line-diff.ts";

interface OpenPiece {
  old: string[];
  fresh: string[];
  marks: LineMark[];
  /** Whether the piece has changed, so that its lines are compared again. */
  isTouched: boolean;
}

export interface BuiltLines {
  base: string[];
  text: string[];
  marks: LineMark[];
  pieces: LineHunk[];
}

/** Old and new lines without a common one between them are one piece. */
export class PieceBuilder {
  readonly #base: string[] = [];
  readonly #text: string[] = [];
  readonly #marks: LineMark[] = [];
  readonly #pieces: LineHunk[] = [];
  #open: OpenPiece | undefined;

  /** Adds a line of base and text. */
  common(line: string, mark: LineMark): void {
    this.#close();
    this.#base.push(line);
    this.#text.push(line);
    this.#marks.push(mark);
  }

  /** Begins a known piece. Two that meet are compared as one. */
  begin(): void {
    if (this.#open) this.#open.isTouched = true;
  }

  /** Adds lines of the base. */
  old(lines: readonly string[]): void {
    if (lines.length > 0) append(this.#piece().old, lines);
  }

  /** Adds a line of the text. */
  fresh(line: string, mark: LineMark): void {
    const piece = this.#piece();
    piece.fresh.push(line);
    piece.marks.push(mark);
  }

  /** Adds lines of the text that are new in the piece. */
  added(lines: readonly string[]): void {
    this.touch();
    for (const line of lines) this.fresh(line, undefined);
  }

  touch(): void {
    this.#piece().isTouched = true;
  }

  /** @param isLast whether the base ends here, so that its last line may have no line ending */
  finish(isLast: boolean): BuiltLines {
    this.#close();
    this.#endLines(isLast ? this.#base.length - 1 : this.#base.length);
    const pieces = joined(this.#pieces);
    return { base: this.#base, text: this.#text, marks: cleared(this.#marks, pieces), pieces };
  }

  #piece(): OpenPiece {
    this.#open ??= { old: [], fresh: [], marks: [], isTouched: false };
    return this.#open;
  }

  #close(): void {
    if (!this.#open) return;
    const { old, fresh, marks, isTouched } = this.#open;
    const whole = { baseStart: 0, baseCount: old.length, start: 0, count: fresh.length };
    const isEmpty = old.length + fresh.length === 0;
    this.#open = undefined;
    const pieces = isEmpty || isTouched ? differences(old, fresh) : [whole];
    append(
      this.#pieces,
      pieces.map((piece) => moved(piece, this.#base.length, this.#text.length)),
    );
    append(this.#base, old);
    append(this.#text, fresh);
    append(this.#marks, marks);
  }

  /** Ends the first `count` lines of the base. The last line of a text may have come into the middle. */
  #endLines(count: number): void {
    const ending = endingOfLine(this.#base.find(isEnded) ?? this.#text.find(isEnded) ?? "\n");
    for (let at = 0; at < count; at++) {
      const line = this.#base[at] ?? "";
      if (isEnded(line)) continue;
      this.#base[at] = line + ending;
      this.#compareAgain(at);
    }
  }

  /** Compares the piece of a line of the base that has changed; a common line becomes a piece. */
  #compareAgain(line: number): void {
    let [at, shift] = [0, 0];
    for (const piece of this.#pieces) {
      if (piece.baseStart > line) break;
      at++;
      shift += piece.count - piece.baseCount;
    }
    const last = this.#pieces[at - 1];
    if (!last || last.baseStart + last.baseCount <= line) {
      this.#pieces.splice(at, 0, { baseStart: line, baseCount: 1, start: line + shift, count: 1 });
      return;
    }
    const old = this.#base.slice(last.baseStart, last.baseStart + last.baseCount);
    const parts = differences(old, this.#text.slice(last.start, end(last)));
    this.#pieces.splice(at - 1, 1, ...parts.map((part) => moved(part, last.baseStart, last.start)));
  }
}

const isOfAgent = (mark: LineMark): boolean => typeof mark === "object";

/** Returns the marks without those that the pieces have outdated: what is common is not mixed, and only that is mine. */
export function cleared(marks: readonly LineMark[], pieces: readonly LineHunk[]): LineMark[] {
  const out = [...marks];
  let from = 0;
  const clear = (start: number, stop: number, isOutdated: (mark: LineMark) => boolean) => {
    for (let line = start; line < stop; line++) if (isOutdated(out[line])) out[line] = undefined;
  };
  for (const piece of pieces) {
    clear(from, piece.start, isOfAgent);
    clear(piece.start, end(piece), (mark) => mark === "mine");
    from = end(piece);
  }
  clear(from, out.length, isOfAgent);
  return out;
}
