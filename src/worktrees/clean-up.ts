/** Puts worktrees in order that a crash has left half made, half removed, or without a session. */

import { existsSync } from "node:fs";
import { msg } from "../l10n/l10n.ts";
import { stateOfWorktree } from "./changes.ts";
import { removeWorktree } from "./create.ts";
import type { Worktree, WorktreeStore } from "./worktree-store.ts";

/** Another window may be making a worktree, or may have made one whose session has not said anything yet. */
const graceMs = 900_000;

/**
 * Removes what no session needs. Work is never removed: a worktree without a session stays if anything in it has changed.
 * `hasSession`: whether there is a record of the session. Never rejects. @returns sentences for the log
 */
export async function cleanUpWorktrees(
  store: WorktreeStore,
  hasSession: (sessionID: string) => boolean,
  now = Date.now(),
): Promise<string[]> {
  const notes: string[] = [];
  const isYoung = ({ createdAt, state }: Worktree) => state !== "removing" && now - createdAt < graceMs;
  for (const worktree of store.all().filter((one) => !isYoung(one))) {
    try {
      const note = await cleanUp(store, worktree, hasSession(worktree.sessionID));
      if (note !== "") notes.push(note);
    } catch (error) {
      notes.push(`${worktree.branch}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return notes;
}

async function cleanUp(store: WorktreeStore, worktree: Worktree, hasSession: boolean): Promise<string> {
  const { state, branch, path: top, root } = worktree;
  if (state === "making") {
    await removeWorktree(store, worktree, "unused-branch");
    return msg("{0} was half made and is removed.", branch);
  }
  if (state === "removing") {
    await removeWorktree(store, worktree, "keep-branch");
    return msg("The removal of {0} is finished.", branch);
  }
  if (!existsSync(top)) {
    if (existsSync(root)) await removeWorktree(store, worktree, "keep-branch");
    return msg("The folder of {0} is gone; its branch stays.", branch);
  }
  if (hasSession || !existsSync(root)) return "";
  const { files, ahead } = await stateOfWorktree(worktree);
  if (files.length > 0 || ahead > 0) return msg("{0} has work and no session; it stays in {1}.", branch, top);
  await removeWorktree(store, worktree, "unused-branch");
  return msg("{0} had neither work nor a session and is removed.", branch);
}
