/** Makes and removes worktrees. */

import { existsSync, mkdirSync, readFileSync, realpathSync, rmdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { attempt } from "../base/attempt.ts";
import { systemErrorCode } from "../base/node/system-errors.ts";
import { msg } from "../l10n/l10n.ts";
import { branchPrefix, namesFor } from "./branch-name.ts";
import { type Copied, copyListed, listFile } from "./copy-files.ts";
import { git, tryGit, WorktreeError } from "./git.ts";
import { hasBranch, type Repository, repositoryOf } from "./repository.ts";
import type { Worktree, WorktreeStore } from "./worktree-store.ts";

interface NewWorktree {
  sessionID: string;
  /** The workspace folder. */
  folder: string;
  /** Words of the task, which name the branch. */
  words: string;
  /** The session that is given the same task; empty for none. */
  rival: string;
  /** The user's list of files to copy, and patterns of further secret files; both in gitignore's syntax. */
  copy: readonly string[];
  secrets: readonly string[];
}

/**
 * Makes a worktree at the commit that is checked out, with a branch of its own. `left`: sentences about files that were
 * not copied. Nothing is left behind when it fails or is aborted. @throws WorktreeError
 */
export async function createWorktree(
  store: WorktreeStore,
  wanted: NewWorktree,
  signal: AbortSignal,
): Promise<{ worktree: Worktree; left: string[] }> {
  const repository = await repositoryOf(wanted.folder);
  mkdirSync(store.folder, { recursive: true, mode: 0o700 });
  const worktree = await reserve(store, wanted, repository);
  const { root, branch } = worktree;
  try {
    await git(root, ["worktree", "add", "--quiet", worktree.path, branch], { signal });
    const { files, left } = await copied(worktree, wanted);
    signal.throwIfAborted();
    const ready = { ...worktree, copied: files, state: "ready" as const };
    store.save(ready);
    return { worktree: ready, left };
  } catch (error) {
    await removeWorktree(store, worktree, "unused-branch");
    throw error;
  }
}

/** Returns the folder that the session works in. */
export function folderOf({ path: top, below }: Pick<Worktree, "path" | "below">): string {
  return path.join(top, below);
}

/**
 * Removes the worktree with all that is in it. It may be half made or half removed. `unused-branch`: removes its branch
 * unless something was committed there. @throws WorktreeError when something keeps the folder
 */
export async function removeWorktree(
  store: WorktreeStore,
  worktree: Worktree,
  and: "branch" | "unused-branch" | "keep-branch",
) {
  const { root, path: top, branch, sessionID } = worktree;
  if (path.dirname(top) !== store.folder) throw new WorktreeError(msg("This is no worktree of Rondo."), "");
  store.save({ ...worktree, state: "removing" });
  if (existsSync(root)) await tryGit(root, ["worktree", "remove", "--force", "--force", top]);
  await rm(top, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new WorktreeError(
      msg("The worktree could not be removed: {0}", why),
      msg("Close what uses it. Rondo tries it again."),
    );
  });
  if (existsSync(root)) {
    await tryGit(root, ["worktree", "prune"]);
    if (and === "branch") await tryGit(root, ["branch", "--quiet", "-D", "--", branch]);
    if (and === "unused-branch") await tryGit(root, ["update-ref", "-d", `refs/heads/${branch}`, worktree.base]);
  }
  store.forget(sessionID);
}

/**
 * Takes a free name, and notes that a worktree is being made: a crash after this leaves nothing unknown. The folder and
 * the branch are made here, each by a step that fails where another window was first: only what is this one's own is
 * ever removed.
 */
async function reserve(store: WorktreeStore, wanted: NewWorktree, { root, below, head }: Repository) {
  for (const name of namesFor(wanted.words)) {
    const branch = branchPrefix + name;
    const top = path.join(realpathSync(store.folder), name);
    if (store.all().some((other) => other.path === top) || (await hasBranch(root, branch))) continue;
    if (!makeFolder(top)) continue;
    const { sessionID, rival } = wanted;
    const worktree: Worktree = {
      ...{ sessionID, rival, root, below, branch, base: head, path: top },
      ...{ copied: [], createdAt: Date.now(), state: "making" },
    };
    store.save(worktree);
    if ((await tryGit(root, ["branch", "--no-track", "--", branch, head])).code === 0) return worktree;
    store.forget(sessionID);
    rmdirSync(top);
    if (await hasBranch(root, branch)) continue;
    throw new WorktreeError(msg("git could not make the branch {0}.", branch), msg("Nothing else was changed."));
  }
  throw new WorktreeError(
    msg("There are too many worktrees of this name."),
    msg("Throw some away in the list of sessions."),
  );
}

/** @returns false if something is there */
function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return false;
    throw error;
  }
}

async function copied({ root, path: top, below }: Worktree, { copy, secrets }: NewWorktree): Promise<Copied> {
  const file = path.join(root, listFile);
  // A link could lead to any file; its lines would only name files, but there is no need.
  const isPlain = attempt(() => realpathSync(file) === file, false);
  const text = isPlain ? attempt(() => readFileSync(file, "utf8"), "") : "";
  const repository = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return await copyListed({ from: root, to: realpathSync(top), below }, { user: copy, repository }, secrets);
}
