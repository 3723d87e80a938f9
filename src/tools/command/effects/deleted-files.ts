/** Counts the files that a command would delete, and those of them that git has, within a short time. */
import { lstatSync, readdirSync, type Stats } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type FoundRepository, repositoryAbove, repositoryAt } from "../../../base/node/repository.ts";
import { type GitIndex, hasChanged, readGitIndex } from "../../node-host/git-index.ts";

/** The user waits for the card meanwhile. */
const maxCountMs = 120;
const maxFiles = 100_000;
/** Others have their turn after this time. */
const turnMs = 8;

export interface DeletedFiles {
  files: number;
  /** Empty folders count as well where nothing else is found. */
  folders: number;
  /** The path as it was given, if one file is all. */
  only: string | undefined;
  /** Files that git has; undefined if that cannot be found out. */
  inGit: number | undefined;
  /** Files that git has, perhaps with other text. */
  changed: number;
  /** Whether a path lies in a repository. */
  isRepository: boolean;
  /** Whether there are more than could be counted. */
  isCut: boolean;
}

/** Which files count. Paths are absolute; `tracked`: whether git has the file, or a file in the folder. */
export interface DeletionFilter {
  enters(folder: string, tracked: () => boolean): boolean;
  counts(file: string, tracked: boolean): boolean;
}

const everything: DeletionFilter = { enters: () => true, counts: () => true };

/** `paths`: absolute. @throws the signal's reason on abort */
export async function countDeleted(
  paths: readonly string[],
  signal: AbortSignal,
  { filter = everything, limitMs = maxCountMs } = {},
): Promise<DeletedFiles> {
  const count = new DeletionCount(filter, signal, limitMs);
  await count.add(paths);
  return count.result;
}

interface KnownRepository {
  root: string;
  index: GitIndex | undefined;
}

class DeletionCount {
  readonly result: DeletedFiles = {
    files: 0,
    folders: 0,
    only: undefined,
    inGit: 0,
    changed: 0,
    isRepository: false,
    isCut: false,
  };
  readonly #filter: DeletionFilter;
  readonly #signal: AbortSignal;
  readonly #end: number;
  readonly #repositories = new Map<string, KnownRepository>();
  readonly #seen = new Set<string>();
  #turn = performance.now() + turnMs;

  constructor(filter: DeletionFilter, signal: AbortSignal, limitMs: number) {
    this.#filter = filter;
    this.#signal = signal;
    this.#end = performance.now() + limitMs;
  }

  async add(paths: readonly string[]): Promise<void> {
    for (const one of outermost(paths)) {
      const stats = statsOf(one);
      if (!stats) continue;
      const repository = this.#known(repositoryAbove(stats.isDirectory() ? one : path.dirname(one)));
      if (stats.isDirectory()) {
        if (this.#filter.enters(one, () => tracksBelow(repository, one))) await this.#addFolder(one, repository);
      } else this.#addFile(one, repository, stats);
      if (this.result.isCut) return;
    }
  }

  /** Goes through the folders, which come before what is in them. */
  async #addFolder(top: string, above: KnownRepository | undefined): Promise<void> {
    const open = [{ folder: top, repository: above }];
    for (let at = 0; at < open.length; at++) {
      const next = open[at];
      if (!next || (await this.#isOver())) return;
      const { folder } = next;
      const entries = entriesOf(folder);
      const own = entries.some(({ name }) => name === ".git") ? repositoryAt(folder) : undefined;
      const repository = own ? this.#known(own) : next.repository;
      this.result.folders += 1;
      for (const entry of entries) {
        const file = folder.endsWith(path.sep) ? folder + entry.name : folder + path.sep + entry.name;
        if (!entry.isDirectory()) this.#addFile(file, repository);
        else if (this.#filter.enters(file, () => tracksBelow(repository, file)))
          open.push({ folder: file, repository });
      }
    }
  }

  #addFile(file: string, repository: KnownRepository | undefined, known?: Stats): void {
    if (this.#seen.has(file)) return;
    const tracked = repository?.index?.get(relativeTo(repository, file));
    if (!this.#filter.counts(file, tracked !== undefined)) return;
    this.#seen.add(file);
    const { result } = this;
    result.files += 1;
    result.only = result.files === 1 ? file : undefined;
    if (repository) result.isRepository = true;
    if (repository && !repository.index) result.inGit = undefined;
    if (!tracked || result.inGit === undefined) return;
    result.inGit += 1;
    const stats = known ?? statsOf(file);
    if (stats && hasChanged(tracked, stats)) result.changed += 1;
  }

  async #isOver(): Promise<boolean> {
    const now = performance.now();
    if (now > this.#end || this.result.files > maxFiles) {
      this.result.isCut = true;
      return true;
    }
    if (now > this.#turn) {
      await nextTurn();
      this.#signal.throwIfAborted();
      this.#turn = performance.now() + turnMs;
    }
    return false;
  }

  #known(found: FoundRepository | "broken" | undefined): KnownRepository | undefined {
    if (!found || found === "broken") return undefined;
    const { root, gitDir } = found;
    const known = this.#repositories.get(root) ?? { root, index: readGitIndex(gitDir) };
    this.#repositories.set(root, known);
    return known;
  }
}

/** Returns a path as the shell would see it, without resolving links. */
export function absolutePath(name: string, folder: string, cwd: string): string {
  const fromHome = (one: string) => (/^~(?=\/|$)/.test(one) ? os.homedir() + one.slice(1) : one);
  return path.resolve(cwd, fromHome(folder), fromHome(name));
}

/** Leaves out what lies in another of the paths. */
function outermost(paths: readonly string[]): string[] {
  const kept: string[] = [];
  for (const one of [...new Set(paths)].sort()) {
    if (!kept.some((folder) => one.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep))) kept.push(one);
  }
  return kept;
}

/** Undefined for what is not there, or may not be looked at. Of a link, not of its target. */
function statsOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Faster than `path.relative`: the file lies in the root. */
const relativeTo = ({ root }: KnownRepository, file: string) =>
  file.slice(root.endsWith(path.sep) ? root.length : root.length + 1).replaceAll(path.sep, "/");

const folders = new WeakMap<GitIndex, Set<string>>();

function tracksBelow(repository: KnownRepository | undefined, folder: string): boolean {
  if (!repository?.index) return false;
  let known = folders.get(repository.index);
  if (!known) {
    known = new Set();
    for (const name of repository.index.keys()) {
      for (let at = name.lastIndexOf("/"); at > 0; at = name.lastIndexOf("/", at - 1)) known.add(name.slice(0, at));
    }
    folders.set(repository.index, known);
  }
  const name = relativeTo(repository, folder);
  return name === "" || known.has(name);
}
