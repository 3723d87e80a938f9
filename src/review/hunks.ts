/**
 * The agent's changes in one text that nobody has decided on yet. Pure: no editor, no disk.
 *
 * `base` is the text without those changes, `text` the present one. Outside the pieces both are equal, line by line.
 * What the user changes in lines of his own is changed in both, so that no reject can undo it; `edits.ts` sees to it.
 */
import { joinedWhere, type LineHunk, moved, splitLines } from "./line-diff.ts";

/** A line of the agent that the user has changed; the base does not have it. */
export interface MixedMark {
  /** What the agent wrote there. Where the user has made other lines of several, the first has all of it. */
  readonly agent: readonly string[];
}

/** A line of the agent in which the user has changed spaces alone: still the agent's. */
interface SpacedMark {
  /** What the agent wrote there, for when the user changes more. */
  readonly written: readonly string[];
}

/**
 * Whose line it is, where that is not plain from the pieces. `mine`: the user has added it inside a hunk; the base has
 * it, too.
 */
export type LineMark = "mine" | MixedMark | SpacedMark | undefined;

export const isMixed = (mark: LineMark): mark is MixedMark => typeof mark === "object" && "agent" in mark;

/** Lines include their line endings; only the last may have none. */
export interface Changes {
  readonly base: readonly string[];
  readonly text: readonly string[];
  /** For each line of the text. */
  readonly marks: readonly LineMark[];
  /** Where base and text differ: in order, with at least one common line between neighbours. */
  readonly pieces: readonly LineHunk[];
  /** What is decided together: neighbouring pieces with only the user's lines between them are one hunk. */
  readonly hunks: readonly LineHunk[];
}

/** What happens to lines of the agent that the user has changed, when the agent's changes are rejected. */
export type MixedLines = "drop" | "keep";

/**
 * What becomes of them when the agent's changes are accepted: the user's lines stay, the agent's take their place, or
 * stand below them.
 */
export type ConflictChoice = "mine" | "agent" | "both";

export function unchanged(text: string | readonly string[]): Changes {
  const lines = typeof text === "string" ? splitLines(text) : text;
  return changesOf(lines, lines, unmarked(lines.length), []);
}

export function changesOf(
  base: readonly string[],
  text: readonly string[],
  marks: readonly LineMark[],
  pieces: readonly LineHunk[],
): Changes {
  const isMine = (last: LineHunk, next: LineHunk) => {
    for (let line = end(last); line < next.start; line++) if (marks[line] !== "mine") return false;
    return true;
  };
  const hunks = joinedWhere(pieces, isMine);
  return { base, text, marks: mineInside(marks, hunks), pieces, hunks };
}

/** Returns the marks without `mine` outside the hunks: when a hunk shrinks, the user's lines at its edges leave it. */
function mineInside(marks: readonly LineMark[], hunks: readonly LineHunk[]): readonly LineMark[] {
  if (!marks.includes("mine")) return marks;
  const out: LineMark[] = marks.map((mark) => (mark === "mine" ? undefined : mark));
  for (const hunk of hunks) for (let line = hunk.start; line < end(hunk); line++) out[line] = marks[line];
  return out;
}

export const unmarked = (count: number): LineMark[] => new Array<LineMark>(count).fill(undefined);

/** Returns the text after rejecting everything. */
export const baseText = (changes: Changes): string => changes.base.join("");
export const currentText = (changes: Changes): string => changes.text.join("");

export function oldLines(changes: Changes, hunk: LineHunk): readonly string[] {
  return changes.base.slice(hunk.baseStart, hunk.baseStart + hunk.baseCount);
}

/** Returns where a hunk of `seen` is now; undefined if it is gone, has changed, or could be one of several. */
export function sameHunk(seen: Changes, now: Changes, index: number): number | undefined {
  if (seen === now) return index;
  const wanted = contents(seen, index);
  const places = now.hunks.flatMap((_hunk, at) => (contents(now, at) === wanted ? [at] : []));
  const [place, ...others] = places;
  return others.length === 0 ? place : undefined;
}

