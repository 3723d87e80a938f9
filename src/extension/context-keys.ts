/** Context keys of the manifest's `when` clauses and enablements. */
import * as vscode from "vscode";
import type { Conversations } from "./sessions/conversations.ts";
import { stateOf } from "./sessions/summary.ts";
import type { WorktreePage } from "./worktrees/worktree-page.ts";

/** With the values that VS Code has. */
const known = new Map<string, boolean>();

/** `isConnected`: whether there is a model, which is the first step of the walkthrough. */
export function updateContextKeys(
  { current, tabs }: Conversations,
  worktrees: WorktreePage,
  isConnected: boolean,
): void {
  const { session, status, messages } = current.chat;
  const now = {
    "rondo.connected": isConnected,
    "rondo.asks": stateOf(current.chat) === "asks",
    "rondo.running": status.type !== "idle",
    "rondo.hasMessages": messages.length > 0,
    "rondo.hasTabs": tabs.length > 1,
    "rondo.hasWorktree": worktrees.view(session.id) !== undefined,
    "rondo.hasRival": worktrees.rivals !== undefined,
  };
  for (const [key, value] of Object.entries(now)) {
    if (known.get(key) === value) continue;
    known.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  }
}
