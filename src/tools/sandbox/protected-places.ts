/** Finds what commands in the sandbox may not change in a workspace folder: files that control what runs outside. */
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { attempt } from "../../base/attempt.ts";
import { nestedRepositories } from "../../base/node/nested-repositories.ts";
import { gitDirNamedIn, pathNamedIn } from "../../base/node/repository.ts";
import { isControlFile } from "../file-access/protected-names.ts";
import { isWithin } from "../file-access/requirements.ts";
import { isInEditorState, ownWorktreeOf } from "../file-access/state-places.ts";
import { looseWords } from "../text/loose-words.ts";
import { realPath } from "./hidden-places.ts";

export interface ProtectedPlaces {
  /** Files and folders that may only be read. */
  readOnly: string[];
  /** Folders above them. They stay writable, but cannot be renamed: what they contain would come along. */
  pinned: string[];
  /** Those of `readOnly` that do not exist. Programs outside would follow them as soon as they exist. */
  missing: HeldPlace[];
  /** Symbolic links in place of what must be protected. Nothing can keep a link from being replaced. */
  links: string[];
}

interface HeldPlace {
  /** Absolute. */
  at: string;
  /** Of the file that holds it; undefined for an empty folder. */
  content: string | undefined;
}

/** The editor, git and Rondo read these as soon as they appear. */
const watchedFolders = [".git", ".vscode", ".rondo", ".claude"];
/**
 * Of a git folder, gitrepository-layout(5). `commondir` and `gitdir` say where git finds its settings, `remotes` and
 * `branches` where it sends and fetches.
 */
const gitFiles = ["config", "config.worktree", "commondir", "gitdir", "hooks", "remotes", "branches"];
/**
 * Those that a git folder need not have, and the content of the file that holds their place, undefined for a folder. Git
 * ends if `commondir` is empty or a folder. The dot stands for the git folder itself, where git looks without the file.
 */
const missingGitFiles: readonly [name: string, content: string | undefined][] = [
  ["config.worktree", "# Rondo holds this place while a command runs in the sandbox.\n"],
  ["commondir", ".\n"],
  ["hooks", undefined],
  ["remotes", undefined],
  ["branches", undefined],
];
const heldSettings = missingGitFiles[0]?.[1];

/** Whether a folder with this name may hold the place of a missing one. */
export function isHeldFolder(place: string): boolean {
  const name = path.basename(place);
  return (
    watchedFolders.includes(name) || missingGitFiles.some(([one, content]) => one === name && content === undefined)
  );
}

/** Whether it is the content of a file that holds the place of a missing one. */
export function isHeldContent(place: string, content: string): boolean {
  return (
    content === heldSettings ||
    missingGitFiles.some(([name, held]) => name === path.basename(place) && held === content)
  );
}

const maxRepositories = 200;
/**
 * The time of bubblewrap grows with the square of what it mounts. In further repositories only that is held which git
 * follows at once, and their folders may be moved.
 */
const maxFullyHeld = 30;
const maxDepth = 4;

interface PlaceSearch extends ProtectedPlaces {
  /** Git folders, also those outside of the workspace, and the folders in which git runs their hooks and programs. */
  readonly repositories: Map<string, Set<string>>;
  /** All of the workspace, in which git's settings may name files. */
  readonly folders: readonly string[];
}

/**
 * `folder`: absolute, with links resolved. Settings are looked for at its top only, and repositories in a limited number of
 * folders: a search of all of it would delay each command. `state`: folders of editors and of Rondo.
 */
export function protectedPlaces(
  folder: string,
  folders: readonly string[] = [folder],
  state: readonly string[] = [],
): ProtectedPlaces {
  const found: PlaceSearch = { readOnly: [], pinned: [], missing: [], links: [], repositories: new Map(), folders };
  for (const name of namesIn(folder)) addEntry(path.join(folder, name), name, found);
  for (const name of watchedFolders) addMissing(path.join(folder, name), undefined, found);
  const { files, folders: repositories } = nestedRepositories(folder);
  // Tools that manage many repositories make links in them, which is no reason to run no command at all.
  const nested = { ...found, links: [] };
  for (const file of files) addFile(file, nested, false);
  for (const git of repositories) addRepository(git, nested);
  for (const file of [path.join(folder, ".git"), ...files])
    addRepository(gitFolderOf(file), nested, path.dirname(file));
  addRepository(enclosing(folder), nested);
  for (const at of [...found.repositories.keys(), ...files].slice(0, maxFullyHeld)) pinParents(at, found);
  addNamed(found);
  for (const at of state) addTarget(at, found, "any");
  // The workspace may be such a folder itself, but Rondo's worktrees are worked in.
  if (ownWorktreeOf(folder) === undefined && (isInEditorState(folder) || state.some((at) => isWithin(folder, at))))
    found.readOnly.push(folder);
  const { readOnly, pinned, missing, links } = found;
  // What is in a folder that may only be read must not become writable again.
  const isOpen = (at: string) => !readOnly.some((one) => isWithin(at, one));
  return { readOnly, pinned: pinned.filter(isOpen), missing, links };
}

