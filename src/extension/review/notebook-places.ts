/** The cursor in notebooks, and cells under review in an editor. Lines are those of the review: one for each cell. */
import * as vscode from "vscode";
import type { LineHunk } from "../../review/line-diff.ts";
import { cellOfLine, lineOfCell } from "../../tools/notebook/cell-lines.ts";

/** Returns the line of the selected cell; undefined if the notebook's editor is not active. */
export function cellAtCursor(uri: vscode.Uri): { line: number } | undefined {
  const editor = vscode.window.activeNotebookEditor;
  if (editor?.notebook.uri.toString() !== uri.toString()) return undefined;
  return { line: lineOfCell(editor.selection.start) };
}

/** Opens the notebook with the cells of the hunk selected. */
export async function showCells(uri: vscode.Uri, hunk: LineHunk): Promise<void> {
  const notebook = await vscode.workspace.openNotebookDocument(uri);
  const last = Math.max(0, notebook.cellCount - 1);
  const first = Math.min(cellOfLine(hunk.start) ?? 0, last);
  const range = new vscode.NotebookRange(first, Math.min(first + Math.max(1, hunk.count), last + 1));
  const shown = vscode.window.visibleNotebookEditors.find((one) => one.notebook === notebook);
  const options = { selections: [range], ...(shown?.viewColumn && { viewColumn: shown.viewColumn }) };
  const editor = await vscode.window.showNotebookDocument(notebook, options);
  editor.revealRange(range, vscode.NotebookEditorRevealType.InCenterIfOutsideViewport);
}
