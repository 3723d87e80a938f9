/** What a window that is opened again shows first. */
import type * as vscode from "vscode";
import { remembered } from "./choices.ts";
import type { Conversations } from "./conversations.ts";

/** Gives the window its tabs again, and shows the session that was on screen, unless the user has begun another one. */
export function restoreLastSession(
  conversations: Conversations,
  memory: vscode.Memento,
  log: vscode.LogOutputChannel,
): void {
  conversations.restoreTabs(memory.get(remembered.tabs));
  const id = memory.get<string>(remembered.session);
  if (id === undefined || !conversations.has(id) || conversations.current.chat.messages.length > 0) return;
  try {
    conversations.show(id);
  } catch (error) {
    log.error("The last session could not be opened", error);
  }
}
