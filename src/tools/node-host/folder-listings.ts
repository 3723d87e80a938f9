/**
 * Lists folders, and reads a folder again only when it has changed. Its times change with each entry that comes or goes,
 * but in steps: a second change within one step leaves no trace. So a listing is kept only if the last change was longer
 * ago than a step when the folder was read, and only on file systems that keep these times.
 */
import { readdirSync, type Stats, statfsSync } from "node:fs";
import process from "node:process";
import { statsOf } from "../../base/node/stats.ts";
import type { FolderListing } from "../host.ts";

/**
 * File systems of Linux that change a folder's times with its entries: ext2 to ext4, XFS, Btrfs, tmpfs, overlayfs, F2FS
 * (linux/magic.h). Network and FUSE file systems may report any time, and on Windows FAT changes none.
 */
const keepingTimes: ReadonlySet<number> = new Set([
  ...[0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010],
]);
/** A tick of the kernel's clock is at most 10 ms (time(7)). */
const longestStepMs = 100;
/** Small inodes keep whole seconds. */
const longestWholeStepMs = 3_000;
/** Beyond this number of names everything is read again. */
const maxNames = 300_000;

interface KeptListing {
  stats: Stats;
  listing: FolderListing;
}

export class FolderListings {
  readonly #folders: readonly string[];
  readonly #kept = new Map<string, KeptListing>();
  #devices: ReadonlySet<number> | undefined;
  #names = 0;

  /** `folders`: of the workspace, absolute. */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** Returns undefined for what is no folder or cannot be read. `folder`: absolute, with links resolved. */
  list(folder: string): FolderListing | undefined {
    this.#devices ??= new Set(this.#folders.flatMap(deviceOf));
    if (this.#devices.size === 0) return read(folder);
    const now = Date.now();
    const stats = statsOf(folder);
    const kept = this.#kept.get(folder);
    if (kept && stats && isSame(kept.stats, stats)) return kept.listing;
    const listing = read(folder);
    if (listing && stats && this.#devices.has(stats.dev) && isSettled(stats, now))
      this.#keep(folder, { stats, listing });
    return listing;
  }

  #keep(folder: string, kept: KeptListing): void {
    const { files, folders, links } = kept.listing;
    this.#names += 1 + files.length + folders.length + links.length;
    if (this.#names > maxNames) {
      this.#kept.clear();
      this.#names = 0;
    }
    this.#kept.set(folder, kept);
  }
}

/** Returns the device of a folder whose listings may be kept. */
function deviceOf(folder: string): number[] {
  if (process.platform !== "linux") return [];
  try {
    const stats = keepingTimes.has(statfsSync(folder).type) ? statsOf(folder) : undefined;
    return stats ? [stats.dev] : [];
  } catch {
    return [];
  }
}

function isSame(one: Stats, other: Stats): boolean {
  return (
    one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs && one.ino === other.ino && one.dev === other.dev
  );
}

/** Whether a change from `now` on would show in the times. */
export function isSettled({ mtimeMs, ctimeMs }: Stats, now: number): boolean {
  const changed = Math.max(mtimeMs, ctimeMs);
  return now - changed > (changed % 1000 === 0 ? longestWholeStepMs : longestStepMs);
}

function read(folder: string): FolderListing | undefined {
  const listing = { files: [] as string[], folders: [] as string[], links: [] as string[] };
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const kind = entry.isDirectory() ? listing.folders : entry.isSymbolicLink() ? listing.links : listing.files;
      kind.push(entry.name);
    }
  } catch {
    return undefined;
  }
  for (const names of Object.values(listing)) names.sort();
  return listing;
}
