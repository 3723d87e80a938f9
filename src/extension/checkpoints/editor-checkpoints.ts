/** Checkpoints in VS Code: restores open files through their documents, and shows earlier versions in a diff. */

import { realpathSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { type FileWriter, openCheckpoints, type SessionCheckpoints } from "../../checkpoints/session-checkpoints.ts";
import { language, t } from "../../l10n/l10n.ts";
import { decode } from "../../tools/text/codec.ts";
import {
  addressOf,
  endingOf,
  findDocument,
  putText,
  revertDocument,
  saveDocument,
  uriOf,
  waitForText,
} from "../host/documents.ts";
import { findNotebook, saveNotebook } from "../host/notebooks.ts";
import type { Review } from "../review/review.ts";
import type { StepChanges } from "../review/step-changes.ts";
import { readSettings } from "../settings.ts";

interface EditorCheckpointOptions {
  storage: vscode.Uri;
  sessionID: string;
  /** Returns the folders that the session works in. */
  folders(): readonly string[];
  /** Whether they are a worktree of the session's own, whose changes are reviewed when they are merged. */
  isApart: boolean;
  log: Pick<vscode.LogOutputChannel, "warn">;
  review: Review;
  changes: StepChanges;
}

/** The most that the checkpoints of a workspace may take; 0 disables them. */
const maxBytes = () => readSettings().window["checkpoints.maxSizeMb"] * 1_000_000;

export function editorCheckpoints(options: EditorCheckpointOptions): SessionCheckpoints {
  const { storage, sessionID, folders, isApart, log, review, changes } = options;
  const mayRecord = () => maxBytes() > 0 && vscode.workspace.isTrusted;
  return openCheckpoints({
    folder: vscode.Uri.joinPath(storage, "checkpoints").fsPath,
    sessionID,
    roots: () => (mayRecord() ? folders().map(resolved) : []),
    limitBytes: maxBytes,
    log: (line) => log.warn(line),
    writer: documentWriter(review),
    ...(!isApart && { reviewer: changes }),
  });
}

/** Deletes the checkpoints of a deleted session. The session must be closed. */
export async function forgetCheckpoints(storage: vscode.Uri, sessionID: string): Promise<void> {
  const folder = vscode.Uri.joinPath(storage, "checkpoints", sessionID).fsPath;
  await rm(folder, { recursive: true, force: true });
}

/** Writes through documents, so that undo works and editors show the text at once. */
const documentWriter = (review: Review): FileWriter => ({
  unsaved: async () =>
    [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments]
      .filter(({ uri, isDirty }) => uri.scheme === "file" && isDirty)
      .map(({ uri }) => resolved(uri.fsPath)),
  async write(file, bytes) {
    const document = (await findNotebook(file)) ?? (await findDocument(file));
    if (!document) return false;
    const end = review.beginRestore(document.uri);
    try {
      return await writeDocument(document, bytes);
    } finally {
      end();
    }
  },
  written: async (files) => await review.look(await Promise.all(files.map(addressOf))),
});

async function writeDocument(
  document: vscode.TextDocument | vscode.NotebookDocument,
  bytes: Uint8Array | undefined,
): Promise<boolean> {
  if (!bytes) {
    const edit = new vscode.WorkspaceEdit();
    edit.deleteFile(document.uri, { ignoreIfNotExists: true });
    return await vscode.workspace.applyEdit(edit);
  }
  const text = decode(Buffer.from(bytes))?.text;
  // An editor cannot hold such a text unchanged, and a notebook would be written in VS Code's own format. A document
  // without unsaved changes takes it over from the disk.
  if (text === undefined || endingOf(text) === "mixed" || "cellCount" in document) {
    await ("cellCount" in document ? saveNotebook(document) : saveDocument(document));
    return false;
  }
  // A command may have written the file, and VS Code refuses to save a text that is older than the disk.
  const onDisk = document.isDirty ? undefined : decode(await readFile(document.uri.fsPath).catch(() => Buffer.of()));
  if (onDisk) await waitForText(document, onDisk.text);
  if (!(await putText(document, text))) return false;
  if (await saveDocument(document)) return true;
  await revertDocument(document);
  return false;
}

const scheme = "rondo-checkpoint";

/** Checkpoints by the snapshot that is shown. */
const shownSnapshots = new Map<string, SessionCheckpoints>();

/** Shows the files that a restore would change: their old text next to the current one. */
export async function compareWith(
  checkpoints: SessionCheckpoints,
  snapshot: string,
  signal: AbortSignal,
): Promise<void> {
  const { at, files } = await checkpoints.preview(snapshot, signal);
  shownSnapshots.set(snapshot, checkpoints);
  const shown = files.filter(({ problem }) => problem === "");
  const rows = await Promise.all(
    shown.map(async ({ path: name, file, effect }) => {
      const now = await uriOf(file);
      const before = vscode.Uri.from({ scheme, path: now.path, query: snapshot, fragment: name });
      return [now, effect === "delete" ? undefined : before, effect === "create" ? undefined : now];
    }),
  );
  await vscode.commands.executeCommand("vscode.changes", t("Since {0}", new Date(at).toLocaleString(language())), rows);
}

/** Returns the text of a document of this module; undefined if the window that showed it was reloaded. */
export async function checkpointText({ query: snapshot, fragment: name }: vscode.Uri): Promise<string | undefined> {
  const shown = shownSnapshots.get(snapshot);
  if (!shown) return undefined;
  const bytes = await shown.content(snapshot, name);
  return (bytes && decode(Buffer.from(bytes))?.text) ?? "";
}

function resolved(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}
