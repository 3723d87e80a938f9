/** Matches lines despite differences in white space and typography. Pure, and bounded in time. */
import type { MatchAnchor } from "./anchor.ts";
import { findShift, type IndentPair, type IndentShift, indentOf } from "./indentation.ts";
import type { LineIndex } from "./line-index.ts";
import { findAround, foldTypography, headEnd, tailStart } from "./typography.ts";

export interface MatchTolerance {
  /** The white space that may differ: none, at line ends, or at line ends and as indentation. */
  space: "same" | "trailing" | "indent";
  folded: boolean;
}

export interface LooseMatch {
  start: number;
  end: number;
  starts: number[];
  /** The shift of the replacement's indentation; undefined for none. */
  shift: IndentShift | undefined;
  /** Whether the match begins within a line or after its indentation, so that its first line is not shifted. */
  startsMidLine: boolean;
}

interface LooseSearch {
  lines: LineIndex;
  wanted: readonly string[];
  /** The indentation of each line of the replacement. */
  others: readonly string[];
  anchor: MatchAnchor;
  mode: MatchTolerance;
}

/** Returns the matches in order; they may overlap. */
export function matchesAt(search: LooseSearch): LooseMatch[] {
  const { lines, wanted, anchor } = search;
  const places: LooseMatch[] = [];
  let last = -1;
  for (const at of anchor.places) {
    const first = lines.lineOf(at) - anchor.line;
    // Several lines need only one comparison for each first line.
    if (first < 0 || (wanted.length > 1 && first === last)) continue;
    last = first;
    const place = wanted.length === 1 ? matchSingleLine(search, first, at) : matchLines(search, first);
    if (place) places.push(place);
  }
  return places;
}

function matchSingleLine(search: LooseSearch, line: number, at: number): LooseMatch | undefined {
  const { lines, others, anchor, mode } = search;
  const [wanted = ""] = search.wanted;
  const { text } = lines;
  const head = mode.space === "indent" ? indentOf(wanted) : "";
  const body = mode.space === "same" ? wanted : trimBlanksEnd(wanted.slice(head.length));
  const found = findAround(text, at, { wanted: body, offset: anchor.column - head.length, folded: mode.folded });
  if (!found) return undefined;
  let { start, end } = found;
  if (head.length + body.length < wanted.length) {
    // The wanted text ends with white space, so the line must end here.
    end = lines.end(line);
    if (!isBlank(text.slice(found.end, end))) return undefined;
  }
  if (mode.space !== "indent") return { start, end, starts: [start], shift: undefined, startsMidLine: true };
  if (head === "") return undefined;
  start = lines.start(line);
  const there = text.slice(start, found.start);
  const shift = isBlank(there) ? findShift([[head, there]], others) : undefined;
  return shift && { start, end, starts: [start], shift, startsMidLine: false };
}

function matchLines({ lines, wanted, others, mode }: LooseSearch, first: number): LooseMatch | undefined {
  const last = wanted.length - 1;
  if (first + last >= lines.count) return undefined;
  for (let index = 1; index < last; index++) {
    if (!isAlike(lines.at(first + index), wanted[index] ?? "", mode)) return undefined;
  }
  const begin = startInLine(lines.at(first), wanted[0] ?? "", mode);
  const end = endInLine(lines.at(first + last), wanted[last] ?? "", mode);
  if (!begin || end === undefined) return undefined;
  const starts = wanted.map((_, index) => lines.start(first + index));
  const place = { end: lines.start(first + last) + end, starts };
  const at = (column: number) => {
    const start = lines.start(first) + column;
    starts[0] = start;
    return { ...place, start };
  };
  if (mode.space !== "indent") return { ...at(begin.column), shift: undefined, startsMidLine: true };
  const pairs: IndentPair[] = wanted
    .map((line, index) => [line, lines.at(first + index)] as const)
    .filter(([line], index) => index > 0 && !isBlank(line))
    .map(([line, there]) => [indentOf(line), indentOf(there)]);
  const head = indentOf(wanted[0] ?? "");
  if (begin.whole) {
    const shift = findShift([[head, indentOf(lines.at(first))], ...pairs], others);
    if (shift) return { ...at(0), shift, startsMidLine: false };
    // Text copied from its first word on says nothing about the indentation.
    if (head !== "") return undefined;
  }
  const shift = findShift(pairs, others);
  return shift && { ...at(begin.column), shift, startsMidLine: true };
}

function isAlike(there: string, wanted: string, { space, folded }: MatchTolerance): boolean {
  if (!folded && space === "same") return there === wanted;
  const a = folded ? foldTypography(there) : there;
  const b = folded ? foldTypography(wanted) : wanted;
  if (space === "same") return a === b;
  return space === "trailing" ? trimBlanksEnd(a) === trimBlanksEnd(b) : bodyOf(a) === bodyOf(b);
}

/** Returns where the first wanted line begins in a line that ends with it, and whether it is the line's whole text. */
function startInLine(there: string, wanted: string, { space, folded }: MatchTolerance) {
  if (wanted === "") return { column: there.length, whole: false };
  if (isBlank(wanted)) return isBlank(there) && space !== "same" ? { column: 0, whole: false } : undefined;
  if (space === "same") return partOfLine(tailStart(there, wanted, folded));
  if (space === "trailing") return partOfLine(tailStart(trimBlanksEnd(there), trimBlanksEnd(wanted), folded));
  const head = indentOf(there).length;
  const column = tailStart(trimBlanksEnd(there), bodyOf(wanted), folded);
  if (column === head) return { column, whole: true };
  return indentOf(wanted) === "" ? partOfLine(column) : undefined;
}

function partOfLine(column: number | undefined): { column: number; whole: false } | undefined {
  return column === undefined ? undefined : { column, whole: false };
}

/** Returns where the last wanted line ends in a line that starts with it. */
function endInLine(there: string, wanted: string, { space, folded }: MatchTolerance): number | undefined {
  if (wanted === "" || space === "same") return headEnd(there, wanted, folded);
  if (isBlank(wanted)) return undefined;
  const body = space === "indent" ? bodyOf(wanted) : trimBlanksEnd(wanted);
  const head = space === "indent" ? indentOf(there).length : 0;
  const length = headEnd(there.slice(head), body, folded);
  if (length === undefined || trimBlanksEnd(wanted) === wanted) return length === undefined ? undefined : head + length;
  return isBlank(there.slice(head + length)) ? there.length : undefined;
}

function bodyOf(line: string): string {
  return trimBlanksEnd(line.slice(indentOf(line).length));
}

export function trimBlanksEnd(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t")) end--;
  return line.slice(0, end);
}

export function isBlank(line: string): boolean {
  return trimBlanksEnd(line) === "";
}
