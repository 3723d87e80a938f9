/** Reads and writes the text of a file under review, through its document where one is open. */

import { existsSync, readFileSync, statSync } from "node:fs";
import * as vscode from "vscode";
import { attempt } from "../../base/attempt.ts";
import { t } from "../../l10n/l10n.ts";
import type { TextEdit } from "../../review/edits.ts";
import type { FileReview } from "../../review/file-review.ts";
import { type Changes, currentText } from "../../review/hunks.ts";
import type { NewText } from "../../review/live-text.ts";
import { decode } from "../../tools/text/codec.ts";
import { endingOf, lineFeeds, putText, putTextAgain, saveDocument, waitForText } from "../host/documents.ts";
import { fileText, isNotebook, reviewText, unsavedNotebook, writeNotebook } from "./notebook-text.ts";

/** Whether the texts are equal. Line endings may differ: a document has only one kind, a file may have several. */
export function hasText(changes: Changes, text: string): boolean {
  const current = currentText(changes);
  if (current === text) return true;
  return (current.includes("\r") || text.includes("\r")) && lineFeeds(current) === lineFeeds(text);
}

/** Whether a review knows that the file has this text. `undefined`: there is no file. */
export const isAsKnown = ({ state, changes }: FileReview, text: string | undefined): boolean =>
  state.type === "deleted" ? text === undefined : text !== undefined && hasText(changes, text);

/** Returns the text that the review compares, from the editor, else from the disk; undefined if the file is gone. */
export async function readText(uri: vscode.Uri): Promise<string | undefined> {
  const text = await readFileText(uri);
  return text === undefined ? undefined : reviewText(uri, text);
}

async function readFileText(uri: vscode.Uri): Promise<string | undefined> {
  const cells = await unsavedNotebook(uri);
  if (cells !== undefined) return cells;
  const open = () => vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  const encoding = open()?.encoding;
  let isGone = false;
  const onDisk = await vscode.workspace.fs
    .readFile(uri)
    .then((bytes) => decoded(bytes, uri, encoding))
    .then(undefined, (error) => {
      isGone = error instanceof vscode.FileSystemError && error.code === "FileNotFound";
      return undefined;
    });
  const document = open();
  // The editor still shows a deleted file.
  if (!document || (isGone && !document.isDirty)) return onDisk;
  const stale = onDisk !== undefined && !document.isDirty && !(await waitForText(document, onDisk));
  return stale && !document.isDirty ? onDisk : document.getText();
}

/** Decodes as VS Code does, which does it in another process: that takes long for large files, and for many. */
async function decoded(bytes: Uint8Array, uri: vscode.Uri, encoding: string | undefined): Promise<string> {
  const found = (encoding?.startsWith("utf8") ?? isUtf8(uri)) ? decode(Buffer.from(bytes)) : undefined;
  if (found?.encoding.startsWith("utf8")) return found.text;
  if (encoding === undefined) return await vscode.workspace.decode(bytes, { uri });
  return await vscode.workspace.decode(bytes, { encoding });
}

/** Whether VS Code reads the file as UTF-8, unless a byte order mark says otherwise. */
export function isUtf8(uri: vscode.Uri): boolean {
  const files = vscode.workspace.getConfiguration("files", uri);
  return files.get("encoding", "utf8").startsWith("utf8") && !files.get("autoGuessEncoding", false);
}

/** Maximum size of a file that is read to tell where a document's text came from. */
const maxComparedBytes = 4 << 20;

/**
 * Whether a changed document has taken its text from the disk. VS Code reports that a document is dirty only after its
 * first edit, so a clean one is compared with the file. In doubt it is an edit of the user, which no reject takes back.
 */
export function isFromDisk(document: vscode.TextDocument): boolean {
  if (document.isDirty || document.uri.scheme !== "file") return false;
  const bytes = attempt(() => {
    const { size } = statSync(document.uri.fsPath);
    return size <= maxComparedBytes ? readFileSync(document.uri.fsPath) : undefined;
  }, undefined);
  if (!bytes) return false;
  const shown = lineFeeds(document.getText());
  const isShown = (text: string | undefined) => text !== undefined && lineFeeds(text) === shown;
  return isShown(decode(bytes)?.text) || isShown(decodedAs(document.encoding, bytes));
}

/**
 * Decodes at once, which VS Code's own function does not. Its names of encodings (`SUPPORTED_ENCODINGS`) often lack a
 * hyphen that those of the Encoding Standard have. Returns undefined for the few that Node does not know.
 */
