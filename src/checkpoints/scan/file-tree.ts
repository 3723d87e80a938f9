/** The files of the workspace at the last scan: names and stamps, no contents. */
import { constants, type Dirent, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Ignore } from "ignore";
import ignore from "ignore";
import { attempt } from "../../base/attempt.ts";
import { repositoryAbove } from "../../base/node/repository.ts";
import { isSecretName } from "../../tools/file-access/protected-names.ts";
import { isWithin } from "../../tools/file-access/requirements.ts";
import { type FileStamp, linkTarget, lstat, toStamp } from "../files/file-state.ts";
import { TimeSlices } from "../files/time-slices.ts";
import type { StampTable } from "./stamp-table.ts";

/** Maximum number of files and folders that are scanned. */
const maxFiles = 300_000;

/** A path that has changed. Whether its content differs is not known yet. `before` is undefined if it was missing. */
export type FileDifference =
  | { type: "file"; path: string; before: FileEntry | undefined }
  | { type: "folder"; path: string; before: "folder" | "missing" };

export interface FileEntry {
  stamp: FileStamp;
  /** Target of a link. */
  target: string | undefined;
}

interface TreeFolder {
  /** The rules of this folder and its parents. */
  ignores: IgnoreRules;
  files: Set<string>;
  folders: Set<string>;
}

export class TooManyFiles extends Error {}

export class FileTree {
  readonly #roots: readonly string[];
  readonly #storeFolder: string;
  readonly #table: StampTable;
  #folders = new Map<string, TreeFolder>();
  readonly #targets = new Map<string, string>();
  /** Ignored files that a tool has named. */
  readonly #named = new Set<string>();
  #differences: FileDifference[] | undefined;
  #rulesChanged = false;
  #slices = new TimeSlices();
  /** Number of times that all names were read. Each time, files may appear that have not changed. */
  reads = 0;

  constructor(roots: readonly string[], storeFolder: string, table: StampTable) {
    this.#storeFolder = storeFolder;
    this.#roots = roots.filter((root) => !roots.some((other) => other !== root && isWithin(root, other)));
    this.#table = table;
  }