/** Returns one hunk, or all. */
export const hunksAt = ({ hunks }: Changes, index: number | undefined): readonly LineHunk[] =>
  index === undefined ? hunks : hunks.slice(index, index + 1);

export const newLines = ({ text }: Changes, hunk: LineHunk): readonly string[] => text.slice(hunk.start, end(hunk));

/** Returns the lines inside a hunk that are the user's, and those that are the agent's and the user's. */
export function userLines({ marks }: Changes, { start, count }: LineHunk): { mine: number[]; mixed: number[] } {
  const mine: number[] = [];
  const mixed: number[] = [];
  for (let line = start; line < start + count; line++) {
    if (marks[line] === "mine") mine.push(line);
    else if (isMixed(marks[line])) mixed.push(line);
  }
  return { mine, mixed };
}

/** Makes the hunk's new lines part of the base. */
export function accept(changes: Changes, index: number, choice: ConflictChoice = "mine"): Changes {
  const hunk = changes.hunks[index];
  return hunk ? settled(changes, hunk, chosenLines(changes, hunk.start, end(hunk), choice)) : changes;
}

/** Puts the hunk's old lines back into the text. The user's lines stay. */
export function reject(changes: Changes, index: number, mixed: MixedLines = "drop"): Changes {
  const hunk = changes.hunks[index];
  return hunk ? settled(changes, hunk, withoutAgent(changes, hunk, mixed)) : changes;
}

export function acceptAll(changes: Changes, choice: ConflictChoice = "mine"): Changes {
  const lines = chosenLines(changes, 0, changes.text.length, choice);
  return changesOf(lines, lines, unmarked(lines.length), []);
}

export function rejectAll(changes: Changes, mixed: MixedLines = "drop"): Changes {
  const lines: string[] = [];
  let from = 0;
  for (const hunk of changes.hunks) {
    append(lines, changes.text.slice(from, hunk.start));
    append(lines, withoutAgent(changes, hunk, mixed));
    from = end(hunk);
  }
  append(lines, changes.text.slice(from));
  return changesOf(lines, lines, unmarked(lines.length), []);
}

/** Like `toSpliced`, which takes the lines as arguments and fails on very long files. */
export const spliced = <T>(all: readonly T[], at: number, count: number, fresh: readonly T[]): T[] =>
  all.slice(0, at).concat(fresh, all.slice(at + count));

/** Like `push`, which takes the lines as arguments and fails on very many. */
export function append<T>(all: T[], more: readonly T[]): void {
  for (const one of more) all.push(one);
}

export const end = (hunk: LineHunk): number => hunk.start + hunk.count;

/**
 * Returns old lines together with those of the new ones that are kept, which stay in their places as far as these can
 * be told. Nothing is old where all new lines are kept.
 */
export function merged(
  old: readonly string[],
  fresh: readonly string[],
  isKept: (at: number) => boolean,
): readonly string[] {
  const kept = fresh.map((_, at) => isKept(at));
  if (!kept.includes(true)) return old;
  if (!kept.includes(false)) return fresh;
  const out: string[] = [];
  let next = 0;
  for (const [at, line] of fresh.entries()) {
    if (!kept[at]) continue;
    const place = oldPlace(at, fresh.length, old.length);
    append(out, old.slice(next, place));
    out.push(line);
    // Where each new line stands for an old one, the kept line stands for its own.
    next = Math.max(next, old.length === fresh.length ? place + 1 : place);
  }
  append(out, old.slice(next));
  return out;
}

/** Returns before which of the old lines a place before the new line `at` is. */
export function oldPlace(at: number, fresh: number, old: number): number {
  return at >= fresh ? old : Math.min(at, old);
}

