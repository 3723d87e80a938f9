/** Error messages for text that was not found: the nearest lines and how they differ. */
import { countLines, cutLine, numbered, plural, splitLines } from "../text/text.ts";
import { LineIndex } from "./line-index.ts";
import { findNearest, type NearestLines } from "./nearest.ts";
import { hasLineNumbers } from "./wordings.ts";

const shownLines = 30;
const shownCharacters = 500;

/** `begin` says what was not found. Does not quote a file that the model has not read: nobody allowed reading it. */
/** What people read in its place. */
export const notFoundWords = "The text was not found; the model tries again.";

export function describeMiss(begin: string, text: string, wanted: string, isKnown: boolean): string {
  const sentences = [begin];
  const isNumbered = hasLineNumbers(wanted.replaceAll("\r\n", "\n"));
  if (isNumbered) sentences.push("It begins with line numbers, which are no part of the file: leave them out.");
  const sought = isNumbered ? wanted.replace(/^ *\d+[\t\u2192]/gm, "") : wanted;
  const lines = new LineIndex(text);
  const near = findNearest(lines, sought);
  if (near) sentences.push(describeNearest(near));
  if (!isKnown) return [...sentences, "You have not read this file: read it first."].join(" ");
  if (!near) {
    return [...sentences, `Nothing like it is among its ${plural(countLines(text), "line")}: read it again.`].join(" ");
  }
  const there = splitLines(text.slice(lines.start(near.first - 1), lines.end(near.last - 1)));
  const shown = there
    .slice(0, shownLines)
    .map((line, index) => numbered(cutLine(line, shownCharacters), near.first + index));
  const difference = firstDifference(there, splitLines(sought), near);
  return `${sentences.join(" ")} The file reads there:\n${shown.join("\n")}\n${difference}Copy the text exactly, tabs and spaces too.`;
}

function describeNearest({ first, last, onlyWhiteSpace }: NearestLines): string {
  const isOne = first === last;
  const place = isOne ? `Line ${first}` : `Lines ${first}–${last}`;
  if (onlyWhiteSpace) return `${place} ${isOne ? "differs" : "differ"} from it only in white space.`;
  return `${place} ${isOne ? "is" : "are"} the nearest.`;
}

function firstDifference(there: readonly string[], wanted: readonly string[], near: NearestLines): string {
  const at = wanted.findIndex((line, index) => !isPartOf(line, there[index], index, wanted.length));
  if (at < 0) return "";
  const is = there[at];
  const was = wanted[at] ?? "";
  if (is === undefined) return `It has no line like this one of yours:\n${cutLine(was, shownCharacters)}\n`;
  const isShort = is.length + was.length < 10_000;
  const isSpace = isShort && is.replace(/\s+/g, "") === was.replace(/\s+/g, "");
  const show = (line: string) => cutLine(isSpace ? showWhiteSpace(line) : line, shownCharacters);
  const key = isSpace ? " (→ is a tab, · a space)" : "";
  return `Line ${near.first + at} is the first that differs${key}. In the file, then in yours:\n${show(is)}\n${show(was)}\n`;
}

/** Lets the first line begin within a line, and the last end within one. */
function isPartOf(line: string, there: string | undefined, index: number, count: number): boolean {
  if (there === undefined) return false;
  if (count === 1) return there.includes(line);
  if (index === 0) return there.endsWith(line);
  return index === count - 1 ? there.startsWith(line) : there === line;
}

function showWhiteSpace(line: string): string {
  return line
    .replaceAll("\t", "→")
    .replaceAll(" ", "·")
    .replace(/[^\S\n]/g, (space) => `<U+${space.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`);
}
