/** The branch that is checked out, read from git's own files: running git would cost more than all else here. */
import path from "node:path";
import { decodeText, readConfigFile } from "../tools/file-access/config-files.ts";
import { statsOf } from "../tools/node-host/stats.ts";

/** A branch's name, "detached at 1a2b3c4", or undefined outside git. Looks in the parents, too. */
export function branchOf(folder: string): string | undefined {
  const gitDir = findGitDir(path.resolve(folder));
  const head = gitDir === undefined ? undefined : firstLine(gitDir, "HEAD");
  if (head === undefined) return undefined;
  if (/^[0-9a-f]{40,64}$/.test(head)) return `detached at ${head.slice(0, 7)}`;
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  // It goes into the prompt, so it has to be what git allows as a name. `.invalid` stands for other formats.
  return branch !== undefined && /^[^\s\p{C}~^:?*[\\]{1,200}$/u.test(branch) && branch !== ".invalid"
    ? branch
    : undefined;
}

function findGitDir(folder: string): string | undefined {
  const place = path.join(folder, ".git");
  const stats = statsOf(place);
  if (stats?.isDirectory()) return place;
  if (stats?.isFile()) return linkedGitDir(folder);
  const parent = path.dirname(folder);
  return parent === folder ? undefined : findGitDir(parent);
}

/** Worktrees and submodules: `.git` is a file that says where git's folder is. */
function linkedGitDir(folder: string): string | undefined {
  const place = /^gitdir: (.+)$/.exec(firstLine(folder, ".git") ?? "")?.[1];
  // A path to another machine would be reached over the network.
  return place === undefined || /^[\\/]{2}/.test(place) ? undefined : path.resolve(folder, place);
}

function firstLine(folder: string, name: string): string | undefined {
  // Git's own files may lead anywhere, and no more than a branch's name is taken from them.
  const found = readConfigFile({ folder, source: "user", prefix: "" }, name, 4096);
  return found.type === "file" ? decodeText(found.bytes)?.split("\n")[0]?.trim() : undefined;
}