/** Gives base and text the same lines in place of the hunk. */
function settled({ base, text, marks, pieces }: Changes, hunk: LineHunk, lines: readonly string[]): Changes {
  const [inBase, inText] = [lines.length - hunk.baseCount, lines.length - hunk.count];
  const before = pieces.filter((piece) => piece.baseStart < hunk.baseStart);
  const after = pieces.filter((piece) => piece.baseStart > hunk.baseStart + hunk.baseCount);
  return changesOf(
    spliced(base, hunk.baseStart, hunk.baseCount, lines),
    spliced(text, hunk.start, hunk.count, lines),
    spliced(marks, hunk.start, hunk.count, unmarked(lines.length)),
    before.concat(after.map((piece) => moved(piece, inBase, inText))),
  );
}

function withoutAgent(changes: Changes, hunk: LineHunk, mixed: MixedLines): readonly string[] {
  const { base, text, marks, pieces } = changes;
  if (mixed === "drop") return oldLines(changes, hunk);
  const lines: string[] = [];
  let from = hunk.start;
  for (const piece of pieces.filter(({ start }) => start >= hunk.start && start <= end(hunk))) {
    append(lines, text.slice(from, piece.start));
    const old = base.slice(piece.baseStart, piece.baseStart + piece.baseCount);
    const fresh = text.slice(piece.start, end(piece));
    append(
      lines,
      merged(old, fresh, (at) => isMixed(marks[piece.start + at])),
    );
    from = end(piece);
  }
  append(lines, text.slice(from, end(hunk)));
  return wholeLines(lines);
}

/** Returns the lines of the text from `from` to `to`, with the agent's own in place of the mixed ones, or below them. */
function chosenLines({ text, marks }: Changes, from: number, to: number, choice: ConflictChoice): readonly string[] {
  const present = text.slice(from, to);
  if (choice === "mine" || !marks.slice(from, to).some(isMixed)) return present;
  const lines: string[] = [];
  let below: string[] = [];
  for (const [at, line] of present.entries()) {
    const mark = marks[from + at];
    if (!isMixed(mark)) {
      append(lines, below);
      below = [];
      lines.push(line);
    } else if (choice === "agent") append(lines, mark.agent);
    else {
      lines.push(line);
      append(below, mark.agent);
    }
  }
  append(lines, below);
  return to === text.length ? wholeLines(lines) : endedLines(lines);
}

/** Ends each line but the last, which a text without a final line ending may have brought into the middle. */
function wholeLines(lines: readonly string[]): string[] {
  return endedLines(lines, lines.length - 1);
}

/** Ends the first `count` lines. */
function endedLines(lines: readonly string[], count = lines.length): string[] {
  const ending = endingOfLine(lines.find(isEnded) ?? "\n");
  return lines.map((line, at) => (at >= count || isEnded(line) ? line : line + ending));
}

/** Returns the distance of a line after these hunks from its line in the base. */
export const shiftOf = (hunks: readonly LineHunk[]): number =>
  hunks.reduce((sum, hunk) => sum + hunk.baseCount - hunk.count, 0);

/** Returns the line ending of a line; empty if it has none. */
export function endingOfLine(line: string): string {
  if (line.endsWith("\r\n")) return "\r\n";
  return isEnded(line) ? line.slice(-1) : "";
}

/** Returns the one ending of all lines; undefined if there is none, or several. */
export function commonEnding(lines: readonly string[]): string | undefined {
  let ending: string | undefined;
  for (const line of lines) {
    if (!isEnded(line)) continue;
    ending ??= endingOfLine(line);
    if (endingOfLine(line) !== ending) return undefined;
  }
  return ending;
}

export const isEnded = (line: string): boolean => line.endsWith("\n") || line.endsWith("\r");

/** Returns the old and the new lines of a hunk; undefined if there is no such hunk. */
function contents(changes: Changes, index: number): string | undefined {
  const hunk = changes.hunks[index];
  if (!hunk) return undefined;
  return JSON.stringify([oldLines(changes, hunk), changes.text.slice(hunk.start, hunk.start + hunk.count)]);
}
