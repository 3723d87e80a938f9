/** Open Jupyter notebooks: their text as VS Code would save it, and changes that go through their cells. */
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import * as z from "zod/mini";
import { differences } from "../../review/line-diff.ts";
import {
  type Cell,
  type CellOutput,
  differsInSource,
  fingerprint,
  isSameJson,
  outputsOf,
  parseNotebook,
  sourceOf,
  withoutCells,
} from "../../tools/notebook/cells.ts";
import { ToolError } from "../../tools/tool.ts";
import { lineEdits, lineFeeds, withFile } from "./documents.ts";

/** What VS Code's own extension for Jupyter notebooks offers to others. */
const Exporter = z.object({
  exportNotebook: z.custom<(notebook: vscode.NotebookData) => Promise<string>>((value) => typeof value === "function"),
});

/** Returns the open Jupyter notebook of `file` (absolute, links resolved). */
export async function findNotebook(file: string): Promise<vscode.NotebookDocument | undefined> {
  const open = vscode.workspace.notebookDocuments.filter(
    ({ notebookType, uri, isClosed }) => notebookType === "jupyter-notebook" && uri.scheme === "file" && !isClosed,
  );
  return open.length === 0 ? undefined : await withFile(open, file);
}

/** Returns the text that saving the notebook would write. @throws ToolError without the extension that writes it */
export async function notebookText(notebook: vscode.NotebookDocument): Promise<string> {
  const exporter = Exporter.safeParse(await vscode.extensions.getExtension("vscode.ipynb")?.activate()).data;
  if (!exporter) {
    const name = vscode.workspace.asRelativePath(notebook.uri);
    throw new ToolError(`${name} has unsaved cells, which only VS Code's extension "ipynb" can read: it is disabled.`);
  }
  const data = new vscode.NotebookData(notebook.getCells().map(dataOf));
  data.metadata = notebook.metadata;
  return await exporter.exportNotebook(data);
}

/**
 * Changes the cells that differ between the texts, in one undo step, and does not save. Other cells keep their unsaved
 * changes, outputs and selections.
 * @returns false if the notebook has changed meanwhile, or VS Code refused
 * @throws ToolError if `after` is no notebook
 */
export async function putNotebook(
  notebook: vscode.NotebookDocument,
  before: string,
  after: string,
  name: string,
): Promise<boolean> {
  const next = "It is open in the editor, so nothing was changed. Use notebook_edit.";
  const from = parseNotebook(before, name, next);
  const to = parseNotebook(after, name, next);
  if (!holds(notebook, from.cells)) return false;
  const edit = new vscode.WorkspaceEdit();
  const cellEdits: vscode.NotebookEdit[] = [];
  const language = codeLanguage(notebook);
  // From the bottom up: VS Code applies them in order, and each moves the cells behind it.
  const changes = differences(from.cells.map(fingerprint), to.cells.map(fingerprint)).reverse();
  for (const { baseStart, baseCount, start, count } of changes) {
    const old = from.cells.slice(baseStart, baseStart + baseCount);
    const fresh = to.cells.slice(start, start + count);
    if (old.length === fresh.length && old.every((cell, i) => fresh[i] && differsInSource(cell, fresh[i]))) {
      // So the cursor stays where it is.
      fresh.forEach((cell, i) => {
        const { document } = notebook.cellAt(baseStart + i);
        edit.set(document.uri, lineEdits(document, sourceOf(cell)));
      });
      continue;
    }
    const range = new vscode.NotebookRange(baseStart, baseStart + baseCount);
    const data = fresh.map((cell) => toCellData(cell, language));
    cellEdits.push(vscode.NotebookEdit.replaceCells(range, data));
  }
  const rest = withoutCells(to);
  if (!isSameJson(withoutCells(from), rest)) {
    cellEdits.push(vscode.NotebookEdit.updateNotebookMetadata({ ...notebook.metadata, ...rest }));
  }
  if (cellEdits.length > 0) edit.set(notebook.uri, cellEdits);
  // `edit.size` does not count changes of cells.
  const isEmpty = edit.size === 0 && cellEdits.length === 0;
  return isEmpty || (await vscode.workspace.applyEdit(edit));
}

/** Number of attempts to save, and the time between them. */
const maxSaves = 5;
const savePauseMs = 200;

/**
 * Saves the notebook. VS Code's extension for notebooks may correct the metadata of changed cells at the same time, which
 * makes the notebook unsaved again.
 * @returns whether everything is saved
 */
export async function saveNotebook(notebook: vscode.NotebookDocument): Promise<boolean> {
  for (let saves = 0; saves < maxSaves && notebook.isDirty; saves++) {
    if (saves > 0) await wait(savePauseMs);
    await notebook.save();
  }
  return !notebook.isDirty;
}

/** Whether the notebook has these cells, apart from outputs and metadata, which VS Code writes in its own way. */
function holds(notebook: vscode.NotebookDocument, cells: readonly Cell[]): boolean {
  return (
    notebook.cellCount === cells.length &&
    cells.every((cell, index) => lineFeeds(notebook.cellAt(index).document.getText()) === lineFeeds(sourceOf(cell)))
  );
}

function codeLanguage(notebook: vscode.NotebookDocument): string {
  const code = notebook.getCells().find(({ kind }) => kind === vscode.NotebookCellKind.Code);
  return code?.document.languageId ?? "python";
}

function dataOf(cell: vscode.NotebookCell): vscode.NotebookCellData {
  const data = new vscode.NotebookCellData(cell.kind, cell.document.getText(), cell.document.languageId);
  data.outputs = [...cell.outputs];
  data.metadata = cell.metadata;
  if (cell.executionSummary) data.executionSummary = cell.executionSummary;
  return data;
}

// Makes cells of VS Code from those of a Jupyter notebook. The members are those that VS Code's own extension `vscode.ipynb`
// reads and writes (`extensions/ipynb/src/deserializers.ts` and `serializers.ts` in microsoft/vscode).

const Text = z.union([z.string(), z.array(z.string())]);
const Stream = z.object({ name: z.optional(z.string()), text: Text });
const Failure = z.object({ ename: z.string(), evalue: z.string(), traceback: z.array(z.string()) });
const Data = z.object({ data: z.record(z.string(), z.unknown()) });
const Language = z.object({ vscode: z.object({ languageId: z.string() }) });

/** `language`: of code cells that name none. */
function toCellData(cell: Cell, language: string): vscode.NotebookCellData {
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