  files(): string[] {
    return [...this.#table.paths()].filter((name) => !this.#folders.has(name));
  }

  folders(): ReadonlySet<string> {
    return new Set(this.#folders.keys());
  }

  entry(file: string): FileEntry | undefined {
    if (this.#folders.has(file)) return undefined;
    const stamp = this.#table.get(file);
    return stamp && { stamp, target: this.#targets.get(file) };
  }

  /** @throws TooManyFiles */
  async read(): Promise<void> {
    this.reads++;
    this.#folders = new Map();
    this.#slices = new TimeSlices();
    for (const root of this.#roots) await this.#addFolder(root, IgnoreRules.above(root));
    // Removes files that the rules now ignore.
    for (const file of [...this.#table.paths()]) {
      if (this.#folders.has(file)) continue;
      const shown = this.#folders.get(path.dirname(file))?.files.has(path.basename(file));
      if (!shown && !this.#named.has(file)) this.#drop(file);
    }
  }

  /**
   * Returns what has changed since the last scan.
   * @param among files and folders; if they are given, only they are looked at
   * @throws TooManyFiles
   */
  async scan(among?: readonly string[]): Promise<FileDifference[]> {
    const differences: FileDifference[] = [];
    this.#differences = differences;
    this.#slices = new TimeSlices();
    try {
      const changed = (among ? this.#table.changedAmong(among) : await this.#table.changed()).sort();
      for (const name of changed) {
        await this.#slices.yieldIfDue();
        const folder = this.#folders.get(name);
        if (folder) await this.#checkFolder(name, folder);
        else if (this.#table.has(name)) this.#checkFile(name);
      }
    } finally {
      this.#differences = undefined;
    }
    if (!this.#rulesChanged || among) return differences;
    // Files that the new rules show or hide have not changed.
    this.#rulesChanged = false;
    await this.read();
    return differences;
  }

  /** Remembers a file that was written or deleted by name, even if it is ignored. The next scan does not report it. */
  refresh(file: string, stamp: FileStamp | undefined): void {
    const name = path.basename(file);
    const folder = this.#folders.get(path.dirname(file));
    if (ignoreFiles.includes(name)) this.#rulesChanged = true;
    if (!stamp) {
      folder?.files.delete(name);
      this.#forget(file);
      return;
    }
    if (folder && !folder.ignores.ignores(path.dirname(file), name, false)) folder.files.add(name);
    else this.#named.add(file);
    this.#put(file, stamp);
  }

  /** Updates the stamp of a file that a scan has found. */
  updateStamp(file: string, stamp: FileStamp | undefined): void {
    const isFolder = stamp && (stamp.mode & constants.S_IFMT) === constants.S_IFDIR;
    if (stamp && !isFolder && this.entry(file)) this.#put(file, stamp);
  }

  /** Remembers a folder that was created or removed together with a file. */
  refreshFolder(name: string): void {
    const parent = this.#folders.get(path.dirname(name));
    if (!parent || parent.ignores.ignores(path.dirname(name), path.basename(name), true)) return;
    const stats = lstat(name);
    if (!stats?.isDirectory()) this.#forgetFolder(name);
    else if (!this.#folders.has(name)) {
      parent.folders.add(path.basename(name));
      this.#folders.set(name, { ignores: parent.ignores.below(name), files: new Set(), folders: new Set() });
      this.#put(name, toStamp(stats));
    }
  }

  #checkFile(file: string): void {
    const before = this.entry(file);
    const stats = lstat(file);
    if (stats && !stats.isDirectory()) this.#put(file, toStamp(stats));
    else {
      this.#forget(file);
      this.#folders.get(path.dirname(file))?.files.delete(path.basename(file));
    }
    this.#report({ type: "file", path: file, before });
  }

  async #checkFolder(name: string, folder: TreeFolder): Promise<void> {
    const stats = lstat(name);
    if (!stats?.isDirectory()) return this.#removeFolder(name);
    this.#put(name, toStamp(stats));
    const entries = readFolder(name);
    const now = new Map(entries.map((entry) => [entry.name, entry]));
    for (const file of folder.files) {
      if (isFile(now.get(file))) continue;
      folder.files.delete(file);
      this.#removeFile(path.join(name, file));
    }
    for (const below of folder.folders) {
      if (!now.get(below)?.isDirectory()) this.#removeFolder(path.join(name, below));
    }
    for (const entry of entries) await this.#addEntry(name, folder, entry);
  }

  async #addFolder(name: string, above: IgnoreRules): Promise<void> {
    const stats = lstat(name);
    if (!stats?.isDirectory()) return;
    const entries = readFolder(name);
    const ignores = entries.some((entry) => ignoreFiles.includes(entry.name)) ? above.below(name) : above;
    const folder: TreeFolder = { ignores, files: new Set(), folders: new Set() };
    this.#folders.set(name, folder);
    this.#put(name, toStamp(stats));
    this.#report({ type: "folder", path: name, before: "missing" });
    for (const entry of entries) await this.#addEntry(name, folder, entry);
  }

  async #addEntry(parent: string, folder: TreeFolder, entry: Dirent): Promise<void> {
    const name = path.join(parent, entry.name);
    const isFolder = entry.isDirectory();
    if (!isFolder && !isFile(entry)) return;
    if ((isFolder ? folder.folders : folder.files).has(entry.name)) return;
    if (name === this.#storeFolder || folder.ignores.ignores(parent, entry.name, isFolder)) return;
    await this.#slices.yieldIfDue();
    if (isFolder) {
      folder.folders.add(entry.name);
      return await this.#addFolder(name, folder.ignores);
    }
    folder.files.add(entry.name);
    // A tool has named it, or the rules have changed.
    if (this.entry(name)) return;
    const stats = lstat(name);
    if (!stats) return;
    this.#put(name, toStamp(stats));
    this.#report({ type: "file", path: name, before: undefined });
    if (this.#table.size > maxFiles) throw new TooManyFiles();
  }

  #removeFile(file: string): void {
    const before = this.entry(file);
    this.#drop(file);
    if (before) this.#report({ type: "file", path: file, before });
  }

  #removeFolder(name: string): void {
    const folder = this.#folders.get(name);
    if (!folder) return;
    for (const file of folder.files) this.#removeFile(path.join(name, file));
    for (const below of folder.folders) this.#removeFolder(path.join(name, below));
    this.#forgetFolder(name);
    this.#report({ type: "folder", path: name, before: "folder" });
  }

  #forgetFolder(name: string): void {
    this.#folders.delete(name);
    this.#table.delete(name);
    this.#folders.get(path.dirname(name))?.folders.delete(path.basename(name));
  }

  #put(file: string, stamp: FileStamp): void {
    this.#table.put(file, stamp, isFresh(stamp));
    if ((stamp.mode & constants.S_IFMT) === constants.S_IFLNK) this.#targets.set(file, linkTarget(file));
    else this.#targets.delete(file);
  }

  /** Removes a missing file. If a tool has named it, creating it again counts as a change. */
  #forget(file: string): void {
    if (this.#folders.has(file)) return;
    this.#drop(file);
    if (this.#named.has(file)) this.#table.expect(file);
  }

  #drop(file: string): void {
    this.#table.delete(file);
    this.#targets.delete(file);
  }

  #report(difference: FileDifference): void {
    this.#differences?.push(difference);
    if (difference.type === "file" && ignoreFiles.includes(path.basename(difference.path))) this.#rulesChanged = true;
  }
}

/** Maximum step of a file system's clock. Some count whole seconds. */
const clockGrainMs = 50;
const coarseClockGrainMs = 2500;

function isFresh({ mtime, ctime }: FileStamp): boolean {
  const isCoarse = mtime % 1000 === 0 && ctime % 1000 === 0;
  return Date.now() - Math.max(mtime, ctime) < (isCoarse ? coarseClockGrainMs : clockGrainMs);
}

const readFolder = (folder: string): Dirent[] => attempt(() => readdirSync(folder, { withFileTypes: true }), []);

const isFile = (entry: Dirent | undefined): boolean =>
  entry !== undefined && (entry.isFile() || entry.isSymbolicLink());

// Rules for files that are not scanned: files that git or `.rondoignore` ignore, secrets, and installed packages.

/** Names of rule files in each folder, weakest first. */
const ignoreFiles: readonly string[] = [".gitignore", ".rondoignore"];

const neverSourceFolders = new Set(["node_modules", ".hg", ".svn", ".jj"]);

/** The rules of one folder and its parents. */
export class IgnoreRules {
  readonly #folder: string;
  readonly #own: Ignore | undefined;
  readonly #above: IgnoreRules | undefined;

  private constructor(folder: string, own: Ignore | undefined, above: IgnoreRules | undefined) {
    this.#folder = folder;
    this.#own = own;
    this.#above = above;
  }

  /** Returns the rules of the repository above a workspace folder. */
  static above(root: string): IgnoreRules {
    const repository = repositoryAbove(root);
    if (!repository) return new IgnoreRules(root, undefined, undefined);
    const above: string[] = [];
    for (let at = root; at !== repository.root; at = path.dirname(at)) above.unshift(path.dirname(at));
    const exclude = readRules([path.join(repository.commonDir, "info", "exclude")]);
    const base = new IgnoreRules(repository.root, exclude, undefined);
    return above.reduce((rules: IgnoreRules, folder) => rules.below(folder), base);
  }

  below(folder: string): IgnoreRules {
    const own = readRules(ignoreFiles.map((name) => path.join(folder, name)));
    // Only folders with rules of their own add to the chain.
    return own ? new IgnoreRules(folder, own, this) : this;
  }

  /** Whether a file or folder is ignored whose parent folder is not. */
  ignores(folder: string, name: string, isFolder: boolean): boolean {
    if (name.toLowerCase() === ".git" || isSecretName(name) || (isFolder && neverSourceFolders.has(name))) return true;
    return this.#matches(path.join(folder, name), isFolder);
  }

  #matches(file: string, isFolder: boolean): boolean {
    if (this.#own) {
      const relative = file.slice(this.#folder.length + 1).replaceAll(path.sep, "/");
      const { ignored, unignored } = this.#own.test(isFolder ? `${relative}/` : relative);
      if (ignored) return true;
      if (unignored) return false;
    }
    return this.#above ? this.#above.#matches(file, isFolder) : false;
  }
}

/** Returns undefined if none of the files has any rules. */
function readRules(files: readonly string[]): Ignore | undefined {
  const texts = files.map((file) => attempt(() => readFileSync(file, "utf8"), ""));
  if (texts.every((text) => text.trim() === "")) return undefined;
  return texts.reduce((all, text) => all.add(text), ignore());
}
