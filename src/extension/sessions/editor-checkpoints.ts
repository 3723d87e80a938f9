/** Checkpoints in VS Code: restores open files through their documents, and shows earlier versions in a diff. */
import { realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import {
  type FileWriter,
  noSessionCheckpoints,
  openCheckpoints,
  type SessionCheckpoints,
} from "../../checkpoints/session-checkpoints.ts";
import { decode } from "../../tools/text/codec.ts";
import { endingOf, findDocument, putText, uriOf } from "../host/documents.ts";
import { readSettings } from "../settings.ts";

interface EditorCheckpointOptions {
  storage: vscode.Uri;
  sessionID: string;
  log: Pick<vscode.LogOutputChannel, "warn">;
}

export function editorCheckpoints({ storage, sessionID, log }: EditorCheckpointOptions): SessionCheckpoints {
  const limitBytes = readSettings().maxCheckpointBytes;
  const folders = vscode.workspace.workspaceFolders?.filter(({ uri }) => uri.scheme === "file") ?? [];
  if (limitBytes === 0 || folders.length === 0 || !vscode.workspace.isTrusted) return noSessionCheckpoints;
  return openCheckpoints({
    folder: vscode.Uri.joinPath(storage, "checkpoints").fsPath,
    sessionID,
    roots: folders.map(({ uri }) => resolved(uri.fsPath)),
    limitBytes,
    log: (line) => log.warn(line),
    writer: documents,
  });
}

/** Deletes the checkpoints of a deleted session. The session must be closed. */
export async function forgetCheckpoints(storage: vscode.Uri, sessionID: string): Promise<void> {
  const folder = vscode.Uri.joinPath(storage, "checkpoints", sessionID).fsPath;
  await rm(folder, { recursive: true, force: true });
}

/** Writes through documents, so that undo works and editors show the text at once. */
const documents: FileWriter = {
  unsaved: async () =>
    vscode.workspace.textDocuments
      .filter(({ uri, isDirty }) => uri.scheme === "file" && isDirty)
      .map(({ uri }) => resolved(uri.fsPath)),
  async write(file, bytes) {
    const document = await findDocument(file);
    if (!document) return false;
    if (!bytes) {
      const edit = new vscode.WorkspaceEdit();
      edit.deleteFile(document.uri, { ignoreIfNotExists: true });
      return await vscode.workspace.applyEdit(edit);
    }
    const text = decode(Buffer.from(bytes))?.text;
    // An editor cannot hold such a text unchanged. A document without unsaved changes takes it over from the disk.
    if (text === undefined || endingOf(text) === "mixed") {
      await document.save();
      return false;
    }
    return (await putText(document, text)) && (await document.save());
  },
};

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
  if (shownSnapshots.size === 0) {
    vscode.workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent: textAt });
  }
  shownSnapshots.set(snapshot, checkpoints);
  const shown = files.filter(({ problem }) => problem === "");
  const rows = await Promise.all(
    shown.map(async ({ path: name, file, effect }) => {
      const now = await uriOf(file);
      const before = vscode.Uri.from({ scheme, path: now.path, query: snapshot, fragment: name });
      return [now, effect === "delete" ? undefined : before, effect === "create" ? undefined : now];
    }),
  );
  await vscode.commands.executeCommand("vscode.changes", `Since ${new Date(at).toLocaleString()}`, rows);
}

async function textAt({ query: snapshot, fragment: name }: vscode.Uri): Promise<string> {
  const bytes = await shownSnapshots.get(snapshot)?.content(snapshot, name);
  return (bytes && decode(Buffer.from(bytes))?.text) ?? "";
}

function resolved(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}
