import * as z from "zod/mini";
import { msg } from "../../l10n/l10n.ts";
import { openTarget, planChange } from "../editing/plan-change.ts";
import { requireRead } from "../file-access/file-checks.ts";
import { CellType } from "../notebook/cells.ts";
import { type CellChange, type CellRef, changeCell } from "../notebook/change-cell.ts";
import { defineTool, ToolError } from "../tool.ts";

const input = z.object({
  notebook_path: z.string().check(z.minLength(1)),
  cell_id: z.optional(z.string()),
  cell_number: z.optional(z.int().check(z.gte(0))).check(z.describe("From 0, instead of cell_id")),
  new_source: z.optional(z.string()),
  cell_type: z.optional(CellType),
  edit_mode: z.optional(z.enum(["replace", "insert", "delete"])),
});

export const notebookEdit = defineTool({
  name: "notebook_edit",
  sideEffect: "mutating",
  description:
    "Replaces or deletes a cell of a Jupyter notebook, or inserts one after it (without a cell: as the first). Clears the outputs of a changed cell.",
  input,
  async prepare(wish, context) {
    const change = changeOf(wish);
    const target = await openTarget(wish.notebook_path, false, context);
    // A cell is named, not quoted.
    if (target.before && change.mode !== "insert") requireRead(target.before, context.seen, `${change.mode} the cell`);
    const { text, done } = changeCell(target.before?.text ?? "", change, target.location.relative);
    return planChange(target, text, done, context);
  },
});

function changeOf({ cell_id, cell_number, new_source, cell_type, edit_mode }: z.infer<typeof input>): CellChange {
  let cell: CellRef | undefined;
  if (cell_id !== undefined) cell = { id: cell_id };
  else if (cell_number !== undefined) cell = { number: cell_number };
  if (edit_mode === "insert" && new_source !== undefined)
    return { mode: edit_mode, after: cell, source: new_source, type: cell_type ?? "code" };
  if (!cell)
    throw new ToolError(
      "Name the cell: give cell_id or cell_number.",
      msg("The edit names no cell; the model tries again."),
    );
  if (edit_mode === "delete") return { mode: edit_mode, cell };
  if (new_source === undefined)
    throw new ToolError("new_source is missing.", msg("The edit has no text; the model tries again."));
  return { mode: "replace", cell, source: new_source, type: cell_type };
}
