/** The files of the workspace as they were when last looked at: names and stamps, no contents. */
import { constants, type Dirent, readdirSync } from "node:fs";
import path from "node:path";
import { isWithin } from "../../tools/file-access/requirements.ts";
import { linkTarget, lstat, type Stamp, toStamp } from "../files/file-state.ts";
import { Pace } from "../files/time-slices.ts";
import { Ignores, ignoreFiles } from "./ignore-rules.ts";
import type { StampTable } from "./stamp-table.ts";

/** More files than this are not looked at. */
const mostFiles = 300_000;

/** Something that is not as it was; `before` undefined: it was not there. Whether it differs in content is not known yet. */
export type Difference =
  | { type: "file"; path: string; before: Entry | undefined }
  | { type: "folder"; path: string; before: "folder" | "missing" };

export interface Entry {
  stamp: Stamp;
  /** Where it leads, if it is a link. */
  target: string | undefined;
}

interface Folder {
  /** Its own rules and those above. */
  ignores: Ignores;
  files: Set<string>;
  folders: Set<string>;
}

export class TooManyFiles extends Error {}

export class Tree {
  readonly #roots: readonly string[];
  readonly #store: string;
  readonly #table: StampTable;
  #folders = new Map<string, Folder>();
  readonly #targets = new Map<string, string>();
  /** Not looked for, but named by a tool. */
  readonly #named = new Set<string>();
  #differences: Difference[] | undefined;
  #rulesChanged = false;
  #pace = new Pace();
  /** How often names were read anew; from then on some may be new that have not changed. */
  reads = 0;

  constructor(roots: readonly string[], store: string, table: StampTable) {
    this.#store = store;
    this.#roots = roots.filter((root) => !roots.some((other) => other !== root && isWithin(root, other)));
    this.#table = table;
  }

  /** How many files and folders there are. */
  get size(): number {
    return this.#table.size;
  }

