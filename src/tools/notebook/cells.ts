/** The cells of a Jupyter notebook (nbformat 4), and the changes between two versions of them. Pure. */

import * as z from "zod/mini";
import { msg } from "../../l10n/l10n.ts";
import { linesWithEnds } from "../fuzzy-match/splices.ts";
import { ToolError } from "../tool.ts";

export const CellType = z.enum(["code", "markdown", "raw"]);
export type CellType = z.infer<typeof CellType>;

const Output = z.looseObject({ output_type: z.string() });
export type CellOutput = z.infer<typeof Output>;

const Cell = z.looseObject({
  cell_type: CellType,
  id: z.optional(z.string()),
  source: z.union([z.string(), z.array(z.string())]),
  metadata: z.unknown(),
});
export type Cell = z.infer<typeof Cell>;

const Notebook = z.looseObject({ nbformat: z.literal(4), nbformat_minor: z.int(), cells: z.array(Cell) });
export type Notebook = z.infer<typeof Notebook>;

/** Returns undefined for any other text. */
export function tryNotebook(text: string): Notebook | undefined {
  try {
    return Notebook.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** @throws ToolError that says what is wrong and ends with `next` */
export function parseNotebook(text: string, name: string, next: string): Notebook {
  try {
    return Notebook.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof SyntaxError ? ` Its JSON is broken: ${error.message}.` : "";
    throw new ToolError(
      `${name} is not a Jupyter notebook of nbformat 4.${reason} ${next}`,
      msg("{0} is not a Jupyter notebook that can be edited.", name),
    );
  }
}

export const sourceOf = ({ source }: Cell): string => (Array.isArray(source) ? source.join("") : source);

/** Splits a source as Jupyter writes it. */
export function sourceLines(source: string): string[] {
  return linesWithEnds(source.replaceAll("\r\n", "\n")).filter((line) => line !== "");
}

/** Returns the outputs that can be shown; none for cells other than code. */
export function outputsOf(cell: Cell): CellOutput[] {
  const outputs = z.array(z.unknown()).safeParse(cell["outputs"]).data ?? [];
  return outputs.flatMap((output) => Output.safeParse(output).data ?? []);
}

/** Whether the cells differ in their source only. */
export function differsInSource(a: Cell, b: Cell): boolean {
  return fingerprint({ ...a, source: "" }) === fingerprint({ ...b, source: "" });
}

/** Returns a text that is equal for equal cells. The order of members does not count. */
export function fingerprint(cell: Cell): string {
  return JSON.stringify(sorted({ ...cell, source: sourceOf(cell), outputs: outputsOf(cell) }));
}

/** Returns everything but the cells. */
export function withoutCells({ cells: _, ...rest }: Notebook): Record<string, unknown> {
  return rest;
}

/** Whether both values are equal as JSON. The order of members does not count. */
export const isSameJson = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** Returns the value with the members of all objects in order. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}
