/**
 * A Jupyter notebook as lines, for comparing it cell by cell: the first holds what is not in cells, and each other one a
 * cell. Two notebooks that say the same have the same lines, whichever program wrote them. Pure.
 */
import * as z from "zod/mini";
import { type Cell, sorted, sourceLines, sourceOf, tryNotebook, withoutCells } from "./cells.ts";
import { elementsOf, membersOf, rootOf } from "./json-spans.ts";

/** Returns undefined if the text is no notebook of nbformat 4. */
export function cellLines(text: string): string | undefined {
  const notebook = tryNotebook(text);
  if (!notebook) return undefined;
  return [header(withoutCells(notebook)), ...notebook.cells.map(cellLine)].join("");
}

/** Whether a text is one that `cellLines` returned. */
export function areCellLines(text: string): boolean {
  const end = text.indexOf("\n");
  return end > 0 && text.startsWith("{") && tryNotebook(`${text.slice(0, end - 1)},"cells":[]}`) !== undefined;
}

/** Returns the number of the cell in a line, from 0; undefined for the line that is no cell. */
export const cellOfLine = (line: number): number | undefined => (line > 0 ? line - 1 : undefined);

export const lineOfCell = (cell: number): number => cell + 1;

/** Returns the source of the cell in a line, for people; the line itself for one that is no cell. */
export function shownLine(line: string): string {
  const cell = parsedLine(line);
  return cell ? `${sourceOf(cell).replace(/\n?$/, "\n")}` : line;
}

/**
 * Returns the notebook that has these lines. Cells that `present` has, too, keep their bytes there; others are written
 * with its indentation. `present`: any text, or undefined for none.
 */
export function notebookOfLines(lines: string, present: string | undefined): string {
  if (present !== undefined && cellLines(present) === lines) return present;
  const [head = "{}", ...rest] = lines.split("\n").filter((line) => line !== "");
  const kept = present === undefined ? undefined : bytesOf(present);
  const unit = kept?.unit ?? " ";
  const cells = rest.map((line) => {
    const bytes = kept?.cells.get(`${line}\n`);
    if (bytes !== undefined) return bytes;
    const cell = parsedLine(line);
    const value = sorted(cell ? { ...cell, source: sourceLines(sourceOf(cell)) } : {});
    return indented(JSON.stringify(value, null, unit), unit, 2);
  });
  if (kept && kept.head === `${head}\n`) return kept.before + array(cells, unit) + kept.after;
  const members = Object.entries(z.record(z.string(), z.unknown()).parse(JSON.parse(head))).map(
    ([name, value]) => `${JSON.stringify(name)}: ${indented(JSON.stringify(value, null, unit), unit, 1)}`,
  );
  const all = [`"cells": ${array(cells, unit)}`, ...members];
  return `{\n${all.map((member) => `${unit}${member}`).join(",\n")}\n}\n`;
}

interface NotebookBytes {
  unit: string;
  head: string;
  /** By line. */
  cells: ReadonlyMap<string, string>;
  /** The text before and after the array of cells. */
  before: string;
  after: string;
}

function bytesOf(text: string): NotebookBytes | undefined {
  const notebook = tryNotebook(text);
  const span = notebook && membersOf(text, rootOf(text)).get("cells");
  if (!span) return undefined;
  const spans = elementsOf(text, span);
  const cells = notebook.cells.map((cell, at) => {
    const { start, end } = spans[at] ?? span;
    return [cellLine(cell), text.slice(start, end)] as const;
  });
  return {
    unit: /\n([ \t]+)"/.exec(text)?.[1] ?? " ",
    head: header(withoutCells(notebook)),
    cells: new Map(cells),
    before: text.slice(0, span.start),
    after: text.slice(span.end),
  };
}

function array(cells: readonly string[], unit: string): string {
  if (cells.length === 0) return "[]";
  return `[\n${cells.map((cell) => unit.repeat(2) + cell).join(",\n")}\n${unit}]`;
}

const indented = (json: string, unit: string, depth: number): string =>
  json.replaceAll("\n", `\n${unit.repeat(depth)}`);

function parsedLine(line: string): Cell | undefined {
  const notebook = tryNotebook(`{"nbformat":4,"nbformat_minor":5,"cells":[${line}]}`);
  return notebook?.cells[0];
}

const AddedLanguage = z.strictObject({ name: z.string() });

function header(rest: Record<string, unknown>): string {
  const metadata = z.record(z.string(), z.unknown()).safeParse(rest["metadata"]).data ?? {};
  const { language_info: language, ...others } = metadata;
  // VS Code adds the language to a notebook that names none.
  const isAdded = !("kernelspec" in metadata) && AddedLanguage.safeParse(language).success;
  return line({ ...rest, metadata: isAdded ? others : metadata });
}

function cellLine(cell: Cell): string {
  const { outputs } = cell;
  return line({
    ...cell,
    source: sourceOf(cell),
    ...(Array.isArray(outputs) && { outputs: outputs.map(joinedTexts) }),
  });
}

const line = (value: unknown): string => `${JSON.stringify(sorted(value))}\n`;

/** Programs write texts of outputs as strings or as lists of lines. */
function joinedTexts(output: unknown): unknown {
  const Output = z.looseObject({});
  const { text, data, ...rest } = Output.safeParse(output).data ?? {};
  const pieces = Output.safeParse(data).data;
  const joinedData =
    pieces && Object.fromEntries(Object.entries(pieces).map(([mime, value]) => [mime, joinedText(value)]));
  return {
    ...rest,
    ...(text !== undefined && { text: joinedText(text) }),
    ...(joinedData && { data: joinedData }),
  };
}

function joinedText(value: unknown): unknown {
  const lines = z.array(z.string()).safeParse(value).data;
  return lines ? lines.join("") : value;
}
