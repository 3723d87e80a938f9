/** Finds what commands in the sandbox may not change in a workspace folder: files that control what runs outside. */
import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { nestedRepositories } from "../../base/node/nested-repositories.ts";
import { isControlFile } from "../file-access/protected-names.ts";

export interface ProtectedPlaces {
  /** Files and folders that may only be read. */
  readOnly: string[];
  /** Folders above them. They stay writable, but cannot be renamed: what they contain would come along. */
  pinned: string[];
  /** Folders of `readOnly` that do not exist. Programs outside would follow them as soon as they exist. */
  missing: string[];
  /** Symbolic links in place of what must be protected. Nothing can keep a link from being replaced. */
  links: string[];
}

/** The editor, git and Rondo read these as soon as they appear. */
const watchedFolders = [".git", ".vscode", ".rondo", ".claude"];
/** `commondir` and `gitdir` say where git finds its settings. */
const gitFiles = ["config", "config.worktree", "commondir", "gitdir", "hooks"];
/** Whether a folder may be created to hold the place of a missing one. */
export function isHeldPlace(place: string): boolean {
  const { dir, base } = path.parse(place);
  return (
    path.isAbsolute(place) && (watchedFolders.includes(base) || (base === "hooks" && path.basename(dir) === ".git"))
  );
}

const maxRepositories = 200;
const maxDepth = 4;

/**
 * `folder`: absolute, with links resolved. Settings are looked for at its top only, and repositories in a limited number of
 * folders: a search of all of it would delay each command.
 */
export function protectedPlaces(folder: string): ProtectedPlaces {
  const found: ProtectedPlaces = { readOnly: [], pinned: [], missing: [], links: [] };
  for (const name of namesIn(folder)) addEntry(path.join(folder, name), name, found);
  for (const name of watchedFolders) addMissing(path.join(folder, name), found);
  const { files, folders } = nestedRepositories(folder);
  // Tools that manage many repositories make links in them, which is no reason to run no command at all.
  const nested = { ...found, links: [] };
  for (const file of files) addFile(file, nested, false);
  for (const git of folders) if (found.pinned.length < maxRepositories) addRepository(git, nested);
  return found;
}

function addEntry(place: string, name: string, found: ProtectedPlaces): void {
  if (name === ".git" && kindOf(place) === "folder") addRepository(place, found);
  else if (isControlFile(name)) addFile(place, found, watchedFolders.includes(name));
  else if (name.startsWith(".") && kindOf(place) === "folder") addChildren(place, name, found);
}

/** Adds what is protected in a folder like `.github` or `.config`. */
function addChildren(place: string, name: string, found: ProtectedPlaces): void {
  const children = namesIn(place).filter((child) => isControlFile(`${name}/${child}`));
  if (children.length === 0) return;
  found.pinned.push(place);
  for (const child of children) addFile(path.join(place, child), found, false);
}

/** Settings and hooks of a repository run programs; git writes everything else of it. */
function addRepository(git: string, found: ProtectedPlaces): void {
  const isWorktree = kindOf(path.join(git, "commondir")) !== "missing";
  if (!isWorktree && kindOf(path.join(git, "config")) === "missing") {
    found.readOnly.push(git);
    return;
  }
  found.pinned.push(git);
  addGitFiles(git, found);
  if (path.basename(git) === ".git") addMissing(path.join(git, "hooks"), found);
  for (const folder of ["modules", "worktrees"]) addNested(path.join(git, folder), found, 0);
}

/** Adds the repositories of submodules and worktrees, which lie in folders named after their paths. */
function addNested(folder: string, found: ProtectedPlaces, depth: number): void {
  if (depth > maxDepth || found.pinned.length > maxRepositories || kindOf(folder) !== "folder") return;
  found.pinned.push(folder);
  const isRepository = kindOf(path.join(folder, "HEAD")) !== "missing";
  if (isRepository) addGitFiles(folder, found);
  const names = isRepository ? ["modules"] : namesIn(folder);
  for (const name of names) addNested(path.join(folder, name), found, depth + 1);
}

function addGitFiles(git: string, found: ProtectedPlaces): void {
  for (const name of gitFiles) addFile(path.join(git, name), found, true);
}

function addFile(place: string, found: ProtectedPlaces, mustHold: boolean): void {
  const kind = kindOf(place);
  if (kind === "missing") return;
  if (kind !== "link") found.readOnly.push(place);
  else if (mustHold) found.links.push(place);
}

function addMissing(place: string, found: ProtectedPlaces): void {
  if (kindOf(place) !== "missing") return;
  found.missing.push(place);
  found.readOnly.push(place);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function kindOf(place: string): "missing" | "link" | "folder" | "file" {
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (!stats) return "missing";
  if (stats.isSymbolicLink()) return "link";
  return stats.isDirectory() ? "folder" : "file";
}
