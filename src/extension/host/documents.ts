/** Documents of VS Code: finds the one that holds a file, and changes its text. */
import { realpath } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { lineChanges } from "../../review/line-diff.ts";

/** Returns the open document of `file` (absolute, links resolved); the document's own path may contain links. */
export async function findDocument(file: string): Promise<vscode.TextDocument | undefined> {
  return await withFile(
    vscode.workspace.textDocuments.filter(({ uri, isClosed }) => uri.scheme === "file" && !isClosed),
    file,
  );
}

/** Returns the document that holds `file` (absolute, links resolved). */
export async function withFile<Document extends { uri: vscode.Uri }>(documents: readonly Document[], file: string) {
  const direct = documents.find(({ uri }) => uri.fsPath === file);
  if (direct) return direct;
  const targets = await Promise.all(documents.map(({ uri }) => resolved(uri.fsPath)));
  return documents[targets.indexOf(file)];
}

/** Returns the URI by which the user would open a file: inside the workspace folder, even if that is a symlink. */
export async function uriOf(file: string): Promise<vscode.Uri> {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    if (uri.scheme !== "file") continue;
    const below = path.relative(await resolved(uri.fsPath), file);
    if (below !== "" && !below.startsWith("..") && !path.isAbsolute(below)) {
      return vscode.Uri.file(path.join(uri.fsPath, below));
    }
  }
  return vscode.Uri.file(file);
}

/** Returns the paths of the workspace's folders on disk. */
export function openFolders(): string[] {
  const uris = vscode.workspace.workspaceFolders?.map(({ uri }) => uri) ?? [];
  return uris.filter(({ scheme }) => scheme === "file").map(({ fsPath }) => fsPath);
}

/** Returns the URI of the open document, if there is one, else the one by which the user would open the file. */
export async function addressOf(file: string): Promise<vscode.Uri> {
  return (await findDocument(file))?.uri ?? (await uriOf(file));
}

/** Returns undefined for a file that VS Code does not open as text. */
export async function openDocument(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  return await Promise.resolve(vscode.workspace.openTextDocument(uri)).catch(() => undefined);
}

export async function exists(uri: vscode.Uri): Promise<boolean> {
  return await Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );
}

export const lineFeeds = (text: string): string => text.replaceAll(/\r\n|\r/g, "\n");

/** Returns the line ending of a text; undefined if it has none, "mixed" if VS Code could not keep it unchanged. */
export function endingOf(text: string): vscode.EndOfLine | "mixed" | undefined {
  const ends = new Set(text.match(/\r\n|\r|\n/g));
  if (ends.size === 0) return undefined;
  if (ends.size > 1 || ends.has("\r")) return "mixed";
  return ends.has("\n") ? vscode.EndOfLine.LF : vscode.EndOfLine.CRLF;
}

/**
 * Replaces the lines of the document that differ from `text`, in one undo step. Does not save.
 * @returns false if VS Code refused, for example because the document has changed meanwhile
 */
export async function putText(document: vscode.TextDocument, text: string): Promise<boolean> {
  const ending = endingOf(text);
  const edits = lineEdits(document, text);
  if (ending !== undefined && ending !== "mixed" && ending !== document.eol) {
    edits.unshift(vscode.TextEdit.setEndOfLine(ending));
  }
  if (edits.length === 0) return true;
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, edits);
  return vscode.workspace.applyEdit(edit);
}

/** Returns the edits that replace the lines that differ from `text`. Line endings do not count. */
export function lineEdits(document: vscode.TextDocument, text: string): vscode.TextEdit[] {
  return lineChanges(lineFeeds(document.getText()), lineFeeds(text)).map(({ from, to, lines }) =>
    vscode.TextEdit.replace(document.validateRange(new vscode.Range(from, 0, to, 0)), lines),
  );
}

/** Maximum time until VS Code has read a file that has changed on disk. */
const maxRefreshMs = 1500;

/** Waits until a document has the text that is on disk. Returns whether it has. */
export async function waitForText(document: vscode.TextDocument, text: string): Promise<boolean> {
  const wanted = lineFeeds(text);
  const same = () => lineFeeds(document.getText()) === wanted;
  if (same()) return true;
  const { onDidChangeTextDocument } = vscode.workspace;
  await firstEvent(onDidChangeTextDocument, (event) => event.document === document && same(), maxRefreshMs);
  return same();
}

/** Resolves with the first event that is wanted, or after `limitMs`. */
function firstEvent<Event>(listen: vscode.Event<Event>, isWanted: (event: Event) => boolean, limitMs: number) {
  return new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      listening.dispose();
      resolve();
    };
    const timer = setTimeout(done, limitMs);
    const listening = listen((event) => {
      if (isWanted(event)) done();
    });
  });
}

/** Times to wait for another save of the same document, in milliseconds. Listeners have 1750 each before they are left. */
const savePausesMs = [1000, 2000];

/**
 * Saves the document if it has unsaved changes. While VS Code asks its listeners about one save, as of auto-save, it
 * refuses all others ("refusing to save() recursively" in its `TextFileEditorModel`), so that one is waited for.
 * @returns false if it could not be saved
 */
export async function saveDocument(document: vscode.TextDocument): Promise<boolean> {
  for (const pause of savePausesMs) {
    if (!document.isDirty || (await document.save()) || !document.isDirty) return true;
    await firstEvent(vscode.workspace.onDidSaveTextDocument, (saved) => saved === document, pause);
  }
  return !document.isDirty || (await document.save()) || !document.isDirty;
}

/** Drops unsaved changes and reads the file again, in an editor: VS Code has no other way. */
export async function revertDocument(document: vscode.TextDocument): Promise<void> {
  await vscode.window.showTextDocument(document, { preserveFocus: true });
  await vscode.commands.executeCommand("workbench.action.files.revert");
}

/**
 * Reads the file again, repeats the change and saves. VS Code may have read the file while another program wrote it; it
 * then believes that the disk has changed and refuses to save.
 * @param onDisk the text of the file
 */
export async function putTextAgain(document: vscode.TextDocument, onDisk: string, text: string): Promise<boolean> {
  await revertDocument(document);
  return (await waitForText(document, onDisk)) && (await putText(document, text));
}

const resolved = (file: string): Promise<string> => realpath(file).catch(() => file);

/** Returns where a file is after a rename of it or of a folder around it; undefined if the rename is not about it. */
export function renamedUri(uri: vscode.Uri, from: vscode.Uri, to: vscode.Uri): vscode.Uri | undefined {
  const isIt = uri.scheme === from.scheme && (uri.path === from.path || uri.path.startsWith(`${from.path}/`));
  return isIt ? to.with({ path: to.path + uri.path.slice(from.path.length) }) : undefined;
}
