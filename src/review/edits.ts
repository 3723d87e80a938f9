/**
 * Applies edits to a text under review, and keeps apart whose lines are whose. Pure.
 *
 * A line of the user is changed in base and text, a line of the agent in the text only. Old and new text are compared
 * line by line first, so an author is charged with the lines that differ, whatever range an edit names.
 */
import { alignedSteps, type LineStep, withoutSpaces } from "./alignment.ts";
import {
  type Changes,
  changesOf,
  end,
  endingOfLine,
  isEnded,
  isMixed,
  type LineMark,
  merged,
  oldPlace,
  shiftOf,
  spliced,
} from "./hunks.ts";
import { differences, hasWords, type LineHunk, moved, splitLines } from "./line-diff.ts";
import { cleared, PieceBuilder } from "./piece-builder.ts";

/**
 * Author of a change. Only the agent's changes are reviewed. A formatter rewrites lines of both and owns none: a line
 * of the agent stays the agent's, all others count as the user's.
 */
export type Author = "agent" | "user" | "formatter";

/** An edit in an editor: a range, counted from 0, and its new text. */
export interface TextEdit {
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly endCharacter: number;
  readonly text: string;
}

export function edited(changes: Changes, edit: TextEdit, author: Author): Changes {
  const { from, to, lines } = editedLines(changes.text, edit);
  return replaced(changes, from, changes.text.slice(from, to), lines, author);
}

/**
 * Returns the lines that an edit replaces, and their new text. Whole lines are named exactly: among equal lines a
 * comparison could not tell which one has gone.
 */
export function editedLines(text: readonly string[], edit: TextEdit): { from: number; to: number; lines: string[] } {
  const { startLine, startCharacter, endLine, endCharacter } = edit;
  if (startCharacter === 0 && endCharacter === 0 && (edit.text === "" || isEnded(edit.text))) {
    return { from: Math.min(startLine, text.length), to: Math.min(endLine, text.length), lines: splitLines(edit.text) };
  }
  const [first, last] = [text[startLine] ?? "", text[endLine] ?? ""];
  const [ending, lastEnding] = [endingOfLine(first), endingOfLine(last)];
  const isAtEnds = startCharacter === first.length - ending.length && endCharacter === last.length - lastEnding.length;
  const lead = edit.text.match(/^(?:\r\n|\r|\n)/)?.[0] ?? "";
  if (isAtEnds && ending !== "" && ending === lastEnding && (edit.text === "" || lead === ending)) {
    const lines = edit.text === "" ? [] : splitLines(edit.text.slice(lead.length) + lastEnding);
    return { from: startLine + 1, to: endLine + 1, lines };
  }
  const head = text[edit.startLine]?.slice(0, edit.startCharacter) ?? "";
  const tail = text[edit.endLine]?.slice(edit.endCharacter) ?? "";
  const from = Math.min(edit.startLine, text.length);
  return { from, to: Math.min(edit.endLine + 1, text.length), lines: splitLines(head + edit.text + tail) };
}

/** Applies a change of which only the resulting text is known. */
export function becomes(changes: Changes, text: string | readonly string[], author: Author): Changes {
  return replaced(changes, 0, changes.text, typeof text === "string" ? splitLines(text) : text, author);
}

/** Gives all lines this ending: a change that is nobody's. */
export function withEnding(changes: Changes, ending: string): Changes {
  const given = (lines: readonly string[]) =>
    lines.map((line) => (isEnded(line) && !endsWith(line, ending) ? line.replace(/(?:\r\n|\r|\n)$/, ending) : line));
  const [base, text] = [given(changes.base), given(changes.text)];
  const pieces = changes.pieces.flatMap((piece) =>
    differences(
      base.slice(piece.baseStart, piece.baseStart + piece.baseCount),
      text.slice(piece.start, end(piece)),
    ).map((part) => moved(part, piece.baseStart, piece.start)),
  );
  const marks = changes.marks.map((mark) => {
    if (typeof mark !== "object") return mark;
    return isMixed(mark) ? { agent: given(mark.agent) } : { written: given(mark.written) };
  });
  return changesOf(base, text, cleared(marks, pieces), pieces);
}

/** Whether the line has exactly this ending: `\n` is not that of a line with `\r\n`. */
const endsWith = (line: string, ending: string): boolean =>
  line.endsWith(ending) && !(ending === "\n" && line.endsWith("\r\n"));

function replaced(
  changes: Changes,
  from: number,
  old: readonly string[],
  lines: readonly string[],
  author: Author,
): Changes {
  const steps = author === "agent" ? plainSteps(old, lines) : alignedSteps(old, lines);
  if (steps.length === 0) return changes;
  return new Region(changes, from === 0 ? steps : steps.map((step) => shifted(step, from)), author).result();
}

