/**
 * Files as the editor has them: unsaved buffers are read and edited, and edits go through documents, so that undo,
 * format on save and open editors work. Text that VS Code could not keep unchanged is written to disk directly.
 */
import { readFile, stat } from "node:fs/promises";
import * as vscode from "vscode";
import { requireTrust, staleError } from "../../tools/file-access/file-checks.ts";
import type { FileKind, Location, TextFile, Workspace } from "../../tools/host.ts";
import { versionOf } from "../../tools/node-host/workspace.ts";
import { ToolError } from "../../tools/tool.ts";
import {
  addressOf,
  endingOf,
  findDocument,
  openDocument,
  putText,
  putTextAgain,
  saveDocument,
  uriOf,
  waitForText,
} from "./documents.ts";
import { canEncode, decodeExactly, encodingOf, isExact, isUtf8 } from "./file-encoding.ts";
import { findNotebook, notebookText, putNotebook, saveNotebook } from "./notebooks.ts";

/**
 * Observer of writes. `begin` is called before each change with the text before it, undefined for a new file, and the
 * text that is to be written, undefined if only the result tells it. A formatter may change it further. `encoding`: of a
 * file that is about to be deleted.
 */
export interface WriteWatch {
  begin(uri: vscode.Uri, before: string | undefined, wanted: string | undefined, encoding?: string): WriteEnd;
}

/** Called once with the text after the write: the old text if nothing was written, undefined if there is no file. */
export type WriteEnd = (after: string | undefined) => void;

/** `disk` is called for each operation, since the folders may have changed. */
export function editorWorkspace(disk: () => Workspace, watch: WriteWatch): Workspace {
  const open = (place: Location | string, signal: AbortSignal) => openFile(disk(), place, signal);
  const workspace: Workspace = {
    get folders() {
      return disk().folders;
    },
    get trusted() {
      return vscode.workspace.isTrusted;
    },
    restrictsChange: undefined,
    locate: (path) => disk().locate(path),
    open,
    look: (location) => disk().look(location),
    list: (path) => disk().list(path),
    isGitIgnored: (file) => disk().isGitIgnored(file),
    searchFilter: (folder) => disk().searchFilter(folder),
    async write(location, text, expected, signal) {
      requireTrust(workspace);
      const found = await open(location, signal);
      const before = found.type === "text" ? found.file : undefined;
      if ((before?.version ?? found.type) !== expected) throw staleError(location);
      signal.throwIfAborted();
      const uri = await addressOf(location.path);
      const end = watch.begin(uri, before?.text, text);
      let after = before?.text;
      try {
        const notebook = before && (await findNotebook(location.path));
        if (notebook) {
          await changeNotebook(notebook, before, text);
          after = await textOfNotebook(notebook, location, disk(), signal);
          if (notebook.isDirty) throw notSaved(location);
          return textFile(location, after, false);
        }
        const document = before ? await change(uri, before, text) : await create(uri, text);
        if (!document) {
          const written = await disk().write(location, text, expected, signal);
          after = written.text;
          return written;
        }
        const saved =
          (await saveDocument(document)) ||
          (before && (await saveAgain(document, before, text, await disk().open(before, signal))));
        after = document.getText();
        if (!saved) throw notSaved(location);
        return textFile(location, after, document.isDirty);
      } finally {
        end(after);
      }
    },
    async remove(location, expected, signal) {
      requireTrust(workspace);
      const found = await open(location, signal);
      if (found.type !== "text" || found.file.version !== expected) throw staleError(location);
      const { text, unsaved, relative } = found.file;
      if (unsaved) throw new ToolError(`${relative} has unsaved changes in the editor: it is not deleted.`);
      signal.throwIfAborted();
      const uri = await addressOf(location.path);
      const { encoding } = await decodeExactly(await readFile(location.path), await encodingOf(uri));
      const end = watch.begin(uri, text, undefined, encoding);
      const edit = new vscode.WorkspaceEdit();
      edit.deleteFile(uri);
      const isGone = await vscode.workspace.applyEdit(edit);
      end(isGone ? undefined : text);
      if (!isGone) throw new ToolError(`${relative} could not be deleted: VS Code refused it. Is its folder writable?`);
    },
  };
  return workspace;
}

/** Changes the open notebook through its cells, and saves it. @throws ToolError if it cannot be changed */
async function changeNotebook(notebook: vscode.NotebookDocument, before: TextFile, text: string): Promise<void> {
  await assertWritable(notebook.uri, before);
  const { encoding } = await decodeExactly(await readFile(notebook.uri.fsPath), "utf8");
  if (encoding !== "utf8") {
    throw new ToolError(
      `${before.relative} has a byte order mark, which VS Code drops when it saves a notebook. Nothing was changed. Close the notebook to allow it.`,
    );
  }
  if (!(await putNotebook(notebook, before.text, text, before.relative))) throw staleError(before);
  await saveNotebook(notebook);
}

/** Returns the text on disk, or the one that saving would write. */
async function textOfNotebook(
  notebook: vscode.NotebookDocument,
  location: Location,
  disk: Workspace,
  signal: AbortSignal,
) {
  const saved = notebook.isDirty ? undefined : await disk.open(location, signal);
  return saved?.type === "text" ? saved.file.text : await notebookText(notebook);
}

