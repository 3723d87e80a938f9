/** Changes one cell in the text of a Jupyter notebook (nbformat 4) and keeps every other byte. */

import { never } from "../../base/never.ts";
import { msg } from "../../l10n/l10n.ts";
import { applySplices, type TextSplice } from "../fuzzy-match/splices.ts";
import { plural } from "../text/text.ts";
import { ToolError } from "../tool.ts";
import { type CellType, type Notebook, parseNotebook, sourceLines, sourceOf } from "./cells.ts";
import { elementsOf, type JsonSpan, membersOf, rootOf } from "./json-spans.ts";

/** A cell's id, or its number from 0. */
export type CellRef = { id: string } | { number: number };

export type CellChange =
  | { mode: "replace"; cell: CellRef; source: string; type: CellType | undefined }
  /** Inserts at the beginning if `after` is undefined. */
  | { mode: "insert"; after: CellRef | undefined; source: string; type: CellType }
  | { mode: "delete"; cell: CellRef };

/** `done` is a sentence about the change. @throws ToolError if it is not a notebook or has no such cell */
export function changeCell(text: string, change: CellChange, name: string): { text: string; done: string } {
  const notebook = parseNotebook(text, name, "Change it with edit.");
  const unit = /\n([ \t]+)"/.exec(text)?.[1];
  const write = (value: unknown, depth: number) =>
    unit === undefined
      ? JSON.stringify(value)
      : JSON.stringify(value, null, unit).replaceAll("\n", `\n${unit.repeat(depth)}`);
  const edit = (splices: TextSplice[]) => applySplices(text, (index) => index, splices);
  const array = membersOf(text, rootOf(text)).get("cells") ?? { start: 0, end: 0 };
  const spans = elementsOf(text, array);
  switch (change.mode) {
    case "insert": {
      const index = change.after ? cellIndex(notebook, change.after, name) + 1 : 0;
      const cell = newCell(notebook, change.type, change.source);
      const done = `Cell ${index} of ${name} is new.`;
      const [first] = spans;
      if (!first) return { text: edit([{ ...array, text: write([cell], 1) }]), done };
      const between = unit === undefined ? ", " : `,\n${unit.repeat(2)}`;
      const before = spans[index - 1];
      const at = before?.end ?? first.start;
      const put = before ? between + write(cell, 2) : write(cell, 2) + between;
      return { text: edit([{ start: at, end: at, text: put }]), done };
    }
    case "delete": {
      const index = cellIndex(notebook, change.cell, name);
      return {
        text: edit([{ ...spanWithComma(array, spans, index), text: spans.length === 1 ? "[]" : "" }]),
        done: `Cell ${index} of ${name} is deleted.`,
      };
    }
    case "replace": {
      const index = cellIndex(notebook, change.cell, name);
      const old = notebook.cells[index];
      const span = spans[index] ?? array;
      const done = `Cell ${index} of ${name} is changed`;
      const type = change.type === old?.cell_type ? undefined : change.type;
      const before = old && sourceOf(old);
      if (type === undefined && before === change.source.replaceAll("\r\n", "\n")) {
        throw new ToolError(
          `Cell ${index} of ${name} already has this source: nothing to do.`,
          msg("The cell has this text already."),
        );
      }
      if (type !== undefined) {
        const cell = { ...newCell(notebook, type, change.source, old?.id), metadata: old?.metadata ?? {} };
        return { text: edit([{ ...span, text: write(cell, 2) }]), done: `${done}; it is ${type} now.` };
      }
      const values = new Map<string, unknown>([
        ["source", typeof old?.source === "string" ? change.source : sourceLines(change.source)],
      ]);
      if (old?.cell_type === "code") values.set("outputs", []).set("execution_count", null);
      const splices = [...membersOf(text, span)]
        .filter(([key]) => values.has(key))
        .map(([key, place]) => ({ ...place, text: write(values.get(key), 3) }))
        .sort((a, b) => a.start - b.start);
      return {
        text: edit(splices),
        done: old?.cell_type === "code" ? `${done}; its outputs are cleared.` : `${done}.`,
      };
    }
    default:
      return never(change);
  }
}

function cellIndex({ cells }: Notebook, cell: CellRef, name: string): number {
  const index = "id" in cell ? cells.findIndex(({ id }) => id === cell.id) : cell.number;
  if (index >= 0 && index < cells.length) return index;
  const ids = cells.map(({ id }) => id).filter((id) => id !== undefined);
  const known = ids.length === 0 ? "" : ` Ids: ${ids.slice(0, 50).join(", ")}${ids.length > 50 ? ", …" : ""}.`;
  const wanted = "id" in cell ? `with the id ${cell.id}` : String(cell.number);
  throw new ToolError(
    `${name} has no cell ${wanted}: it has ${plural(cells.length, "cell")}, numbered from 0.${known}`,
    msg("{0} has no such cell; the model tries again.", name),
  );
}

function newCell(notebook: Notebook, type: CellType, source: string, id = newId(notebook)): Record<string, unknown> {
  const isCode = type === "code";
  return {
    cell_type: type,
    ...(isCode && { execution_count: null }),
    ...(notebook.nbformat_minor >= 5 && { id }),
    metadata: {},
    ...(isCode && { outputs: [] }),
    source: sourceLines(source),
  };
}

function newId({ cells }: Notebook): string {
  const id = crypto.randomUUID().slice(0, 8);
  return cells.some((cell) => cell.id === id) ? crypto.randomUUID() : id;
}

/** Returns the cell with its comma; the whole array if it is the only cell. */
function spanWithComma(array: JsonSpan, spans: readonly JsonSpan[], index: number): JsonSpan {
  const cell = spans[index] ?? array;
  const before = spans[index - 1];
  const next = spans[index + 1];
  if (next) return { start: cell.start, end: next.start };
  return before ? { start: before.end, end: cell.end } : array;
}
