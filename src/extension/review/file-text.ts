/** Reads and writes the text of a file under review, through its document where one is open. */

import { existsSync, readFileSync, statSync } from "node:fs";
import * as vscode from "vscode";
import { attempt } from "../../base/attempt.ts";
import { t } from "../../l10n/l10n.ts";
import type { TextEdit } from "../../review/edits.ts";
import { type FileReview, noEncoding } from "../../review/file-review.ts";
import { type Changes, currentText } from "../../review/hunks.ts";
import type { NewText } from "../../review/live-text.ts";
import { decode } from "../../tools/text/codec.ts";
import { endingOf, lineFeeds, putText, putTextAgain, saveDocument, waitForText } from "../host/documents.ts";
import { canEncode, decodeExactly, encodingOf, isUtf8, readBytes } from "../host/file-encoding.ts";
import { findNotebook } from "../host/notebooks.ts";
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
    const text = attempt(() => new TextDecoder(label.replace("shiftjis", "shift_jis")).decode(bytes), undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The file on disk, if there is one, with the encoding in which it can be written again to the byte. */
interface WritableFile {
  text: string | undefined;
  encoding: string;
}

/**
 * The one check before a text of a review is written over a file, or a file is deleted that undo would write again.
 * @param known the encoding that the review knows
 * @throws Error if the bytes cannot be written again, or those before the agent's changes were in another encoding
 */
export async function requireExact(uri: vscode.Uri, known: string | undefined): Promise<WritableFile> {
  if (known === noEncoding) throw otherEncoding();
  const name = await encodingOf(uri);
  const bytes = await readBytes(uri);
  if (!bytes) return { text: undefined, encoding: known ?? name };
  const { text, encoding } = await decodeExactly(bytes, name);
  if (encoding === undefined) {
    throw new Error(
      t(
        "some of its bytes are not text in its encoding ({0}), and Rondo cannot write those. “Restore to here…” at one of your messages can put back each byte, if it lists the file.",
        name,
      ),
    );
  }
  if (known !== undefined && known !== encoding) throw otherEncoding();
  // VS Code writes all notebooks in UTF-8 without a byte order mark.
  if (encoding !== "utf8" && isNotebook(uri) && (await findNotebook(uri.fsPath))) throw otherEncoding();
  return { text, encoding };
}

const otherEncoding = (): Error =>
  new Error(
    t(
      "its encoding has changed, or was not certain, so Rondo cannot write the former bytes. “Restore to here…” at one of your messages can put back each byte, if it lists the file.",
    ),
  );

/** @throws Error for a text that was not read to the byte, or has characters that the encoding lacks */
async function requireText(wanted: string, { text, encoding }: WritableFile, known: string | undefined): Promise<void> {
  const lost = (one: string) => one.split("\ufffd").length - 1;
  const isLossy = known === undefined && lost(wanted) > lost(text ?? "");
  if (isLossy || !(await canEncode(wanted, encoding))) throw otherEncoding();
}

/**
 * Gives the file a text of its review, in one undo step, and saves it if it had no unsaved changes.
 * @param known the present text
 * @param encoding the one that the review knows
 */
export async function writeText(
  uri: vscode.Uri,
  known: Changes,
  wanted: string,
  encoding: string | undefined,
): Promise<void> {
  if (currentText(known) === wanted) return;
  const present = isNotebook(uri) ? await readFileText(uri) : undefined;
  const text = fileText(uri, wanted, present);
  const writable = await requireExact(uri, encoding);
  await requireText(text, writable, encoding);
  if (present !== undefined && (await writeNotebook(uri, present, text))) return;
  const document = await vscode.workspace.openTextDocument(uri);
  const save = !document.isDirty;
  const isStale = document.encoding !== writable.encoding || !hasText(known, reviewText(uri, document.getText()));
  if (save && (endingOf(text) === "mixed" || isStale)) {
    // An editor would make all line endings equal, and may not watch a file outside the workspace.
    const bytes = await vscode.workspace.encode(text, { encoding: writable.encoding });
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

/**
 * @param wanted the text of its review
 * @param known the encoding that the review knows
 */
export async function createFile(uri: vscode.Uri, wanted: string, known: string | undefined): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const text = fileText(uri, wanted, undefined);
  if (known === noEncoding) throw otherEncoding();
  const encoding = known ?? vscode.workspace.getConfiguration("files", uri).get("encoding", "utf8");
  await requireText(text, { text: undefined, encoding }, known);
  const contents = await vscode.workspace.encode(text, { encoding });
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
