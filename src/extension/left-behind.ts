/** Ends and removes what windows that were killed have left behind. The log says what. */
import type * as vscode from "vscode";
import { endOrphans } from "../tools/run-command/command-markers.ts";
import { cleanUpWorktrees } from "../worktrees/clean-up.ts";
import type { WorktreeStore } from "../worktrees/worktree-store.ts";

/** `markersFolder`: where running commands are noted. */
export async function endLeftCommands(markersFolder: string, log: vscode.LogOutputChannel): Promise<void> {
  for (const command of await endOrphans(markersFolder)) {
    log.info(`Ended a command whose window is gone: ${command}`);
  }
}

/** `hasSession`: whether there is a record of the session. */
export async function removeLeftWorktrees(
  store: WorktreeStore,
  hasSession: (sessionID: string) => boolean,
  log: vscode.LogOutputChannel,
): Promise<void> {
  for (const note of await cleanUpWorktrees(store, hasSession)) log.info(note);
}
