/** The repository that a workspace folder is in, as far as worktrees need it. */

import path from "node:path";
import { realFolder } from "../base/node/read-checked.ts";
import { msg } from "../l10n/l10n.ts";
import { gitLine, tryGit, WorktreeError } from "./git.ts";

export interface Repository {
  /** Top folder of the user's working tree, links resolved. */
  root: string;
  /** The workspace folder below it, with `/`; empty for the top folder itself. */
  below: string;
  /** The commit that is checked out. */
  head: string;
}

/** @throws WorktreeError outside a repository, or where there is no commit yet */
export async function repositoryOf(folder: string): Promise<Repository> {
  const top = await tryGit(folder, ["rev-parse", "--show-toplevel"]);
  if (top.code !== 0) {
    const next = msg("Open a folder of a git repository, or start a session without a worktree.");
    throw new WorktreeError(msg("The folder is not in a git repository, so it has no worktrees."), next);
  }
  const root = realFolder(top.stdout.replace(/\r?\n$/, ""));
  const head = await tryGit(root, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  if (head.code !== 0) {
    throw new WorktreeError(
      msg("The repository has no commit yet, so there is nothing to copy."),
      msg("Make a first commit."),
    );
  }
  const below = path.relative(root, realFolder(folder)).replaceAll(path.sep, "/");
  return { root, below, head: head.stdout.trim() };
}

/** Returns the branch that is checked out; undefined if it is a commit alone. */
export async function checkedOutBranch(root: string): Promise<string | undefined> {
  const found = await tryGit(root, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
  return found.code === 0 ? found.stdout.trim() : undefined;
}

export async function hasBranch(root: string, branch: string): Promise<boolean> {
  return (await tryGit(root, ["show-ref", "--verify", "--quiet", `refs/heads/${branch}`])).code === 0;
}

/** @throws WorktreeError if git is older than what a merge is computed with */
export async function requireMergeTree(root: string): Promise<void> {
  const [, major = "0", minor = "0"] = /(?<!\d)(\d{1,6})\.(\d{1,6})/.exec(await gitLine(root, ["version"])) ?? [];
  // `git merge-tree --write-tree` came with 2.38 (git's RelNotes/2.38.0).
  if (Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38)) return;
  throw new WorktreeError(
    msg("Merging from the panel needs git 2.38 or newer."),
    msg("Update git, or merge the branch yourself."),
  );
}