const plainSteps = (old: readonly string[], lines: readonly string[]): LineStep[] =>
  differences(old, lines).map(({ baseStart, baseCount, start, count }) => ({
    from: baseStart,
    to: baseStart + baseCount,
    fresh: lines.slice(start, start + count),
  }));

const shifted = ({ from, to, fresh }: LineStep, by: number): LineStep => ({ from: from + by, to: to + by, fresh });

/** New text for a line; none removes it. */
interface LineChange {
  fresh: readonly string[];
  /** Whether only spaces differ. */
  isSpace: boolean;
  /** The lines that this one stood for, as the agent wrote them. */
  agent: readonly string[];
}

/** The part of the text that the steps touch, with all pieces in it and beside it. It is built anew. */
class Region {
  readonly #changes: Changes;
  readonly #author: Author;
  readonly #lines = new Map<number, LineChange>();
  readonly #inserts = new Map<number, readonly string[]>();
  readonly #before: readonly LineHunk[];
  readonly #touched: LineHunk[];
  readonly #after: readonly LineHunk[];
  readonly #start: number;
  readonly #stop: number;
  readonly #baseStart: number;
  readonly #baseStop: number;
  readonly #built = new PieceBuilder();

  constructor(changes: Changes, steps: readonly LineStep[], author: Author) {
    this.#changes = changes;
    this.#author = author;
    const from = steps[0]?.from ?? 0;
    const to = steps.at(-1)?.to ?? 0;
    const { pieces } = changes;
    this.#before = pieces.filter((piece) => end(piece) < from);
    this.#touched = pieces.filter((piece) => end(piece) >= from && piece.start <= to);
    this.#after = pieces.slice(this.#before.length + this.#touched.length);
    this.#start = Math.min(from, this.#touched[0]?.start ?? from);
    this.#stop = Math.max(to, ...this.#touched.slice(-1).map(end));
    this.#baseStart = this.#start + shiftOf(this.#before);
    this.#baseStop = this.#stop + shiftOf(this.#before) + shiftOf(this.#touched);
    for (const step of steps) this.#plan(step);
  }

