/** Reads the current branch from git's files, because starting git would take much longer. */

import path from "node:path";
import { statsOf } from "../base/node/stats.ts";
import { msg } from "../l10n/l10n.ts";
import { decodeText, gitRoot, readConfigFile, realFolder } from "../tools/node-host/config-files.ts";

/** Returns the branch's name, "detached at 1a2b3c4", or undefined outside git. Also searches the parent folders. */
export function branchOf(folder: string): string | undefined {
  const gitDir = findGitDir(folder);
  const head = gitDir === undefined ? undefined : firstLine(gitDir, "HEAD");
  if (head === undefined) return undefined;
  if (/^[0-9a-f]{40,64}$/.test(head)) return msg("detached at {0}", head.slice(0, 7));
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  // It goes into the prompt, so it must be a name that git allows. `.invalid` stands for other formats.
  return branch !== undefined && /^[^\s\p{C}~^:?*[\\]{1,200}$/u.test(branch) && branch !== ".invalid"
    ? branch
    : undefined;
}

/** Returns the folder with git's files; undefined outside a repository. */
export function findGitDir(folder: string): string | undefined {
  return findRepository(folder)?.gitDir;
}

/**
 * Returns the top folder of the working tree that `folder` is in, as `git rev-parse --show-toplevel` does: of a worktree
 * or a submodule its own. Undefined outside a repository.
 */
export function repositoryRoot(folder: string): string | undefined {
  return findRepository(folder)?.root;
}

/** Searches the folder and its parents, with links resolved as the working folder of a process is. */
function findRepository(folder: string): { root: string; gitDir: string } | undefined {
  for (let root = realFolder(folder); ; root = path.dirname(root)) {
    const gitPath = path.join(root, ".git");
    const stats = statsOf(gitPath);
    const gitDir = stats?.isDirectory() ? gitPath : stats?.isFile() ? linkedGitDir(root) : undefined;
    // A folder that only has the name is no repository for git either, which goes on to the parent.
    if (gitDir !== undefined && (stats?.isFile() || statsOf(path.join(gitDir, "HEAD")))) return { root, gitDir };
    if (stats?.isFile() || root === path.dirname(root)) return undefined;
  }
}

/** In worktrees and submodules `.git` is a file with the path of git's folder. */
function linkedGitDir(folder: string): string | undefined {
  const place = /^gitdir: (.+)$/.exec(firstLine(folder, ".git") ?? "")?.[1];
  // A path to another machine would be reached over the network.
  return place === undefined || /^[\\/]{2}/.test(place) ? undefined : path.resolve(folder, place);
}

function firstLine(folder: string, name: string): string | undefined {
  const found = readConfigFile(gitRoot(folder), name, 4096);
  return found.type === "file" ? decodeText(found.bytes)?.split("\n")[0]?.trim() : undefined;
}
