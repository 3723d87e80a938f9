/** Finds the hunk that a command is about, and shows hunks in an editor. */
import * as vscode from "vscode";
import * as z from "zod/mini";
import { t } from "../../l10n/l10n.ts";
import { userLines } from "../../review/hunks.ts";
import type { LineHunk } from "../../review/line-diff.ts";
import { cellOfLine, lineOfCell } from "../../tools/notebook/cell-lines.ts";
import { exists } from "../host/documents.ts";
import { agentUri, beforeUri, fileUri, isBefore, nothingUri } from "./baseline-provider.ts";
import { isNotebook } from "./notebook-text.ts";
import type { Review } from "./review.ts";

export interface HunkPlace {
  uri: vscode.Uri;
  index: number;
}

/** Lines from `start` on, as many as `count`. */
type Lines = Pick<LineHunk, "start" | "count">;

/** Returns the index of the line's hunk. Removed lines belong to both lines between which they were. */
export function hunkAt(hunks: readonly Lines[], line: number): number | undefined {
  const inside = hunks.findIndex(({ start, count }) => line >= start && line < start + count);
  if (inside >= 0) return inside;
  const beside = hunks.findIndex(({ start, count }) => count === 0 && (line === start || line === start - 1));
  return beside >= 0 ? beside : undefined;
}

const oldSide = ({ baseStart, baseCount }: LineHunk): Lines => ({ start: baseStart, count: baseCount });

export const firstLine = (hunk: LineHunk, document: vscode.TextDocument): number =>
  Math.min(hunk.start, document.lineCount - 1);

/** Returns the hunk at the cursor of an editor, which may be either side of a diff. */
export function hunkAtCursor(review: Review, { document, selection }: vscode.TextEditor): HunkPlace | undefined {
  const uri = fileUri(document.uri);
  const changes = review.changes(uri);
  const { line } = selection.active;
  const index = changes && hunkAt(isBefore(document.uri) ? changes.hunks.map(oldSide) : changes.hunks, line);
  return index === undefined ? undefined : { uri, index };
}

/** Whether the user has changed lines of the agent's in the hunk. */
export function isConflict(review: Review, { uri, index }: HunkPlace): boolean {
  const changes = review.changes(uri);
  const hunk = changes?.hunks[index];
  return changes !== undefined && hunk !== undefined && userLines(changes, hunk).mixed.length > 0;
}

/** Finds the hunk by file, index and first line; without arguments, the one at the cursor. */
export function placeOf(review: Review, [file, which, start]: unknown[]): HunkPlace | undefined {
  const uri = uriOf(file);
  const changes = uri && review.changes(uri);
  if (!uri || !changes) return undefined;
  if (typeof which === "number") {
    const hunk = changes.hunks[which];
    return hunk && (start === undefined || hunk.start === start) ? { uri, index: which } : undefined;
  }
  const line = lineOf(file) ?? peekedLine(which, start);
  if (line !== undefined) {
    const index = hunkAt(changes.hunks, line);
    return index === undefined ? undefined : { uri, index };
  }
  if (isNotebook(uri)) {
    const index = hunkAt(changes.hunks, cursorLine(uri));
    return index === undefined ? undefined : { uri, index };
  }
  const editor = editorOf(uri);
  return editor && hunkAtCursor(review, editor);
}

/** Returns the line of the review's text at the cursor. That of a notebook has a line for each cell. */
function cursorLine(uri: vscode.Uri): number {
  return (isNotebook(uri) ? cellAtCursor(uri)?.line : editorOf(uri)?.selection.active.line) ?? 0;
}

const GutterPlace = z.object({ uri: z.custom<vscode.Uri>((uri) => uri instanceof vscode.Uri), lineNumber: z.number() });

/** Reads the line of a press on a line number. */
function lineOf(file: unknown): number | undefined {
  const place = GutterPlace.safeParse(file).data;
  return place && place.lineNumber - 1;
}

/** Reads the arguments of VS Code's peek view in the gutter: its list of changes, and the current index. */
function peekedLine(changes: unknown, index: unknown): number | undefined {
  if (!Array.isArray(changes) || typeof index !== "number") return undefined;
  const change = z.object({ modifiedStartLineNumber: z.number() }).safeParse(changes[index]).data;
  return change && Math.max(0, change.modifiedStartLineNumber - 1);
}

/** Returns the file of an argument: a URI, a resource state, a line number's place, or a path of the panel. */
export function uriOf(file: unknown): vscode.Uri | undefined {
  if (file instanceof vscode.Uri) return fileUri(file);
  if (typeof file === "string") return vscode.Uri.file(file);
  if (typeof file === "object" && file && "resourceUri" in file) return uriOf(file.resourceUri);
  if (typeof file === "object" && file && "uri" in file && file.uri instanceof vscode.Uri) return fileUri(file.uri);
  const active = vscode.window.activeTextEditor?.document.uri;
  const notebook = vscode.window.activeNotebookEditor?.notebook.uri;
  // The active text editor is that of a cell.
  if (notebook && (!active || active.path === notebook.path)) return notebook;
  return active && fileUri(active);
}

/** Returns the file's editor: the active one, which may be either side of a diff, else any that is visible. */
function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  const isFile = (editor: vscode.TextEditor | undefined) => editor?.document.uri.toString() === uri.toString();
  const active = vscode.window.activeTextEditor;
  if (active && fileUri(active.document.uri).toString() === uri.toString()) return active;
  return vscode.window.visibleTextEditors.find(isFile);
}