function decodedAs(encoding: string, bytes: Uint8Array): string | undefined {
  for (const label of [encoding, encoding.replace(/^(windows|utf|koi8|euc|big5)(?=[^-])/, "$1-")]) {
    const text = attempt(
      () => new TextDecoder(label.replace("shiftjis", "shift_jis"), { fatal: true }).decode(bytes),
      undefined,
    );
    if (text !== undefined) return text;
  }
  return undefined;
}

/**
 * Gives the file a text of its review, in one undo step, and saves it if it had no unsaved changes.
 * @param known the present text
 */
export async function writeText(uri: vscode.Uri, known: Changes, wanted: string): Promise<void> {
  const present = isNotebook(uri) ? await readFileText(uri) : undefined;
  const text = fileText(uri, wanted, present);
  if (present !== undefined && (await writeNotebook(uri, present, text))) return;
  const document = await vscode.workspace.openTextDocument(uri);
  const save = !document.isDirty;
  if (save && (endingOf(text) === "mixed" || !hasText(known, reviewText(uri, document.getText())))) {
    // An editor would make all line endings equal, and may not watch a file outside the workspace.
    const bytes = await vscode.workspace.encode(text, { encoding: document.encoding });
    await vscode.workspace.fs.writeFile(uri, bytes);
  } else if (!(await putText(document, text))) {
    throw new Error(t("VS Code refused the edit."));
  }
  if (!save || (await saveDocument(document))) return;
  if (!(await writeAgain(document, known, text))) throw new Error(t("it could not be saved."));
}

/** Nothing is lost if the disk has the known text. */
async function writeAgain(document: vscode.TextDocument, known: Changes, text: string): Promise<boolean> {
  const { uri, encoding } = document;
  const onDisk = await vscode.workspace.decode(await vscode.workspace.fs.readFile(uri), { encoding });
  if (!hasText(known, reviewText(uri, onDisk))) return false;
  return (await putTextAgain(document, onDisk, text)) && (await saveDocument(document));
}

/** `text`: of its review. */
export async function createFile(uri: vscode.Uri, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const encoding = vscode.workspace.getConfiguration("files", uri).get("encoding", "utf8");
  const contents = await vscode.workspace.encode(fileText(uri, text, undefined), { encoding });
  edit.createFile(uri, { contents, overwrite: false });
  if (!(await vscode.workspace.applyEdit(edit))) throw new Error(t("VS Code refused to create it."));
}

export async function deleteFile(uri: vscode.Uri): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.deleteFile(uri, { ignoreIfNotExists: true });
  if (!(await vscode.workspace.applyEdit(edit))) throw new Error(t("VS Code refused to delete it."));
}

export async function moveFile(from: vscode.Uri, to: vscode.Uri): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.renameFile(from, to, { overwrite: false });
  if (!(await vscode.workspace.applyEdit(edit))) throw new Error(t("VS Code refused to move it."));
}

/** Deletes folders in which nothing is left, the innermost first. */
export async function deleteEmptyFolders(folders: readonly vscode.Uri[]): Promise<void> {
  for (const folder of folders.toSorted((a, b) => b.path.length - a.path.length)) {
    const entries = await Promise.resolve(vscode.workspace.fs.readDirectory(folder)).catch(() => undefined);
    if (entries?.length === 0) await vscode.workspace.fs.delete(folder).then(undefined, () => undefined);
  }
}

/** Returns the folders (URIs) that the agent makes for a new file: those that do not exist, and those of `made` above it. */
export function foldersFor(uri: vscode.Uri, made: readonly string[]): string[] {
  const folders = new Set(made.filter((folder) => uri.toString().startsWith(`${folder}/`)));
  let folder = vscode.Uri.joinPath(uri, "..");
  while (uri.scheme === "file" && !existsSync(folder.fsPath)) {
    folders.add(folder.toString());
    folder = vscode.Uri.joinPath(folder, "..");
  }
  return [...folders];
}

/** Returns the text of a document as its review sees it. Only a notebook is read at once. */
export function textOf(document: vscode.TextDocument): NewText {
  if (isNotebook(document.uri)) return reviewText(document.uri, document.getText());
  return {
    lineCount: document.lineCount,
    ending: document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n",
    line: (at) => (at < document.lineCount ? document.lineAt(at).text : ""),
    read: () => document.getText(),
  };
}

/** Returns the edits of an event, for the text that the review sees. */
export function editsOf({ document, contentChanges }: vscode.TextDocumentChangeEvent): TextEdit[] {
  return isNotebook(document.uri) ? [] : contentChanges.map(toEdit);
}

const toEdit = ({ range, text }: vscode.TextDocumentContentChangeEvent): TextEdit => ({
  startLine: range.start.line,
  startCharacter: range.start.character,
  endLine: range.end.line,
  endCharacter: range.end.character,
  text,
});
