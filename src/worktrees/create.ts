/** Makes and removes worktrees. */
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { attempt } from "../base/attempt.ts";
import { systemErrorCode } from "../base/node/system-errors.ts";
import { msg, msgCount } from "../l10n/l10n.ts";
import { type Copied, copyListed, listFile, listOf } from "./copy-files.ts";
import { git, tryGit, WorktreeError } from "./git.ts";
import { type Loss, lossesOf, newLosses, removedFolder } from "./losses.ts";
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
    const { files, hashes, left } = await copied(worktree, wanted);
    signal.throwIfAborted();
    const ready = { ...worktree, copied: files, hashes, state: "ready" as const };
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
 * `merged-branch`: its commits must be elsewhere, or nothing is removed. `branch`: it goes with its commits.
 * `unused-branch`: it goes unless something was committed there.
 */
export type BranchEnd = "merged-branch" | "branch" | "unused-branch" | "keep-branch";

/**
 * Removes the worktree, which may be half made or half removed, if nothing would be lost but what is in `allowed`. It is
 * looked at where nobody finds it any more, so nothing that comes meanwhile is deleted.
 * @throws WorktreeError when something else would be lost, or keeps the folder: then it stays
 */
export async function removeWorktree(
  store: WorktreeStore,
  worktree: Worktree,
  and: BranchEnd,
  allowed: readonly Loss[] = [],
) {
  const { root, path: top, branch, sessionID } = worktree;
  if (path.dirname(top) !== store.folder) throw new WorktreeError(msg("This is no worktree of Rondo."), "");
  const removed = removedFolder(worktree);
  // Else a removal was cut off after it had begun to delete.
  if (existsSync(top) && !existsSync(removed)) await takeAway(store, worktree, and, allowed);
  await rm(removed, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch((error: unknown) => {
    throw notRemoved(error);
  });
  if (existsSync(root)) {
    await tryGit(root, ["worktree", "unlock", top]);
    await tryGit(root, ["worktree", "prune"]);
    if (and === "branch" || and === "merged-branch") await tryGit(root, ["branch", "--quiet", "-D", "--", branch]);
    if (and === "unused-branch") await tryGit(root, ["update-ref", "-d", `refs/heads/${branch}`, worktree.base]);
  }
  store.forget(sessionID);
}

async function takeAway(store: WorktreeStore, worktree: Worktree, and: BranchEnd, allowed: readonly Loss[]) {
  const { path: top, state } = worktree;
  const removed = removedFolder(worktree);
  store.save({ ...worktree, state: "removing" });
  // Nothing was deleted before a crash if the folder is still at its place.
  const stays = () => store.save({ ...worktree, state: state === "removing" ? "ready" : state });
  try {
    renameSync(top, removed);
  } catch (error) {
    stays();
    throw notRemoved(error);
  }
  const lost = newLosses(await lossesOf(worktree, { at: removed, branchGoes: and === "merged-branch" }), allowed);
  if (lost.length === 0) return;
  renameSync(removed, top);
  stays();
  const names = lost.map((loss) => (loss.type === "commits" ? msgCommits(loss.count) : loss.path || top));
  throw new WorktreeError(
    msg("{0} was not removed, because git does not hold this: {1}.", worktree.branch, listOf(names)),
    msg("Try it again, and Rondo asks about it."),
  );
}

const msgCommits = (count: number): string => msgCount(count, "{0} commit", "{0} commits");

function notRemoved(error: unknown): WorktreeError {
  const why = error instanceof Error ? error.message : String(error);
  return new WorktreeError(
    msg("The worktree could not be removed: {0}", why),
    msg("Close what uses it, and try it again."),
  );
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
      ...{ copied: [], hashes: [], createdAt: Date.now(), state: "making" },
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

// Names of branches and folders of worktrees. They come from the user's words, so only plain characters are kept.

const maxLength = 40;

/** Returns the words as a name of lower-case letters, digits and hyphens: "add-gift-cards". Never empty. */
export function slugOf(words: string): string {
  const plain = words
    .slice(0, 400)
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .slice(0, 5);
  let slug = "";
  for (const word of plain) {
    const longer = slug === "" ? word.slice(0, maxLength) : `${slug}-${word}`;
    if (longer.length > maxLength) break;
    slug = longer;
  }
  return slug || "task";
}

const branchPrefix = "rondo/";

/** Returns the names to try, in order: "add-gift-cards", "add-gift-cards-2", … */
export function* namesFor(words: string): Generator<string> {
  const slug = slugOf(words);
  yield slug;
  for (let at = 2; at < 1000; at++) yield `${slug}-${at}`;
}
