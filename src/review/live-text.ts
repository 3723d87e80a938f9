/** The text after a change: whole, or in a document of which only the changed lines are read. */
import { editedLines, type TextEdit } from "./edits.ts";
import { commonEnding, endingOfLine, isEnded, spliced } from "./hunks.ts";
import { splitLines } from "./line-diff.ts";

/** A document of an editor. Reading all of it costs milliseconds, which a key should not take. */
interface LiveText {
  /** An editor counts an empty line after the last line ending. */
  readonly lineCount: number;
  readonly ending: string;
  /** Returns a line without its ending. */
  line(at: number): string;
  read(): string;
}

export type NewText = string | LiveText;

export const linesOf = (text: NewText): string[] => splitLines(typeof text === "string" ? text : text.read());

/** Returns the lines after the edits if they are those of the text, else the text's. */
export function linesAfter(lines: readonly string[], edits: readonly TextEdit[], text: NewText): readonly string[] {
  const exact = edits.reduce<readonly string[]>((now, edit) => {
    const { from, to, lines: fresh } = editedLines(now, edit);
    return spliced(now, from, to - from, fresh);
  }, lines);
  return isText(exact, edits, text) ? exact : linesOf(text);
}

/** Whether the lines are those of the text. In a document only the lines of the edits are compared. */
export function isText(lines: readonly string[], edits: readonly TextEdit[], text: NewText): boolean {
  if (typeof text === "string") return lines.join("") === text;
  const last = lines.at(-1);
  if (text.lineCount !== lines.length + (last === undefined || isEnded(last) ? 1 : 0)) return false;
  // Without edits nothing tells which lines have changed.
  if (edits.length === 0) return lines.join("") === text.read();
  let grown = 0;
  for (const edit of [...edits].sort((a, b) => a.startLine - b.startLine)) {
    const breaks = splitLines(edit.text).filter(isEnded).length;
    const from = edit.startLine + grown;
    for (let at = from; at <= from + breaks; at++) {
      const line = lines[at] ?? "";
      if (line.slice(0, line.length - endingOfLine(line).length) !== text.line(at)) return false;
    }
    grown += breaks - (edit.endLine - edit.startLine);
  }
  return true;
}

export const endingOf = (text: NewText, lines: readonly string[]): string | undefined =>
  typeof text === "string" ? commonEnding(lines) : text.ending;