/** Goes to the next or previous hunk, across files and from the end to the start. Returns whether there is one. */
export async function goToHunk(review: Review, args: unknown[], step: 1 | -1): Promise<boolean> {
  const uris = review.uris();
  const uri = uriOf(args[0]);
  const at = uris.findIndex((one) => one.toString() === uri?.toString());
  const changes = uri && review.changes(uri);
  if (uri && changes) {
    const from = placeOf(review, args)?.index;
    const found = from === undefined ? beyond(changes.hunks, cursorLine(uri), step) : changes.hunks[from + step];
    if (found) {
      await reveal(uri, found);
      return true;
    }
  }
  const other = uris.at((at < 0 && step < 0 ? 0 : at + step) % (uris.length || 1));
  if (other) await showFile(review, other, step);
  return other !== undefined;
}

function beyond(hunks: readonly LineHunk[], line: number, step: 1 | -1): LineHunk | undefined {
  return step > 0 ? hunks.find(({ start }) => start > line) : hunks.findLast(({ start }) => start < line);
}

/** Shows a file at its first change, or at its last one. A deleted file is shown as it was. */
export async function showFile(review: Review, uri: vscode.Uri, step: 1 | -1): Promise<void> {
  const hunks = review.changes(uri)?.hunks ?? [];
  const hunk = step > 0 ? hunks[0] : hunks.at(-1);
  if (!(await exists(uri))) await compareFile(uri, false);
  else if (hunk) await reveal(uri, hunk);
  else await vscode.window.showTextDocument(uri, { preview: true });
}

/** Shows a file beside its text without the changes under review. */
export async function compareFile(uri: vscode.Uri, isThere = true): Promise<void> {
  const title = t("{0} (Rondo's changes)", vscode.workspace.asRelativePath(uri));
  const after = isThere ? uri : nothingUri(uri);
  await vscode.commands.executeCommand("vscode.diff", beforeUri(uri), after, title, { preview: true });
}

/** Shows the agent's lines beside those that the user has made of them. */
export async function compareConflict(uri: vscode.Uri): Promise<void> {
  const title = t("{0} (Rondo's lines ↔ yours)", vscode.workspace.asRelativePath(uri));
  await vscode.commands.executeCommand("vscode.diff", agentUri(uri), uri, title, { preview: true });
}

async function reveal(uri: vscode.Uri, hunk: LineHunk): Promise<void> {
  if (isNotebook(uri)) await showCells(uri, hunk);
  else await showHunk(uri, hunk);
}

export async function showHunk(uri: vscode.Uri, hunk: LineHunk): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(uri);
  const shown = editorOf(uri);
  // A diff editor stays open.
  const isActive = shown !== undefined && shown === vscode.window.activeTextEditor && !isBefore(shown.document.uri);
  const line = firstLine(hunk, document);
  const selection = new vscode.Selection(line, 0, line, 0);
  const editor = isActive
    ? shown
    : await vscode.window.showTextDocument(document, {
        selection,
        preserveFocus: true,
        ...(shown?.viewColumn && { viewColumn: shown.viewColumn }),
      });
  editor.selection = selection;
  const last = Math.min(hunk.start + hunk.count, document.lineCount - 1);
  editor.revealRange(new vscode.Range(line, 0, last, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  // Last, as keys may follow at once. The press may have come from the panel.
  await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
  return editor;
}

/** Says where the next hunk is, for a command on a place without one. */
export function noHunkHere(review: Review, file: unknown): string {
  const uri = uriOf(file);
  const hunks = (uri && review.changes(uri)?.hunks) ?? [];
  const next = (uri && beyond(hunks, cursorLine(uri), 1)) ?? hunks[0];
  if (next) {
    const where = uri && isNotebook(uri) ? t("in cell {0}", Math.max(1, next.start)) : t("at line {0}", next.start + 1);
    return t("No change by Rondo here; the next is {0}.", where);
  }
  const others = review.uris().length;
  if (others === 0) return t("Nothing of Rondo's waits for review.");
  return t(
    "No change by Rondo in this file; {0} for review.",
    others === 1 ? t("1 other file waits") : t("{0} other files wait", others),
  );
}

// The cursor in notebooks, and cells under review in an editor. Lines are those of the review: one for each cell.

/** Returns the line of the selected cell; undefined if the notebook's editor is not active. */
function cellAtCursor(uri: vscode.Uri): { line: number } | undefined {
  const editor = vscode.window.activeNotebookEditor;
  if (editor?.notebook.uri.toString() !== uri.toString()) return undefined;
  return { line: lineOfCell(editor.selection.start) };
}

/** Opens the notebook with the cells of the hunk selected. */
async function showCells(uri: vscode.Uri, hunk: LineHunk): Promise<void> {
  const notebook = await vscode.workspace.openNotebookDocument(uri);
  const last = Math.max(0, notebook.cellCount - 1);
  const first = Math.min(cellOfLine(hunk.start) ?? 0, last);
  const range = new vscode.NotebookRange(first, Math.min(first + Math.max(1, hunk.count), last + 1));
  const shown = vscode.window.visibleNotebookEditors.find((one) => one.notebook === notebook);
  const options = { selections: [range], ...(shown?.viewColumn && { viewColumn: shown.viewColumn }) };
  const editor = await vscode.window.showNotebookDocument(notebook, options);
  editor.revealRange(range, vscode.NotebookEditorRevealType.InCenterIfOutsideViewport);
}