  result(): Changes {
    const { base, text, marks } = this.#changes;
    this.#build();
    const [from, count] = [this.#baseStart, this.#baseStop - this.#baseStart];
    const built = this.#built.finish(this.#baseStop === base.length);
    const [inBase, inText] = [built.base.length - count, built.text.length - (this.#stop - this.#start)];
    return changesOf(
      spliced(base, from, count, built.base),
      spliced(text, this.#start, this.#stop - this.#start, built.text),
      spliced(marks, this.#start, this.#stop - this.#start, built.marks),
      [
        ...this.#before,
        ...built.pieces.map((piece) => moved(piece, from, this.#start)),
        ...this.#after.map((piece) => moved(piece, inBase, inText)),
      ],
    );
  }

  #plan({ from, to, fresh }: LineStep): void {
    if (from === to) {
      this.#inserts.set(from, fresh);
      return;
    }
    const old = this.#changes.text.slice(from, to);
    const isSpace = withoutSpaces(old.join("")) === withoutSpaces(fresh.join(""));
    if (fresh.length === old.length) {
      for (const [at, line] of fresh.entries()) {
        this.#lines.set(from + at, {
          fresh: [line],
          isSpace: isSpace || withoutSpaces(line) === withoutSpaces(old[at] ?? ""),
          agent: this.#agentLines(from + at, from + at + 1),
        });
      }
      return;
    }
    for (let line = from; line < to; line++) this.#lines.set(line, { fresh: [], isSpace, agent: [] });
    this.#lines.set(from, { fresh, isSpace, agent: this.#agentLines(from, to) });
    if (fresh.length > 0 && this.#author !== "agent") this.#fuse(from, to);
  }

  /** Returns lines as they were before the user changed those of the agent. */
  #agentLines(from: number, to: number): readonly string[] {
    const { text, marks } = this.#changes;
    return text.slice(from, to).flatMap((line, at) => {
      const mark = marks[from + at];
      if (typeof mark !== "object") return [line];
      return isMixed(mark) ? mark.agent : mark.written;
    });
  }

  /** Makes one piece of lines that belong to several, since nobody can tell which new line stands for which of them. */
  #fuse(from: number, to: number): void {
    const inside = this.#touched.filter((piece) => piece.start < to && end(piece) > from);
    const [only] = inside;
    if (!only || (inside.length === 1 && only.start <= from && to <= end(only))) return;
    const start = Math.min(from, only.start);
    const stop = Math.max(to, ...inside.map(end));
    const at = this.#touched.indexOf(only);
    const shift = shiftOf(this.#before) + shiftOf(this.#touched.slice(0, at));
    const baseCount = stop - start + shiftOf(inside);
    this.#touched.splice(at, inside.length, { baseStart: start + shift, baseCount, start, count: stop - start });
  }

  #build(): void {
    let line = this.#start;
    for (const piece of this.#touched) {
      this.#commons(line, piece.start);
      this.#piece(piece);
      line = end(piece);
    }
    this.#commons(line, this.#stop);
    this.#insert(this.#stop, undefined);
  }

  #commons(from: number, to: number): void {
    const { text, marks } = this.#changes;
    for (let at = from; at < to; at++) {
      this.#insert(at, undefined);
      const line = text[at] ?? "";
      const change = this.#lines.get(at);
      if (!change) this.#built.common(line, marks[at]);
      else if (this.#author !== "agent") for (const fresh of change.fresh) this.#built.common(fresh, marks[at]);
      else {
        this.#built.old([line]);
        this.#built.added(change.fresh);
      }
    }
  }

  #piece(piece: LineHunk): void {
    const { base, text, marks } = this.#changes;
    let old: readonly string[] = base.slice(piece.baseStart, piece.baseStart + piece.baseCount);
    const isOverwritten = (at: number) => isMixed(marks[piece.start + at]) && this.#lines.has(piece.start + at);
    // What the user has made of the agent's line is the user's text, so the agent does not overwrite it for good.
    if (this.#author === "agent") old = merged(old, text.slice(piece.start, end(piece)), isOverwritten);
    const rest = { old, at: 0 };
    if (piece.count > 0) this.#insert(piece.start, undefined, rest);
    this.#built.begin();
    for (let at = 0; at < piece.count; at++) {
      const line = piece.start + at;
      if (at > 0) this.#insert(line, { at, count: piece.count }, rest);
      this.#freshLine(line);
    }
    this.#built.old(rest.old.slice(rest.at));
    if (piece.count === 0) this.#insert(piece.start, undefined, rest);
  }

  #freshLine(line: number): void {
    const { text, marks } = this.#changes;
    const change = this.#lines.get(line);
    if (!change) {
      this.#built.fresh(text[line] ?? "", marks[line]);
      return;
    }
    this.#built.touch();
    const isSame = this.#author === "formatter" || change.isSpace;
    let { agent } = change;
    for (const fresh of change.fresh) {
      const isShared = this.#author !== "agent" && (isSame ? isMixed(marks[line]) : withoutSpaces(fresh) !== "");
      const isSpaced = isSame && !isShared && this.#author !== "agent" && agent.length > 0 && agent[0] !== fresh;
      const isKnown = this.#author === "user" || typeof marks[line] === "object";
      const mark: LineMark = isShared ? { agent } : isSpaced && isKnown ? { written: agent } : undefined;
      this.#built.fresh(fresh, mark);
      if (mark) agent = [];
    }
  }

  /** @param inside the place in a piece whose lines are not all built; `rest` has its old lines */
  #insert(
    line: number,
    inside: { at: number; count: number } | undefined,
    rest?: { old: readonly string[]; at: number },
  ): void {
    const fresh = this.#inserts.get(line);
    if (!fresh) return;
    this.#inserts.delete(line);
    if (this.#author === "agent") {
      this.#built.added(fresh);
      return;
    }
    const beside = rest?.old ?? this.#oldBeside(line);
    const isPart = this.#author === "formatter" && beside !== undefined && !fresh.some(hasWords);
    const isOld = beside && !isPart ? oldAmong(fresh, beside) : [];
    if (isPart || fresh.some((one, at) => isOld[at] && hasWords(one))) {
      this.#built.touch();
      // Nobody can tell where other lines stand among the old ones, so these are theirs both.
      for (const [at, one] of fresh.entries()) {
        this.#built.fresh(one, isPart || isOld[at] || !hasWords(one) ? undefined : { agent: [] });
      }
      return;
    }
    if (inside && rest) {
      const place = Math.max(rest.at, oldPlace(inside.at, inside.count, rest.old.length));
      this.#built.old(rest.old.slice(rest.at, place));
      rest.at = place;
    }
    const isInside = this.#changes.hunks.some((hunk) => hunk.start < line && line < end(hunk));
    for (const one of fresh) this.#built.common(one, isInside ? "mine" : undefined);
  }

  /** Returns the old lines of the piece that ends right above this line. */
  #oldBeside(line: number): readonly string[] | undefined {
    const piece = this.#touched.find((one) => end(one) === line);
    return piece && this.#changes.base.slice(piece.baseStart, piece.baseStart + piece.baseCount);
  }
}

/** Returns which lines someone has written again that were there before, but for spaces. */
function oldAmong(lines: readonly string[], old: readonly string[]): boolean[] {
  const isOld = new Array<boolean>(lines.length).fill(true);
  for (const { start, count } of differences(old.map(withoutSpaces), lines.map(withoutSpaces))) {
    isOld.fill(false, start, start + count);
  }
  return isOld;
}
