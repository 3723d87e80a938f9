/** Finds git repositories by their files, because starting git would take much longer. */
import path from "node:path";
import { msg } from "../../l10n/l10n.ts";
import { decodeText, type ReadCheck, readChecked, realFolder } from "./read-checked.ts";
import { statsOf } from "./stats.ts";

export interface FoundRepository {
  /** The top folder of the working tree, as `git rev-parse --show-toplevel` names it. */
  root: string;
  /** The folder with git's files: HEAD and the index. Absolute. */
  gitDir: string;
  /** The folder with what all worktrees share: objects, settings, `info`. Absolute. */
  commonDir: string;
  /** `elsewhere`: a submodule, or a repository whose git folder was put there. */
  kind: "own" | "worktree" | "elsewhere";
}

/** Searches the folder and its parents, with links resolved as the working folder of a process is. */
export function findRepository(folder: string): FoundRepository | undefined {
  return repositoryAbove(realFolder(folder));
}

/** As `findRepository`, with the folder's path as it is written. */
export function repositoryAbove(folder: string): FoundRepository | undefined {
  for (let root = path.resolve(folder); ; root = path.dirname(root)) {
    const found = repositoryAt(root);
    if (found === "broken") return undefined;
    if (found || root === path.dirname(root)) return found;
  }
}

/**
 * Returns the repository whose working tree has this top folder. "broken": a file `.git` that names no git folder; git
 * gives up there, and does not look further up.
 */
export function repositoryAt(root: string): FoundRepository | "broken" | undefined {
  const gitPath = path.join(root, ".git");
  const stats = statsOf(gitPath);
  if (stats?.isDirectory()) {
    const commonDir = commonDirOf(gitPath);
    // A folder that only has the name is no repository for git either.
    return isGitDir(gitPath, commonDir) ? { root, gitDir: gitPath, commonDir, kind: "own" } : undefined;
  }
  if (!stats?.isFile()) return undefined;
  const gitDir = linkedGitDir(root);
  if (gitDir === undefined) return "broken";
  const commonDir = commonDirOf(gitDir);
  if (!isGitDir(gitDir, commonDir)) return "broken";
  return { root, gitDir, commonDir, kind: commonDir === gitDir ? "elsewhere" : "worktree" };
}

/** Returns the first line of one of git's own files; undefined if it cannot be read. */
export function gitFileLine(folder: string, name: string): string | undefined {
  return gitFileText(folder, name)?.split("\n")[0]?.trim();
}

function gitFileText(folder: string, name: string): string | undefined {
  const found = readChecked(path.join(folder, name), ownName, 4096);
  return found.type === "file" ? decodeText(found.bytes) : undefined;
}

/**
 * Returns the path in a file `.git` of a worktree or submodule: all behind `gitdir: ` but the ends of lines, as git reads
 * it (setup.c, read_gitfile_gently).
 */
export function gitDirNamedIn(text: string): string | undefined {
  const named = /^gitdir: (.*)$/s.exec(text)?.[1];
  return named === undefined ? undefined : pathNamedIn(named);
}

/** Returns the path in a file `commondir`, or in the `gitdir` of a worktree's git folder (setup.c, get_common_dir). */
export function pathNamedIn(text: string): string | undefined {
  const named = text.replace(/(?<![\r\n])[\r\n]+$/, "");
  return named === "" ? undefined : named;
}

/** Of git's files only names are used; still, links among them do not lead to files of other names. */
const ownName: ReadCheck = (real, asked) =>
  path.basename(real) === path.basename(asked) ? undefined : msg("it is a link to another file");

/** In worktrees and submodules `.git` is a file with the path of git's folder. */
function linkedGitDir(root: string): string | undefined {
  const place = gitDirNamedIn(gitFileText(root, ".git") ?? "");
  // A path to another machine would be reached over the network.
  return place === undefined || isOnNetwork(place) ? undefined : path.resolve(root, place);
}

/** gitrepository-layout(5), "commondir". */
function commonDirOf(gitDir: string): string {
  const place = statsOf(path.join(gitDir, "commondir"))
    ? pathNamedIn(gitFileText(gitDir, "commondir") ?? "")
    : undefined;
  return place === undefined || isOnNetwork(place) ? gitDir : path.resolve(gitDir, place);
}

const isOnNetwork = (place: string) => /^[\\/]{2}/.test(place);

/** gitrepository-layout(5): a HEAD, and the objects and references that it names. */
function isGitDir(gitDir: string, commonDir: string): boolean {
  const isFolder = (name: string) => statsOf(path.join(commonDir, name))?.isDirectory() ?? false;
  return statsOf(path.join(gitDir, "HEAD")) !== undefined && isFolder("objects") && isFolder("refs");
}
