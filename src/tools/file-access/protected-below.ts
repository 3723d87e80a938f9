/** Finds protected files in a folder, for commands that may read all of it. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Host, Location } from "../host.ts";
import { FileList, listArguments } from "./search-filter.ts";

/** A limit in files and folders, not in time: a command is judged alike on a busy machine. */
const maxEntries = 200_000;
const maxCharacters = 100_000_000;
/** The number of files about which git's rules are read here. */
const maxTested = 20;
/** The number of files and folders after which others may have their turn. */
const entriesPerTurn = 10_000;

export interface BelowOptions {
  signal: AbortSignal;
  /** Whether files count that git ignores. */
  ignored: boolean;
  limit?: number | undefined;
  /** What several searches may look at together. */
  budget?: { entries: number } | undefined;
  /** Whether files in a folder, given as a relative path, can matter. */
  enters?: ((folder: string) => boolean) | undefined;
  /** Stops at the first file for which this is true, and returns it alone. */
  until?: ((path: string) => boolean) | undefined;
}

/** Returns sorted relative paths; undefined when the folder has too many files. */
export async function protectedBelow(
  folder: Location,
  host: Host,
  options: BelowOptions,
): Promise<string[] | undefined> {
  if (options.ignored) return await walk(folder, host, options);
  let tested = 0;
  const mayCount = (path: string) =>
    ++tested > maxTested || (!host.workspace.isGitIgnored(`${folder.path}/${path}`) && (options.until?.(path) ?? true));
  const found = await walk(folder, host, { ...options, until: mayCount });
  // Only ripgrep knows all of git's rules, but starting it is slow.
  return found?.length === 0 ? [] : await withoutIgnored(folder, host, options);
}

async function walk(
  folder: Location,
  { workspace }: Host,
  { signal, limit = maxEntries, budget = { entries: limit }, enters, until }: BelowOptions,
): Promise<string[] | undefined> {
  const filter = workspace.searchFilter(folder);
  const most = Math.min(limit, budget.entries);
  const root = folder.path.replace(/[/\\]$/, "");
  const found: string[] = [];
  const open = [""];
  let count = 0;
  let turn = entriesPerTurn;
  for (let at = 0; at < open.length; at++) {
    const parent = open[at] ?? "";
    const listing = workspace.list(parent === "" ? folder.path : `${root}/${parent}`);
    if (!listing) continue;
    const entries = 1 + listing.files.length + listing.links.length;
    count += entries;
    budget.entries -= entries;
    if (count > most) return undefined;
    const prefix = parent === "" ? "" : `${parent}/`;
    for (const name of filter.excludedIn(parent, listing)) {
      if (until?.(prefix + name)) return [prefix + name];
      found.push(prefix + name);
    }
    for (const name of listing.folders) {
      // Git's own files show no secrets of their own.
      if (name !== ".git" && (enters?.(prefix + name) ?? true)) open.push(prefix + name);
    }
    if (count > turn) {
      await nextTurn();
      signal.throwIfAborted();
      turn = count + entriesPerTurn;
    }
  }
  return until ? [] : found.sort();
}

async function withoutIgnored(
  folder: Location,
  { search, workspace }: Host,
  { signal, limit = maxEntries, until }: BelowOptions,
): Promise<string[] | undefined> {
  const tooMany = new AbortController();
  const filter = workspace.searchFilter(folder);
  let count = 0;
  const list = new FileList(filter, (path) => {
    count += 1;
    if (count > limit) tooMany.abort();
    return filter.isExcluded(path);
  });
  try {
    const { cut } = await search.ripgrep(["--files", ...listArguments], {
      cwd: folder.path,
      limit: maxCharacters,
      signal: AbortSignal.any([signal, tooMany.signal]),
      take: list.take,
    });
    if (cut || count > limit) return undefined;
    const found = list.excluded.sort();
    return until ? found.filter(until).slice(0, 1) : found;
  } catch (error) {
    signal.throwIfAborted();
    if (tooMany.signal.aborted) return undefined;
    throw error;
  }
}
