/**
 * Makes cells of VS Code from those of a Jupyter notebook. The members are those that VS Code's own extension `vscode.ipynb`
 * reads and writes (`extensions/ipynb/src/deserializers.ts` and `serializers.ts` in microsoft/vscode).
 */
import * as vscode from "vscode";
import * as z from "zod/mini";
import { type Cell, type CellOutput, outputsOf, sourceOf } from "../../tools/notebook/cells.ts";

const Text = z.union([z.string(), z.array(z.string())]);
const Stream = z.object({ name: z.optional(z.string()), text: Text });
const Failure = z.object({ ename: z.string(), evalue: z.string(), traceback: z.array(z.string()) });
const Data = z.object({ data: z.record(z.string(), z.unknown()) });
const Language = z.object({ vscode: z.object({ languageId: z.string() }) });

/** `language`: of code cells that name none. */
export function toCellData(cell: Cell, language: string): vscode.NotebookCellData {
  const { cell_type: type, id, metadata, attachments, execution_count: count } = cell;
  const isCode = type === "code";
  const kind = type === "markdown" ? vscode.NotebookCellKind.Markup : vscode.NotebookCellKind.Code;
  const own = Language.safeParse(metadata).data?.vscode.languageId ?? language;
  const data = new vscode.NotebookCellData(kind, sourceOf(cell), isCode ? own : type);
  data.outputs = isCode ? outputsOf(cell).map(toOutput) : [];
  data.metadata = {
    ...(isCode && { execution_count: typeof count === "number" ? count : null }),
    ...(metadata !== undefined && { metadata }),
    ...(id !== undefined && { id }),
    ...(attachments !== undefined && { attachments }),
  };
  if (isCode && typeof count === "number" && count > 0) data.executionSummary = { executionOrder: count };
  return data;
}

function toOutput(output: CellOutput): vscode.NotebookCellOutput {
  const { output_type: outputType, execution_count: executionCount, metadata = {}, transient } = output;
  const known = { outputType, ...(transient !== undefined && { transient }) };
  const stream = Stream.safeParse(output).data;
  if (outputType === "stream" && stream) {
    const { NotebookCellOutputItem: Item } = vscode;
    const text = joined(stream.text);
    return new vscode.NotebookCellOutput([stream.name === "stderr" ? Item.stderr(text) : Item.stdout(text)], known);
  }
  const failure = Failure.safeParse(output).data;
  if (outputType === "error" && failure) {
    const error = { name: failure.ename, message: failure.evalue, stack: failure.traceback.join("\n") };
    return new vscode.NotebookCellOutput([vscode.NotebookCellOutputItem.error(error)], {
      ...known,
      originalError: output,
    });
  }
  const data = Data.safeParse(output).data?.data ?? {};
  const items = Object.entries(data).map(([mime, value]) => toItem(mime, value));
  return new vscode.NotebookCellOutput(items, { ...known, executionCount, metadata });
}

function toItem(mime: string, value: unknown): vscode.NotebookCellOutputItem {
  const text = Text.safeParse(value).data;
  if (text === undefined || mime === "application/json") return vscode.NotebookCellOutputItem.json(value, mime);
  const isBinary = mime.startsWith("image/") && mime !== "image/svg+xml";
  if (!isBinary) return vscode.NotebookCellOutputItem.text(joined(text), mime);
  return new vscode.NotebookCellOutputItem(Buffer.from(joined(text), "base64"), mime);
}

const joined = (text: string | string[]): string => (Array.isArray(text) ? text.join("") : text);
