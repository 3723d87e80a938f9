/**
 * Files as the user has them: an unsaved buffer is what is read and what is edited, and edits go through the editor,
 * so that undo, format on save and open views take part. What VS Code cannot keep as it is goes through the disk.
 */
import { stat } from "node:fs/promises";
import * as vscode from "vscode";
import { requireTrust, staleSentence } from "../../tools/files.ts";
import type { FileKind, Location, TextFile, Workspace } from "../../tools/host.ts";
import { versionOf } from "../../tools/node-files.ts";
import { ToolError } from "../../tools/tool.ts";
import { endingOf, findDocument, putText, settled, uriOf } from "./documents.ts";

/** Is told of each change before it begins, with the text before it: undefined for a new file. */
export interface WriteWatch {
  begin(uri: vscode.Uri, before: string | undefined): WriteEnd;
}

/** Called once with the text afterwards, which is the one before where nothing was written. */
export type WriteEnd = (after: string | undefined) => void;

/** `disk` is asked anew each time: the folders may have changed. */
export function editorWorkspace(disk: () => Workspace, watch: WriteWatch): Workspace {
  const open = (path: string, signal: AbortSignal) => openFile(disk(), path, signal);
  const workspace: Workspace = {
    get folders() {
      return disk().folders;
    },
    get trusted() {
      return vscode.workspace.isTrusted;
    },
    locate: (path) => disk().locate(path),
    open,
    async write(location, text, expected, signal) {
      requireTrust(workspace);
      const found = await open(location.path, signal);
      const before = found.type === "text" ? found.file : undefined;
      if ((before?.version ?? found.type) !== expected) throw stale(location);
      signal.throwIfAborted();
      const uri = (await findDocument(location.path))?.uri ?? (await uriOf(location.path));
      const end = watch.begin(uri, before?.text);
      let after = before?.text;
      try {
        const document = before ? await change(uri, before, text) : await create(uri, text);
        if (!document) {
          const written = await disk().write(location, text, expected, signal);
          after = written.text;
          return written;
        }
        const saved = !document.isDirty || (await document.save()) || !document.isDirty;
        after = document.getText();
        if (!saved) throw notSaved(location);
        return textFile(location, after, document.isDirty);
      } finally {
        end(after);
      }
    },
  };
  return workspace;
}

async function openFile(disk: Workspace, path: string, signal: AbortSignal): Promise<FileKind> {
  const found = await disk.open(path, signal);
  const location = found.type === "text" ? found.file : found.location;
  if (found.type === "folder" || found.type === "special" || found.type === "too-large") return found;
  const document = await findDocument(location.path);
  if (document?.isDirty) return { type: "text", file: textFile(location, document.getText(), true) };
  if (found.type !== "text" && found.type !== "binary") return found;
  // The disk is at least as new as a clean document, and has the line endings as they are; but which encoding the
  // bytes are in, only VS Code's settings may know.
  const decoded = document ?? (await decodedBySettings(location.path));
  if (!decoded || (found.type === "text" && decoded.encoding.startsWith("utf"))) return found;
  return { type: "text", file: textFile(location, decoded.getText(), false) };
}

/** The file opened out of sight, where the settings ask for another encoding than UTF-8. */
async function decodedBySettings(path: string): Promise<vscode.TextDocument | undefined> {
  const uri = await uriOf(path);
  const files = vscode.workspace.getConfiguration("files", uri);
  if (files.get("encoding", "utf8").startsWith("utf8") && !files.get("autoGuessEncoding", false)) return undefined;
  return quietly(uri);
}

/** Answers with undefined when the file must be written to disk instead. */
async function change(uri: vscode.Uri, before: TextFile, text: string): Promise<vscode.TextDocument | undefined> {
  await assertWritable(uri, before);
  const document = await quietly(uri);
  if (!document) return undefined;
  const mixed = endingOf(before.text) === "mixed" || endingOf(text) === "mixed";
  if (mixed && !document.isDirty) return undefined;
  if (!(await settled(document, before.text))) {
    if (document.isDirty) throw stale(before);
    return undefined;
  }
  if (!(await putText(document, text))) throw stale(before);
  return document;
}

async function create(uri: vscode.Uri, text: string): Promise<vscode.TextDocument | undefined> {
  if (endingOf(text) === "mixed") return undefined;
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { overwrite: false });
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new ToolError(`${uri.fsPath} could not be created: VS Code refused it. Is its folder writable?`);
  }
  const document = await vscode.workspace.openTextDocument(uri);
  if (!(await putText(document, text))) throw new ToolError(`${uri.fsPath} was created, but is still empty.`);
  return document;
}

/** VS Code would leave the change unsaved in the editor, and ask the user. */
async function assertWritable(uri: vscode.Uri, { relative }: Location): Promise<void> {
  const { mode } = await stat(uri.fsPath).catch(() => ({ mode: 0o200 }));
  if ((mode & 0o222) === 0) throw new ToolError(`${relative} is read-only. Nothing was changed.`);
}

/** Undefined for what VS Code does not open as text. */
async function quietly(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}

function textFile({ path, relative, inside }: Location, text: string, unsaved: boolean): TextFile {
  return { path, relative, inside, text, version: versionOf(text), unsaved };
}

const stale = ({ relative }: Location): ToolError => new ToolError(staleSentence(relative));

const notSaved = ({ relative }: Location): ToolError =>
  new ToolError(
    `${relative} was changed in the editor but could not be saved: it may have changed on disk, or may not be written. ` +
      `The change is in the editor's buffer; the user can save or revert it.`,
  );