  files(): string[] {
    return [...this.#table.paths()].filter((name) => !this.#folders.has(name));
  }

  entry(file: string): Entry | undefined {
    if (this.#folders.has(file)) return undefined;
    const stamp = this.#table.get(file);
    return stamp && { stamp, target: this.#targets.get(file) };
  }

  /** @throws TooManyFiles */
  async read(): Promise<void> {
    this.reads++;
    this.#folders = new Map();
    this.#pace = new Pace();
    for (const root of this.#roots) await this.#addFolder(root, Ignores.above(root));
    // What the rules hide by now.
    for (const file of [...this.#table.paths()]) {
      if (this.#folders.has(file)) continue;
      const shown = this.#folders.get(path.dirname(file))?.files.has(path.basename(file));
      if (!shown && !this.#named.has(file)) this.#drop(file);
    }
  }

  /** Looks at everything again. @throws TooManyFiles */
  async scan(): Promise<Difference[]> {
    const differences: Difference[] = [];
    this.#differences = differences;
    this.#pace = new Pace();
    try {
      const changed = (await this.#table.changed()).sort();
      for (const name of changed) {
        await this.#pace.next();
        const folder = this.#folders.get(name);
        if (folder) await this.#lookInto(name, folder);
        else if (this.#table.has(name)) this.#lookAt(name);
      }
    } finally {
      this.#differences = undefined;
    }
    if (!this.#rulesChanged) return differences;
    // What other rules show or hide has not changed.
    this.#rulesChanged = false;
    await this.read();
    return differences;
  }

  /** Takes note of a file that was written by name, be it ignored, or is gone: the next scan finds nothing new about it. */
  refresh(file: string, stamp: Stamp | undefined): void {
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

  /** Of a file that was found by a scan a newer stamp is known. */
  adopt(file: string, stamp: Stamp | undefined): void {
    if (stamp && this.entry(file) && isFileMode(stamp)) this.#put(file, stamp);
  }

  /** Takes note of a folder that was made or removed on the way to a file. */
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

  #lookAt(file: string): void {
    const before = this.entry(file);
    const stats = lstat(file);
    if (stats && !stats.isDirectory()) {
      this.#put(file, toStamp(stats));
      this.#note({ type: "file", path: file, before });
      return;
    }
    this.#forget(file);
    this.#folders.get(path.dirname(file))?.files.delete(path.basename(file));
    this.#note({ type: "file", path: file, before });
  }

  async #lookInto(name: string, folder: Folder): Promise<void> {
    const stats = lstat(name);
    if (!stats?.isDirectory()) return this.#removeFolder(name, folder);
    this.#put(name, toStamp(stats));
    const entries = listed(name);
    const now = new Map(entries.map((entry) => [entry.name, entry]));
    for (const file of folder.files) {
      if (isFile(now.get(file))) continue;
      folder.files.delete(file);
      const before = this.entry(path.join(name, file));
      this.#drop(path.join(name, file));
      if (before) this.#note({ type: "file", path: path.join(name, file), before });
    }
    for (const below of folder.folders) {
      if (now.get(below)?.isDirectory()) continue;
      const inner = this.#folders.get(path.join(name, below));
      if (inner) this.#removeFolder(path.join(name, below), inner);
    }
    for (const entry of entries) await this.#addEntry(name, folder, entry);
  }

  async #addFolder(name: string, above: Ignores): Promise<void> {
    const stats = lstat(name);
    if (!stats?.isDirectory()) return;
    const entries = listed(name);
    const ignores = entries.some((entry) => ignoreFiles.includes(entry.name)) ? above.below(name) : above;
    const folder: Folder = { ignores, files: new Set(), folders: new Set() };
    this.#folders.set(name, folder);
    this.#put(name, toStamp(stats));
    this.#note({ type: "folder", path: name, before: "missing" });
    for (const entry of entries) await this.#addEntry(name, folder, entry);
  }

  async #addEntry(parent: string, folder: Folder, entry: Dirent): Promise<void> {
    const name = path.join(parent, entry.name);
    const isFolder = entry.isDirectory();
    if (!isFolder && !isFile(entry)) return;
    if ((isFolder ? folder.folders : folder.files).has(entry.name)) return;
    if (name === this.#store || folder.ignores.ignores(parent, entry.name, isFolder)) return;
    await this.#pace.next();
    if (isFolder) {
      folder.folders.add(entry.name);
      await this.#addFolder(name, folder.ignores);
      return;
    }
    folder.files.add(entry.name);
    // Known already: a tool has named it, or the rules have changed.
    if (this.entry(name)) return;
    const stats = lstat(name);
    if (!stats) return;
    this.#put(name, toStamp(stats));
    this.#note({ type: "file", path: name, before: undefined });
    if (this.#table.size > mostFiles) throw new TooManyFiles();
  }

  #removeFolder(name: string, folder: Folder): void {
    for (const file of folder.files) {
      const before = this.entry(path.join(name, file));
      this.#drop(path.join(name, file));
      if (before) this.#note({ type: "file", path: path.join(name, file), before });
    }
    for (const below of folder.folders) {
      const inner = this.#folders.get(path.join(name, below));
      if (inner) this.#removeFolder(path.join(name, below), inner);
    }
    this.#forgetFolder(name);
    this.#note({ type: "folder", path: name, before: "folder" });
  }

  #forgetFolder(name: string): void {
    this.#folders.delete(name);
    this.#table.delete(name);
    this.#folders.get(path.dirname(name))?.folders.delete(path.basename(name));
  }

  #put(file: string, stamp: Stamp): void {
    this.#table.put(file, stamp, isFresh(stamp));
    if ((stamp.mode & constants.S_IFMT) === constants.S_IFLNK) this.#targets.set(file, linkTarget(file));
    else this.#targets.delete(file);
  }

  /** It is gone. If a tool has named it, its coming back would be noticed. */
  #forget(file: string): void {
    if (this.#folders.has(file)) return;
    this.#drop(file);
    if (this.#named.has(file)) this.#table.expect(file);
  }

  #drop(file: string): void {
    this.#table.delete(file);
    this.#targets.delete(file);
  }

  #note(difference: Difference): void {
    this.#differences?.push(difference);
    if (difference.type === "file" && ignoreFiles.includes(path.basename(difference.path))) this.#rulesChanged = true;
  }
}

/** How coarse a system's clock for files may be, in ms; of some it is whole seconds. */
const grain = 50;
const coarseGrain = 2500;

function isFresh({ mtime, ctime }: Stamp): boolean {
  const isCoarse = mtime % 1000 === 0 && ctime % 1000 === 0;
  return Date.now() - Math.max(mtime, ctime) < (isCoarse ? coarseGrain : grain);
}

function listed(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

const isFileMode = ({ mode }: Stamp): boolean => (mode & constants.S_IFMT) !== constants.S_IFDIR;

const isFile = (entry: Dirent | undefined): boolean =>
  entry !== undefined && (entry.isFile() || entry.isSymbolicLink());
