/** Counts the files whose changes git would discard, within a short time and without starting git. */
import { lstatSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { repositoryAbove } from "../../../base/node/repository.ts";
import { hasChanged, readGitIndex } from "../../node-host/git-index.ts";

/** The user waits for the card meanwhile. */
const maxCountMs = 120;
const filesPerTurn = 500;

interface DiscardedChanges {
  /** Files with other text than git has staged. */
  files: number;
  /** The path of the one file relative to `folder`, if one is all. */
  only: string | undefined;
  /** Whether there may be more than could be counted. */
  isCut: boolean;
}

/**
 * Returns which of the tracked files have changed: those at or below `paths`, absolute, or all of the repository of
 * `folder`. Undefined outside of a repository, or where its index cannot be read. @throws the signal's reason on abort
 */
export async function changedFiles(
  folder: string,
  paths: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<DiscardedChanges | undefined> {
  const repository = repositoryAbove(folder);
  const index = repository && readGitIndex(repository.gitDir);
  if (!repository || !index) return undefined;
  const found: DiscardedChanges = { files: 0, only: undefined, isCut: false };
  const end = performance.now() + maxCountMs;
  let looked = 0;
  for (const [name, tracked] of index) {
    const file = path.join(repository.root, name);
    if (paths && !paths.some((one) => isAtOrBelow(file, one))) continue;
    if (++looked % filesPerTurn === 0) {
      await nextTurn();
      signal.throwIfAborted();
      if (performance.now() > end) return { ...found, isCut: true };
    }
    const stats = lstatSync(file, { throwIfNoEntry: false });
    // Nothing is lost of a file that is gone, and a folder is a repository of its own.
    if (!stats || stats.isDirectory() || !hasChanged(tracked, stats)) continue;
    found.files += 1;
    found.only = found.files === 1 ? path.relative(folder, file) : undefined;
  }
  return found;
}

const isAtOrBelow = (file: string, one: string) =>
  file === one || file.startsWith(one.endsWith(path.sep) ? one : one + path.sep);
