/** Context keys of the manifest's `when` clauses and enablements. */
import * as vscode from "vscode";
import type { Models } from "./models/models.ts";
import type { WindowServices } from "./services.ts";
import type { Conversations } from "./sessions/conversations.ts";
import { stateOf } from "./sessions/summary.ts";
import type { EditorWindow } from "./window.ts";
import type { KnownWorktrees } from "./worktrees/known-worktrees.ts";
import type { WorktreePage } from "./worktrees/worktree-page.ts";

/** With the values that VS Code has. */
const known = new Map<string, boolean>();

export function keepContextKeys(
  window: EditorWindow,
  { models, page, worktrees }: WindowServices,
  own: WorktreePage,
): void {
  window.own(window.onDidChangeState(() => update(page.conversations, models, worktrees, own)));
}

function update({ current, tabs }: Conversations, models: Models, all: KnownWorktrees, worktrees: WorktreePage): void {
  const { session, status, messages } = current.chat;
  const now = {
    // The first step of the walkthrough.
    "rondo.connected": models.readiness.type === "ready",
    "rondo.asks": stateOf(current.chat) === "asks",
    "rondo.running": status.type !== "idle",
    "rondo.hasMessages": messages.length > 0,
    "rondo.hasTabs": tabs.length > 1,
    "rondo.hasWorktree": all.view(session.id) !== undefined,
    "rondo.hasRival": worktrees.rivals !== undefined,
  };
  for (const [key, value] of Object.entries(now)) {
    if (known.get(key) === value) continue;
    known.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  }
}
