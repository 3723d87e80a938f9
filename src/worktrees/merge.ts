/** Merges the work of a worktree into the branch of the user's working tree, or keeps it as a branch. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { english, msg } from "../l10n/l10n.ts";
import { addAll, previewMerge } from "./changes.ts";
import { fields, git, gitLine, tryGit, WorktreeError } from "./git.ts";
import type { Worktree } from "./worktree-store.ts";

export type MergeResult =
  | { type: "merged"; into: string; files: number }
  /** `in`: where the conflicts are marked now: in the worktree, for its session, or in the user's files. */
  | { type: "conflicts"; in: "worktree" | "folder"; files: string[] };

/**
 * `conflicts`: who solves them. The user's uncommitted changes stay; where one is in the way, nothing is done.
 * @throws WorktreeError
 */
export async function mergeWorktree(
  worktree: Worktree,
  title: string,
  conflicts: "session" | "user",
): Promise<MergeResult> {
  const { root, path: top, branch } = worktree;
  await requireSolved(top);
  const preview = await previewMerge(worktree);
  if (preview.target === undefined) {
    throw new WorktreeError(
      msg("No branch is checked out in your folder, so there is nothing to merge into."),
      msg("Check out a branch first."),
    );
  }
  if (preview.blocked.length > 0) {
    const names = preview.blocked.slice(0, 5).join(", ");
    throw new WorktreeError(
      msg("Your uncommitted changes are in the way: {0}.", names),
      msg("Commit or stash them first."),
    );
  }
  const busy = await tryGit(root, ["rev-parse", "--verify", "--quiet", "MERGE_HEAD"]);
  if (busy.code === 0)
    throw new WorktreeError(msg("Another merge is open in your folder."), msg("Finish or abort it first."));
  await commitWork(worktree, title);
  if (preview.conflicts.length > 0 && conflicts === "session") {
    const head = await gitLine(root, ["rev-parse", "HEAD"]);
    await tryGit(top, ["merge", "--no-edit", "--quiet", "-m", english(`Merge ${preview.target}`), head], {
      env: await identity(top),
    });
    return { type: "conflicts", in: "worktree", files: await unmerged(top) };
  }
  const words = ["-m", english(`Merge ${branch}: ${title}`)];
  const merge = await tryGit(root, ["merge", "--no-edit", "--quiet", ...words, `refs/heads/${branch}`], {
    env: await identity(root),
  });
  const left = merge.code === 0 ? [] : await unmerged(root);
  if (left.length > 0) return { type: "conflicts", in: "folder", files: left };
  if (merge.code !== 0) {
    throw new WorktreeError(
      msg("git merge failed: {0}", merge.stderr.trim().slice(0, 300)),
      msg("Your files are unchanged."),
    );
  }
  return { type: "merged", into: preview.target, files: preview.files.length };
}

/** Commits everything in the worktree on its branch. @returns the commit @throws WorktreeError */
export async function commitWork(worktree: Worktree, title: string): Promise<string> {
  const { path: top, branch } = worktree;
  await requireSolved(top);
  await addAll(worktree);
  const isMerging = (await tryGit(top, ["rev-parse", "--verify", "--quiet", "MERGE_HEAD"])).code === 0;
  const isChanged = (await tryGit(top, ["diff", "--cached", "--quiet"])).code !== 0;
  if (isChanged || isMerging) {
    await git(top, ["commit", "--quiet", "--no-verify", "--allow-empty", "-m", title], { env: await identity(top) });
  }
  const commit = await gitLine(top, ["rev-parse", "HEAD"]);
  if (commit === (await gitLine(top, ["rev-parse", `refs/heads/${branch}`]))) return commit;
  // A command of the session has switched to another branch, or to a commit alone. The branch follows if nothing of it
  // is lost; git refuses if it is checked out elsewhere.
  const follows = await tryGit(top, ["merge-base", "--is-ancestor", `refs/heads/${branch}`, commit]);
  const moved = follows.code === 0 && (await tryGit(top, ["branch", "--force", "--", branch, commit])).code === 0;
  if (moved) return commit;
  throw new WorktreeError(
    msg("The worktree is no longer on {0}, so its work is not on that branch.", branch),
    msg("Have Rondo switch back with “git switch {0}”, and take its work along.", branch),
  );
}

/** @throws WorktreeError while a file of an open merge still has the marks of a conflict */
async function requireSolved(top: string): Promise<void> {
  const open: string[] = [];
  for (const file of await unmerged(top)) {
    const text = await readFile(path.join(top, file), "utf8").catch(() => "");
    if (/^(<{7}|>{7}) /m.test(text)) open.push(file);
  }
  if (open.length === 0) return;
  throw new WorktreeError(
    msg("{0} still has conflicts.", open.join(", ")),
    msg("Let Rondo solve them, or solve them in the file."),
  );
}

async function unmerged(top: string): Promise<string[]> {
  return fields(await git(top, ["diff", "--name-only", "--diff-filter=U", "--no-ext-diff", "-z"]));
}

/** The user's own name where git knows it; a commit needs one. */
async function identity(folder: string): Promise<Record<string, string>> {
  const known = await tryGit(folder, ["var", "GIT_COMMITTER_IDENT"]);
  if (known.code === 0) return {};
  return {
    ...{ GIT_AUTHOR_NAME: "Rondo", GIT_AUTHOR_EMAIL: "rondo@localhost" },
    ...{ GIT_COMMITTER_NAME: "Rondo", GIT_COMMITTER_EMAIL: "rondo@localhost" },
  };
}
