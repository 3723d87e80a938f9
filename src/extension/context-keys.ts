/** Context keys of the manifest's `when` clauses and enablements. */
import * as vscode from "vscode";
import type { WorktreePage } from "./panel/worktree-page.ts";
import type { Conversations } from "./sessions/conversations.ts";

/** With the values that VS Code has. */
const known = new Map<string, boolean>();

export function updateContextKeys({ current, tabs }: Conversations, worktrees: WorktreePage): void {
  const { session, status, messages } = current.chat;
  const now = {
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
