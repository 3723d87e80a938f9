/** Opens files and proposed changes in the editor. */

import path from "node:path";
import { applyPatch } from "diff";
import * as vscode from "vscode";
import type { Chat } from "../../chat/apply.ts";
import type { FileDiff } from "../../chat/message.ts";
import { t } from "../../l10n/l10n.ts";
import { isWithin } from "../../tools/file-access/requirements.ts";
import { refusalOf } from "../../tools/node-host/locate.ts";
import { NoticeError } from "../notice-error.ts";

/** Lines of a file, from 1; those of a range are selected. */
interface ShownLines {
  line?: number | undefined;
  lastLine?: number | undefined;
}

/** Opens a file. `file` is absolute, or relative to one of the workspace's folders. `meant` finds one that is not there. */
export async function openInEditor(
  file: string,
  lines: ShownLines,
  meant: () => Promise<vscode.Uri | undefined> = async () => undefined,
): Promise<void> {
  const uri = await findFile(file).catch(async (error: unknown) => {
    const other = await meant();
    if (!other) throw error;
    return other;
  });
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { preview: true, ...selectionOf(document, lines) });
}

function selectionOf(document: vscode.TextDocument, { line, lastLine }: ShownLines): { selection?: vscode.Range } {
  if (line === undefined) return {};
  const from = document.validatePosition(new vscode.Position(Math.max(0, line - 1), 0));
  if (lastLine === undefined || lastLine <= line) return { selection: new vscode.Range(from, from) };
  return { selection: new vscode.Range(from, document.lineAt(Math.min(lastLine, document.lineCount) - 1).range.end) };
}

/** @throws Error for a file that does not exist, or whose name is not that of a file on this machine */
export async function findFile(file: string): Promise<vscode.Uri> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const isInFolder = folders.some(({ uri }) => isWithin(path.normalize(file), uri.fsPath));
  const refusal = isInFolder ? undefined : refusalOf(file, process.platform);
  if (refusal !== undefined) throw new NoticeError(refusal);
  const places = path.isAbsolute(file)
    ? [vscode.Uri.file(file)]
    : folders.map(({ uri }) => vscode.Uri.joinPath(uri, file));
  for (const place of places) {
    const found = await Promise.resolve(vscode.workspace.fs.stat(place)).catch(() => undefined);
    if (found) return place;
  }
  throw new NoticeError(t("The file {0} does not exist any more.", file));
}

/**
 * Returns the files that do not exist. `paths` are relative to one of the folders; what leads out of all folders is not
 * looked for, because nobody has asked for it yet.
 */
export async function missingFiles(paths: readonly string[], folders: readonly vscode.Uri[]): Promise<string[]> {
  const missing = await Promise.all(
    paths.map(async (file) => {
      if (path.isAbsolute(file) || refusalOf(file, process.platform) !== undefined) return [];
      const places = folders.map((folder) => ({ folder, uri: vscode.Uri.joinPath(folder, file) }));
      const inside = places.filter(({ folder, uri }) => isWithin(uri.fsPath, folder.fsPath));
      for (const { uri } of inside) {
        const found = await Promise.resolve(vscode.workspace.fs.stat(uri)).catch(() => undefined);
        if (found) return [];
      }
      return inside.length > 0 ? [file] : [];
    }),
  );
  return missing.flat();
}

/** Asks for a file, writes the text to it and shows it. `file` is proposed. */
export async function exportText(
  title: string,
  filters: Record<string, string[]>,
  file: string,
  text: () => string | Promise<string>,
) {
  const target = await vscode.window.showSaveDialog({ title, filters, defaultUri: vscode.Uri.file(file) });
  if (!target) return;
  await vscode.workspace.fs.writeFile(target, Buffer.from(await text()));
  // The export is done even if the editor cannot show a file of this size.
  await Promise.resolve(vscode.window.showTextDocument(target, { preview: true })).catch(() => undefined);
}

const scheme = "rondo-proposed";
const proposed = new Map<string, string>();
/** In place of the text of a file that does not exist. */
const nothing = "none";

/** Returns the text of a document of this module; undefined if the window that showed it was reloaded. */
export function proposedText({ query }: vscode.Uri): string | undefined {
  return query === nothing ? "" : proposed.get(query);
}

/** Shows the edit of an open question next to the current text: one file in a diff, several in a multi-file diff. */
export async function openPreview(chat: Chat, requestID: string): Promise<void> {
  const request = chat.requests.find((one) => one.id === requestID);
  const preview = request?.kind === "permission" ? request.preview : undefined;
  if (preview?.type !== "diff" && preview?.type !== "diffs") return;
  const diffs = preview.type === "diff" ? [preview.diff] : preview.diffs;
  proposed.clear();
  const pairs = await Promise.all(diffs.map(async (diff) => await pairOf(diff, requestID)));
  const [only] = pairs;
  if (preview.type === "diffs" || !only) {
    const resources = pairs.map(({ left, right }) => [right, left, right]);
    await vscode.commands.executeCommand("vscode.changes", t("Proposed changes"), resources);
    return;
  }
  const title = t("{0} (proposed)", path.basename(only.right.path));
  await vscode.commands.executeCommand("vscode.diff", only.left, only.right, title, { preview: true });
}

/** Returns URIs of the current and the proposed text. The path of a moved file is "old → new". */
async function pairOf({ path: name, patch }: FileDiff, requestID: string) {
  const [from = name, to = from] = name.split(" → ");
  const existing = await findFile(from).catch(() => undefined);
  const before = existing ? (await vscode.workspace.openTextDocument(existing)).getText() : "";
  const after = applyPatch(before, patch, { autoConvertLineEndings: true });
  if (after === false)
    throw new NoticeError(t("{0} has changed since the edit was proposed, so its diff cannot be shown.", from));
  const query = `${requestID} ${to}`;
  proposed.set(query, after);
  const right = vscode.Uri.from({ scheme, path: `/${to}`, query });
  return { left: existing ?? vscode.Uri.from({ scheme, path: `/${to}`, query: nothing }), right };
}
