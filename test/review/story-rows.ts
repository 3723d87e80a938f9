/** Lines of a `Story`, as text and by their words. */
import { type Changes, end, endingOfLine } from "../../src/review/hunks.ts";
import { splitLines } from "../../src/review/line-diff.ts";

export interface Row {
  indent: string;
  word: string;
  /** What the user has typed behind the word. */
  typed: string;
  /** What a formatter puts at the end. */
  semicolon: string;
  ending: string;
}

const lineOf = ({ indent, word, typed, semicolon, ending }: Row): string => indent + word + typed + semicolon + ending;
export const textOf = (rows: readonly Row[]): string => rows.map(lineOf).join("");
export const wordOf = (line: string): string => line.trim().split(/[ ;]/)[0] ?? "";
export const words = (text: string): string[] => splitLines(text).map(wordOf);

export function rowFrom(line: string): Row {
  const word = wordOf(line);
  const ending = endingOfLine(line);
  const indent = line.slice(0, line.indexOf(word));
  const rest = line.slice(indent.length + word.length, line.length - ending.length);
  const typed = rest.replace(/;$/, "");
  return { indent, word, typed, semicolon: rest.slice(typed.length), ending };
}

/** Returns the marks of the lines that are under review, by their words. */
export const marksByWord = ({ text, marks, pieces }: Changes): Map<string, Changes["marks"][number]> =>
  new Map(
    pieces.flatMap((piece) =>
      text.slice(piece.start, end(piece)).map((line, at) => [wordOf(line), marks[piece.start + at]] as const),
    ),
  );
