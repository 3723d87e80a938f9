/** "Look around without a model": a recorded session, which is opened as one that was imported. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import { importInSlices } from "../../loop/transfer/import.ts";
import type { Feature } from "../feature.ts";
import type { WindowServices } from "../services.ts";
import type { Conversations } from "../sessions/conversations.ts";
import type { EditorWindow } from "../window.ts";

/** Title of the recorded session. */
const title = t("Recorded: fix the rounding in cart totals");

export function tour({ context }: EditorWindow, { page: { conversations } }: WindowServices) {
  return { handlers: { "open-tour": () => openTour(context.extensionUri, conversations) } } satisfies Feature;
}

async function openTour(extensionUri: vscode.Uri, conversations: Conversations): Promise<void> {
  const before = conversations.list().find((one) => one.title === title);
  if (before) return conversations.show(before.id);
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extensionUri, "media", "recorded.jsonl"));
  const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const { signal } = new AbortController();
  const chat = await importInSlices(bytes, cwd, signal);
  await conversations.addInSlices({ ...chat, session: { ...chat.session, title } }, signal);
}
