/** Finds the repositories below a workspace folder, which git, editors and prompts of shells also read outside the sandbox. */
import { type Dirent, readdirSync } from "node:fs";
import path from "node:path";

export interface NestedRepositories {
  /** Git folders: `.git`, bare repositories, and those that a file `.git` names. */
  folders: string[];
  /** Files `.git`, which name the git folder of a worktree or submodule. */
  files: string[];
}

/** Each command waits for the search. */
const maxFolders = 200;
const maxDepth = 4;

/** Breadth first, without links and installed packages. `top`: absolute, with links resolved; its own `.git` is left out. */
export function nestedRepositories(top: string): NestedRepositories {
  const found: NestedRepositories = { folders: [], files: [] };
  const open = [{ folder: top, depth: 0 }];
  for (let at = 0; at < Math.min(open.length, maxFolders); at++) {
    const { folder = top, depth = 0 } = open[at] ?? {};
    const entries = entriesIn(folder);
    const isGit = isGitFolder(entries);
    if (isGit) found.folders.push(folder);
    if (depth === 0 || !isGit) for (const entry of entries) addEntry(entry, folder, depth);
  }
  return found;

  function addEntry(entry: Dirent, folder: string, depth: number): void {
    const place = path.join(folder, entry.name);
    if (entry.name === ".git") {
      if (depth > 0 && entry.isDirectory()) found.folders.push(place);
      else if (depth > 0) found.files.push(place);
    } else if (entry.isDirectory() && entry.name !== "node_modules" && depth < maxDepth)
      open.push({ folder: place, depth: depth + 1 });
  }
}

/** gitrepository-layout(5): a worktree's folder has its objects where `commondir` says. */
function isGitFolder(entries: readonly Dirent[]): boolean {
  const names = new Set(entries.map(({ name }) => name));
  return names.has("HEAD") && (names.has("objects") || names.has("commondir"));
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
