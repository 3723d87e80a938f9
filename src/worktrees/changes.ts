/** What a session has changed in its worktree, and what a merge of it would do. Nothing here changes a file or a branch. */

import { copyFile, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { repositoryAt } from "../base/node/repository.ts";
import { english, msg } from "../l10n/l10n.ts";
import { fields, git, gitLine, repositoriesInIndex, tryGit, WorktreeError } from "./git.ts";
import { checkedOutBranch, requireMergeTree } from "./repository.ts";
import type { Worktree } from "./worktree-store.ts";

export interface WorktreeState {
  branch: string;
  /** The branch of the user's working tree; undefined where a commit alone is checked out. */
  target: string | undefined;
  /** Files that the session has changed, relative to the repository's top folder. */
  files: string[];
  /** Commits of the session, and newer commits of the target. */
  ahead: number;
  behind: number;
}

export interface MergePreview extends WorktreeState {
  /** Files that git merges by itself, and those where both sides changed the same place. */
  clean: string[];
  conflicts: string[];
  /** Uncommitted files of the user: those that the merge leaves alone, and those that are in its way. */
  stay: string[];
  blocked: string[];
}

/** Returns the state. `files` are those of the working tree, committed or not. */
export async function stateOfWorktree(worktree: Worktree): Promise<WorktreeState> {
  const { root, branch, base } = worktree;
  const target = await checkedOutBranch(root);
  const tree = await treeOf(worktree);
  const start = await mergeBase(root, base, branch);
  const files = fields(await git(root, ["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", start, tree]));
  const count = async (range: string) => Number(await gitLine(root, ["rev-list", "--count", range]));
  return {
    ...{ branch, target, files },
    ahead: await count(`${start}..refs/heads/${branch}`),
    behind: await count(`refs/heads/${branch}..HEAD`),
  };
}

/** Computes the merge into the branch that the user's working tree is on. @throws WorktreeError */
export async function previewMerge(worktree: Worktree): Promise<MergePreview> {
  const { root } = worktree;
  await requireMergeTree(root);
  const state = await stateOfWorktree(worktree);
  const commit = await commitOf(worktree);
  const merge = await tryGit(root, [
    "merge-tree",
    "--write-tree",
    "--name-only",
    "--no-messages",
    "-z",
    "HEAD",
    commit,
  ]);
  if (merge.code !== 0 && merge.code !== 1) {
    throw new WorktreeError(
      msg("The merge cannot be computed: {0}", merge.stderr.trim().slice(0, 300)),
      msg("Merge the branch yourself."),
    );
  }
  const [result = "", ...conflicts] = fields(merge.stdout);
  const changed = fields(
    await git(root, ["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", "HEAD", result]),
  );
  const uncommitted = await uncommittedIn(root);
  const isInWay = new Set([...changed, ...conflicts]);
  return {
    ...state,
    conflicts: [...new Set(conflicts)],
    clean: changed.filter((file) => !conflicts.includes(file)),
    stay: uncommitted.filter((file) => !isInWay.has(file)),
    blocked: uncommitted.filter((file) => isInWay.has(file)),
  };
}

export interface ChangedLines {
  /** Relative to the repository's top folder. */
  path: string;
  /** Numbers of lines; 0 for a binary file. */
  added: number;
  removed: number;
}

/** Returns the files that the session has changed, committed or not. @throws WorktreeError */
export async function changedLines(worktree: Worktree): Promise<ChangedLines[]> {
  const { root, branch, base } = worktree;
  const range = [await mergeBase(root, base, branch), await treeOf(worktree)];
  const found = fields(await git(root, ["diff", "--numstat", "--no-renames", "--no-ext-diff", "-z", ...range]));
  return found.map((line) => {
    const [added = "", removed = "", ...name] = line.split("\t");
    return { path: name.join("\t"), added: Number(added) || 0, removed: Number(removed) || 0 };
  });
}

/** A file as the session found it, and as it is now in the worktree; undefined: no file. */
export interface ChangedTexts {
  before: string | undefined;
  after: string | undefined;
}

export async function textsOf(worktree: Worktree, files: readonly string[]): Promise<Map<string, ChangedTexts>> {
  const start = await mergeBase(worktree.root, worktree.base, worktree.branch);
  const tree = await treeOf(worktree);
  const show = async (commit: string, file: string) => {
    const found = await tryGit(worktree.root, ["cat-file", "blob", `${commit}:${file}`]);
    return found.code === 0 ? found.stdout : undefined;
  };
  const texts = new Map<string, ChangedTexts>();
  for (const file of files) texts.set(file, { before: await show(start, file), after: await show(tree, file) });
  return texts;
}

/** Returns a commit with everything in the worktree on top of its branch. No branch has it. */
async function commitOf(worktree: Worktree): Promise<string> {
  const { path: top } = worktree;
  const tree = await treeOf(worktree);
  const head = await gitLine(top, ["rev-parse", "HEAD"]);
  const other = await tryGit(top, ["rev-parse", "--verify", "--quiet", "MERGE_HEAD"]);
  const parents = [head, ...(other.code === 0 ? [other.stdout.trim()] : [])].flatMap((id) => ["-p", id]);
  return await gitLine(top, ["commit-tree", tree, ...parents, "-m", english("Work of a session")], { env: author });
}

/** Returns a tree with everything in the worktree but copied files. The worktree's own index stays as it is. */
async function treeOf(worktree: Worktree): Promise<string> {
  const { path: top } = worktree;
  const folder = await mkdtemp(path.join(os.tmpdir(), "rondo-index-"));
  const env = { GIT_INDEX_FILE: path.join(folder, "index") };
  try {
    const index = path.resolve(top, await gitLine(top, ["rev-parse", "--git-path", "index"]));
    await copyFile(index, env.GIT_INDEX_FILE);
    await addAll(worktree, env);
    return await gitLine(top, ["write-tree"], { env });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Adds everything but files that Rondo has copied and git does not ignore. */
export async function addAll({ path: top, copied }: Worktree, env: Record<string, string> = {}): Promise<void> {
  await addFiles(top, env);
  // Restored to HEAD, since git takes no long list of paths to leave out.
  if (copied.length === 0) return;
  const list = copied.map((file) => `${file}\0`).join("");
  const paths = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  await tryGit(top, ["rm", "--cached", "--force", "--quiet", "--ignore-unmatch", ...paths], {
    env: { ...env, GIT_LITERAL_PATHSPECS: "1" },
    input: list,
  });
}

/**
 * Adds all files, and the commits at which the repositories inside stand. In one of these, git itself would look for
 * changes, with the filters that its settings name (`is_submodule_modified` in git's submodule.c).
 */
async function addFiles(top: string, env: Record<string, string>): Promise<void> {
  const inside = (await repositoriesInIndex(top, { env })).filter((name) => repositoryAt(path.join(top, name)));
  const paths = [".", ...inside.map((name) => `:(exclude,literal)${name}`)];
  const given = { env, input: paths.join("\0") };
  await git(top, ["add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"], given);
  const entries = await Promise.all(
    inside.map(async (name) => {
      const head = await tryGit(path.join(top, name), ["rev-parse", "--verify", "--quiet", "HEAD"]);
      return head.code === 0 ? `160000 ${head.stdout.trim()}\t${name}\0` : "";
    }),
  );
  if (inside.length > 0) await git(top, ["update-index", "-z", "--index-info"], { env, input: entries.join("") });
}

/** Used for commits that no branch has. */
const author = {
  ...{ GIT_AUTHOR_NAME: "Rondo", GIT_AUTHOR_EMAIL: "rondo@localhost" },
  ...{ GIT_COMMITTER_NAME: "Rondo", GIT_COMMITTER_EMAIL: "rondo@localhost" },
};

/** The worktree's own beginning, or the newest commit of the user that it has taken in. */
async function mergeBase(root: string, base: string, branch: string): Promise<string> {
  const found = await tryGit(root, ["merge-base", "HEAD", `refs/heads/${branch}`]);
  return found.code === 0 ? found.stdout.trim() : base;
}

async function uncommittedIn(root: string): Promise<string[]> {
  const entries = fields(await git(root, ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"]));
  return entries.map((entry) => entry.slice(3));
}
