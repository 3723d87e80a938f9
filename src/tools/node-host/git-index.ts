/**
 * Reads which files git has, without starting it: starting it takes longer than a question may wait on a busy machine.
 * Format: git's Documentation/gitformat-index.adoc, versions 2 to 4.
 */
import { readFileSync, type Stats, statSync } from "node:fs";
import path from "node:path";

export interface TrackedFile {
  size: number;
  /** Seconds since 1970. */
  modified: number;
}

/** By path relative to the folder of the repository, with `/`. */
export type GitIndex = ReadonlyMap<string, TrackedFile>;

const maxBytes = 64_000_000;
const modeOfFolders = 0o040000;
const isExtended = 0x4000;

/** Returns what the index of a repository holds; undefined if it cannot be read here. `gitDir`: the folder with git's files. */
export function readGitIndex(gitDir: string): GitIndex | undefined {
  try {
    const file = path.join(gitDir, "index");
    const stats = statOf(file);
    // A repository without commits and without additions has no index.
    if (!stats) return new Map();
    return stats.size > maxBytes ? undefined : parseIndex(readFileSync(file));
  } catch {
    return undefined;
  }
}

/** Whether a file may have other text than git knows of it. */
export function hasChanged({ size, modified }: TrackedFile, stats: Stats): boolean {
  return stats.size !== size || Math.floor(stats.mtimeMs / 1000) !== modified;
}

function statOf(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false });
}

function parseIndex(bytes: Buffer): GitIndex | undefined {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return undefined;
  const count = bytes.readUInt32BE(8);
  const files = new Map<string, TrackedFile>();
  let at = 12;
  let name: Buffer = Buffer.alloc(0);
  for (let index = 0; index < count; index++) {
    const mode = bytes.readUInt32BE(at + 24);
    const flags = bytes.readUInt16BE(at + 60);
    let start = at + (flags & isExtended ? 64 : 62);
    if (version === 4) {
      const prefix = readOffset(bytes, start);
      start = prefix.end;
      const end = bytes.indexOf(0, start);
      name = Buffer.concat([name.subarray(0, name.length - prefix.value), bytes.subarray(start, end)]);
      at = readEntry(end + 1);
    } else {
      const end = bytes.indexOf(0, start);
      name = bytes.subarray(start, end);
      // Entries are padded to a multiple of eight bytes, with at least one of them.
      at = readEntry(at + ((end - at + 8) & ~7));
    }
    function readEntry(next: number): number {
      const entry = { modified: bytes.readUInt32BE(at + 8), size: bytes.readUInt32BE(at + 36) };
      if (mode !== modeOfFolders) files.set(name.toString("utf8"), entry);
      return next;
    }
  }
  // The entries of a split index are in another file.
  return bytes.subarray(at, at + 4).toString("latin1") === "link" ? undefined : files;
}

/** Reads a number of variable width, as in packs (gitformat-pack: offset encoding). */
function readOffset(bytes: Buffer, start: number): { value: number; end: number } {
  let at = start;
  let byte = bytes.readUInt8(at++);
  let value = byte & 127;
  while (byte & 128) {
    byte = bytes.readUInt8(at++);
    value = ((value + 1) << 7) | (byte & 127);
  }
  return { value, end: at };
}