/** Nothing is lost if the buffer was clean and the disk is unchanged; otherwise this returns false. */
async function saveAgain(document: vscode.TextDocument, before: TextFile, text: string, disk: FileKind) {
  if (before.unsaved || disk.type !== "text" || disk.file.version !== before.version) return false;
  return (await putTextAgain(document, before.text, text)) && (await saveDocument(document));
}

async function openFile(disk: Workspace, place: Location | string, signal: AbortSignal): Promise<FileKind> {
  const found = await disk.open(place, signal);
  const location = found.type === "text" ? found.file : found.location;
  if (found.type === "folder" || found.type === "special" || found.type === "too-large") return found;
  const notebook = await findNotebook(location.path);
  if (notebook?.isDirty && found.type !== "unknown-encoding") {
    return { type: "text", file: textFile(location, await notebookText(notebook), true) };
  }
  const isOther = found.type === "missing" || found.type === "media";
  const document = (await findDocument(location.path)) ?? (isOther ? undefined : await readBySettings(location.path));
  const isUtf = found.type === "text" && document?.encoding.startsWith("utf");
  // The disk is at least as new as a clean document and has the exact line endings, but only VS Code's settings may
  // know the encoding.
  if (!document || ((isOther || isUtf) && !document.isDirty)) return found;
  const text = document.getText();
  const isWritable = found.type === "missing" || isUtf || (await isExact(document));
  // VS Code, too, replaces what is not text in its encoding, and would save the replacements.
  if (!isWritable) return { type: "unknown-encoding", text, location };
  return { type: "text", file: textFile(location, text, document.isDirty) };
}

/** Opens the file as a document, without an editor, if the settings may name an encoding other than UTF-8. */
async function readBySettings(path: string): Promise<vscode.TextDocument | undefined> {
  const uri = await uriOf(path);
  return isUtf8(uri) ? undefined : await openDocument(uri);
}

/** Returns the changed, unsaved document; undefined if the file must be written to disk instead. */
async function change(uri: vscode.Uri, before: TextFile, text: string): Promise<vscode.TextDocument | undefined> {
  await assertWritable(uri, before);
  const document = await openDocument(uri);
  if (!document) return undefined;
  await assertRepresentable(before.relative, text, document.encoding);
  const mixed = endingOf(before.text) === "mixed" || endingOf(text) === "mixed";
  if (mixed && !document.isDirty) return undefined;
  if (!(await waitForText(document, before.text))) {
    if (document.isDirty) throw staleError(before);
    return undefined;
  }
  if (!(await putText(document, text))) throw staleError(before);
  return document;
}

async function create(uri: vscode.Uri, text: string): Promise<vscode.TextDocument | undefined> {
  if (endingOf(text) === "mixed") return undefined;
  await assertRepresentable(uri.fsPath, text, vscode.workspace.getConfiguration("files", uri).get("encoding", "utf8"));
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { overwrite: false });
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new ToolError(`${uri.fsPath} could not be created: VS Code refused it. Is its folder writable?`);
  }
  const document = await vscode.workspace.openTextDocument(uri);
  if (!(await putText(document, text))) throw new ToolError(`${uri.fsPath} was created, but is still empty.`);
  return document;
}

/** @throws ToolError for characters that the encoding lacks: VS Code would save other ones in their place */
async function assertRepresentable(name: string, text: string, encoding: string): Promise<void> {
  if (encoding.startsWith("utf") || (await canEncode(text, encoding))) return;
  const kept = await vscode.workspace.decode(await vscode.workspace.encode(text, { encoding }), { encoding });
  const keptCharacters = Array.from(kept);
  const lost = Array.from(text).find((character, at) => character !== keptCharacters[at]) ?? "";
  throw new ToolError(
    `${name} is not in UTF-8, and its encoding lacks the character ${JSON.stringify(lost)}. Nothing was changed. Use other characters, or ask the user to save the file with encoding UTF-8.`,
    `${name} is not in UTF-8, and its encoding lacks the character ${JSON.stringify(lost)}. Nothing was changed. Save the file with encoding UTF-8 to allow it.`,
  );
}

/** @throws ToolError for a read-only file: VS Code would leave the change unsaved and ask the user */
async function assertWritable(uri: vscode.Uri, { relative }: Location): Promise<void> {
  const { mode } = await stat(uri.fsPath).catch(() => ({ mode: 0o200 }));
  if ((mode & 0o222) === 0) throw new ToolError(`${relative} is read-only. Nothing was changed.`);
}

function textFile(location: Location, text: string, unsaved: boolean): TextFile {
  const { path, relative, inside, protection, names, restricted, changesRestricted } = location;
  const place = { path, relative, inside, protection, names, restricted, changesRestricted };
  return { ...place, text, version: versionOf(text), unsaved };
}

const notSaved = ({ relative }: Location): ToolError =>
  new ToolError(
    `${relative} was changed in the editor but could not be saved: it may have changed on disk, or be read-only. ` +
      `The change is in the editor's buffer; the user can save or revert it.`,
    `${relative} was changed in the editor but could not be saved: it may have changed on disk, or be read-only. Save or revert it there.`,
  );
