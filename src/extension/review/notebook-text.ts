/** Texts of notebooks as their review sees them: a line for each cell, so that cells are accepted and rejected. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import type { HunkLines } from "../../review/decisions.ts";
import { areCellLines, cellLines, notebookOfLines, shownLine } from "../../tools/notebook/cell-lines.ts";
import { findNotebook, notebookText, putNotebook, saveNotebook } from "../host/notebooks.ts";

export const isNotebook = (uri: vscode.Uri): boolean => uri.path.endsWith(".ipynb");

/** Returns the text that the review compares. It is the text itself for a file that is no notebook, or a broken one. */
export function reviewText(uri: vscode.Uri, text: string): string {
  return isNotebook(uri) ? (cellLines(text) ?? text) : text;
}

/** Returns the text of a file for a text of its review. `present`: its present text, of which equal cells keep their bytes. */
export function fileText(uri: vscode.Uri, text: string, present: string | undefined): string {
  return isNotebook(uri) && areCellLines(text) ? notebookOfLines(text, present) : text;
}

/** Returns the hunks of a decision with the sources of cells in place of their lines. */
export function shownHunks(uri: vscode.Uri, hunks: HunkLines[]): HunkLines[] {
  if (!isNotebook(uri)) return hunks;
  return hunks.map(({ start, oldLines, newLines }) => ({
    start,
    oldLines: oldLines.map(shownLine),
    newLines: newLines.map(shownLine),
  }));
}

/** Returns the text of an open notebook with unsaved cells; undefined if there is none. */
export async function unsavedNotebook(uri: vscode.Uri): Promise<string | undefined> {
  const notebook = isNotebook(uri) ? await findNotebook(uri.fsPath) : undefined;
  return notebook?.isDirty ? await notebookText(notebook) : undefined;
}

/**
 * Changes the cells of an open notebook, in one undo step, and saves it if it had no unsaved cells.
 * @returns false if the file is not open as a notebook
 * @throws Error if the change cannot be made or saved
 */
export async function writeNotebook(uri: vscode.Uri, present: string, text: string): Promise<boolean> {
  const notebook = isNotebook(uri) ? await findNotebook(uri.fsPath) : undefined;
  if (!notebook) return false;
  const save = !notebook.isDirty;
  if (!(await putNotebook(notebook, present, text, vscode.workspace.asRelativePath(uri)))) {
    throw new Error(t("VS Code refused the edit."));
  }
  if (save && !(await saveNotebook(notebook))) throw new Error(t("it could not be saved."));
  return true;
}