function addEntry(place: string, name: string, found: PlaceSearch): void {
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
function addRepository(git: string | undefined, found: PlaceSearch, top = git && topOf(git)): void {
  if (git === undefined || top === undefined) return;
  const known = found.repositories.get(git)?.add(top);
  if (known || found.repositories.size >= maxRepositories) return;
  found.repositories.set(git, new Set([top]));
  const common = commonFolder(git);
  if (common !== git) addRepository(common, found);
  // Everything outside of the workspace may only be read.
  if (!isInside(git, found) && !found.folders.includes(git)) return;
  if (common === git && kindOf(path.join(git, "config")) === "missing") {
    found.readOnly.push(git);
    return;
  }
  found.pinned.push(git);
  addGitFiles(git, found);
  for (const folder of ["modules", "worktrees"]) addNested(path.join(git, folder), found, 0);
}

/** Adds the repositories of submodules and worktrees, which lie in folders named after their paths. */
function addNested(folder: string, found: PlaceSearch, depth: number): void {
  if (depth > maxDepth || found.pinned.length > maxRepositories || kindOf(folder) !== "folder") return;
  found.pinned.push(folder);
  const isRepository = kindOf(path.join(folder, "HEAD")) !== "missing";
  if (isRepository) {
    found.repositories.set(folder, new Set([topOf(folder)]));
    addGitFiles(folder, found);
  }
  const names = isRepository ? ["modules"] : namesIn(folder);
  for (const name of names) addNested(path.join(folder, name), found, depth + 1);
}

function addGitFiles(git: string, found: PlaceSearch): void {
  for (const name of gitFiles) addFile(path.join(git, name), found, true);
  const common = commonFolder(git);
  const isFull = found.repositories.size <= maxFullyHeld;
  // git-config(1): `config.worktree` counts where this extension is switched on.
  const isFollowed = (name: string) =>
    name === "config.worktree"
      ? isFull || /worktreeconfig/i.test(textOf(path.join(common, "config")))
      : common === git && (isFull || name === "hooks" || name === "commondir");
  for (const [name, content] of missingGitFiles) if (isFollowed(name)) addMissing(path.join(git, name), content, found);
}

/** The folder with the settings and hooks of a worktree, else the git folder itself. */
function commonFolder(git: string): string {
  const named = pathNamedIn(textOf(path.join(git, "commondir")));
  return (named === undefined ? undefined : realPath(path.resolve(git, named))) ?? git;
}

/** A file `.git` names the git folder. Undefined if it names none that exists. */
function gitFolderOf(file: string): string | undefined {
  const named = kindOf(file) === "file" ? gitDirNamedIn(textOf(file)) : undefined;
  return named === undefined ? undefined : realPath(path.resolve(path.dirname(file), named));
}

/** The repository of a folder above. */
function enclosing(folder: string): string | undefined {
  for (let parent = path.dirname(folder); parent !== path.dirname(parent); parent = path.dirname(parent)) {
    const git = path.join(parent, ".git");
    if (kindOf(git) !== "missing") return gitFolderOf(git) ?? realPath(git);
  }
  return undefined;
}

/** The folder in which git runs hooks and programs. */
function topOf(git: string): string {
  const file = pathNamedIn(textOf(path.join(git, "gitdir")));
  if (file !== undefined) return path.dirname(path.resolve(git, file));
  const worktree = settingsIn(path.join(git, "config")).findLast(({ key }) => key.toLowerCase() === "core.worktree");
  if (worktree) return path.resolve(git, worktree.value);
  return path.basename(git) === ".git" ? path.dirname(git) : git;
}

/** Otherwise a repository could be moved away with its folder, and another one put in its place. */
function pinParents(at: string, found: PlaceSearch): void {
  for (let parent = path.dirname(at); isInside(parent, found); parent = path.dirname(parent))
    if (!found.pinned.includes(parent)) found.pinned.push(parent);
}

/** Adds what git's settings name in the workspace, and where links among hooks and settings lead. */
function addNamed(found: PlaceSearch): void {
  const shared = userSettings();
  for (const file of shared) addTarget(file, found);
  for (const [git, tops] of found.repositories) {
    const files = [path.join(commonFolder(git), "config"), path.join(git, "config.worktree"), ...shared];
    const named = [...tops].flatMap((top) => files.flatMap((file) => namedBySettings(file, top)));
    for (const { at, as } of named)
      if (as === "words") addTarget(at, found);
      else addPlace(at, as === "settings" ? heldSettings : undefined, found);
  }
  for (const folder of found.readOnly.filter((at) => kindOf(at) === "folder"))
    for (const name of namesIn(folder))
      if (kindOf(path.join(folder, name)) === "link") addTarget(path.join(folder, name), found);
}

/** Adds what is in the workspace and exists, wherever it is named. A folder stays writable where a word may name it. */
function addTarget(at: string, found: PlaceSearch, only: "file" | "any" = "file"): void {
  const real = realPath(at);
  if (
    real === undefined ||
    (only === "file" && kindOf(real) !== "file") ||
    !isInside(real, found) ||
    isReadOnly(real, found)
  )
    return;
  found.readOnly.push(real);
  pinParents(real, found);
}

/** Adds a file or folder that is followed as soon as it exists. `content`: of the file that holds its place. */
function addPlace(at: string, content: string | undefined, found: PlaceSearch): void {
  const folder = found.folders.find((one) => at !== one && isWithin(at, one));
  if (folder !== undefined && !isReadOnly(at, found)) {
    const place = firstOdd(at, folder);
    if (kindOf(place) === "missing") addMissing(place, place === at ? content : undefined, found);
    else addFile(place, found, true);
    pinParents(place, found);
  }
  addTarget(at, found, "any");
}

/** The first part of a path below a folder that is missing or a link, else the path itself. */
function firstOdd(at: string, folder: string): string {
  const names = path.relative(folder, at).split(path.sep);
  const parts = names.map((_, index) => path.join(folder, ...names.slice(0, index + 1)));
  return parts.find((part) => /missing|link/.test(kindOf(part))) ?? at;
}

/** Whether it is below a workspace folder. */
const isInside = (at: string, { folders }: PlaceSearch) => folders.some((one) => at !== one && isWithin(at, one));
const isReadOnly = (at: string, { readOnly }: PlaceSearch) => readOnly.some((one) => isWithin(at, one));

function addFile(place: string, found: ProtectedPlaces, mustHold: boolean): void {
  const kind = kindOf(place);
  if (kind === "missing") return;
  if (kind !== "link") found.readOnly.push(place);
  else if (mustHold) found.links.push(place);
}

function addMissing(place: string, content: string | undefined, found: ProtectedPlaces): void {
  if (kindOf(place) !== "missing") return;
  found.missing.push({ at: place, content });
  found.readOnly.push(place);
}

const namesIn = (folder: string): string[] => attempt(() => readdirSync(folder), []);
const textOf = (file: string): string => attempt(() => readFileSync(file, "utf8"), "");

function kindOf(place: string): "missing" | "link" | "folder" | "file" {
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (!stats) return "missing";
  if (stats.isSymbolicLink()) return "link";
  return stats.isDirectory() ? "folder" : "file";
}

// Finds what the settings of git name: more settings, hooks, and programs that git runs. Pure but for reading files.

interface NamedBySettings {
  /** Absolute. */
  at: string;
  /** `words` may name a file or something else. */
  as: "settings" | "hooks" | "program" | "words";
}

interface Setting {
  /** Section, sub-section and name. */
  key: string;
  value: string;
}

/** git-config(1) 2.51 and gitattributes(5): their values are commands, or programs. */
const runs = new RegExp(
  `^(?:${[
    "core\\.(?:fsmonitor|sshcommand|gitproxy|editor|pager|askpass|alternaterefscommand)|sequence\\.editor",
    "(?:alias|pager)\\..+|interactive\\.difffilter|diff\\.(?:external|.+\\.(?:command|textconv))|merge\\..+\\.driver",
    "(?:difftool|mergetool|man|browser)\\..+\\.(?:cmd|path)|web\\.browser|filter\\..+\\.(?:clean|smudge|process)",
    "gpg\\.(?:.+\\.)?(?:program|defaultkeycommand)|credential\\.(?:.+\\.)?helper|trailer\\..+\\.(?:cmd|command)",
    "remote\\..+\\.(?:uploadpack|receivepack|vcs)|uploadpack\\.packobjectshook|tar\\..+\\.command|hook\\..+\\.command",
    "submodule\\..+\\.update|sendemail\\..+|imap\\.tunnel|instaweb\\.httpd|lfs\\.customtransfer\\..+\\.(?:path|args)",
  ].join("|")})$`,
  "i",
);

/** Git reads no more levels of files that include each other. */
const maxIncludes = 10;

/** The user's own settings of git, which hold in each repository. */
function userSettings(home = os.homedir()): string[] {
  const config = process.env["XDG_CONFIG_HOME"] || path.join(home, ".config");
  const set = process.env["GIT_CONFIG_GLOBAL"];
  return [path.join(home, ".gitconfig"), path.join(config, "git", "config"), ...(set ? [path.resolve(set)] : [])];
}

/** `top`: the folder in which git runs hooks and programs, that of the files or of a bare repository. */
function namedBySettings(file: string, top: string, depth = 0): NamedBySettings[] {
  return settingsIn(file).flatMap(({ key, value }): NamedBySettings[] => {
    if (/^include(?:if\..+)?\.path$/i.test(key)) {
      const at = resolved(value, path.dirname(file));
      const further = depth < maxIncludes ? namedBySettings(at, top, depth + 1) : [];
      return [{ at, as: "settings" }, ...further];
    }
    if (/^core\.hookspath$/i.test(key)) return value === "" ? [] : [{ at: resolved(value, top), as: "hooks" }];
    if (!runs.test(key)) return [];
    return looseWords(value, "$=!").map((word, index) => ({
      at: resolved(word, top),
      as: index === 0 && word.includes("/") ? "program" : "words",
    }));
  });
}

function resolved(name: string, folder: string): string {
  return /^~\//.test(name) ? path.join(os.homedir(), name.slice(2)) : path.resolve(folder, name);
}

/** Reads a file of git's settings without those that it includes. */
function settingsIn(file: string): Setting[] {
  const text = attempt(() => readFileSync(file, "utf8"), "");
  const found: Setting[] = [];
  let section = "";
  for (const line of text.replace(/\\\r?\n/g, "").split(/\r?\n/)) {
    const header = headerIn(line);
    if (header) section = header.section;
    const setting = header?.rest ?? line;
    const equals = setting.indexOf("=");
    const name = (equals < 0 ? setting : setting.slice(0, equals)).trim();
    const value = equals < 0 ? "" : setting.slice(equals + 1);
    if (/^[a-z][\w-]*$/i.test(name)) found.push({ key: `${section}.${name}`, value: plainValue(value) });
  }
  return found;
}

/** Returns the section that a line begins, as `section.sub-section`, and what follows on the line. */
function headerIn(line: string): { section: string; rest: string } | undefined {
  const text = line.trimStart();
  if (!text.startsWith("[")) return undefined;
  const [quote, bracket] = [text.indexOf('"'), text.indexOf("]")];
  if (bracket < 0) return undefined;
  if (quote < 0 || bracket < quote) return { section: text.slice(1, bracket).trim(), rest: text.slice(bracket + 1) };
  let name = "";
  let at = quote + 1;
  for (; at < text.length && text[at] !== '"'; at++) {
    if (text[at] === "\\") at++;
    name += text[at] ?? "";
  }
  const end = text.indexOf("]", at);
  return end < 0 ? undefined : { section: `${text.slice(1, quote).trim()}.${name}`, rest: text.slice(end + 1) };
}

/** Without comments, quotes and escapes. */
function plainValue(text: string): string {
  let plain = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (letter === "\\") plain += text[++at] ?? "";
    else if (letter === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (letter === "#" || letter === ";")) break;
    else plain += letter;
  }
  return plain.trim();
}
