/** What is at a path: read without ever following a link, and told apart by content. */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from "node:fs";
import * as z from "zod/mini";

export const FileState = z.discriminatedUnion("type", [
  z.object({ type: z.literal("missing") }),
  z.object({ type: z.literal("folder") }),
  z.object({ type: z.literal("link"), target: z.string() }),
  /**
   * `mode`: permission bits. `hash`: SHA-256 in hexadecimal; empty where the content is not known; `~` and more where the
   * file is so large that it is known by its size and times alone.
   */
  z.object({ type: z.literal("file"), mode: z.number(), size: z.number(), hash: z.string() }),
  /** A device, a pipe, a socket. */
  z.object({ type: z.literal("special") }),
]);
export type FileState = z.infer<typeof FileState>;

export const missing: FileState = { type: "missing" };

/** Changes whenever a file may have changed. Times in ms with their fractions. */
export interface Stamp {
  size: number;
  mtime: number;
  ctime: number;
  ino: number;
  mode: number;
}

export interface Found {
  state: FileState;
  /** Undefined for what is no file, or too large to be read. */
  bytes: Buffer | undefined;
  stamp: Stamp | undefined;
}

/** Largest file that is kept when a command changes it, in bytes. */
export const largestUnnamed = 2 << 20;

/** Largest file that is kept when a tool names it, or when a restore is about to change it, in bytes. */
export const largestNamed = 16 << 20;

export function sameState(a: FileState, b: FileState): boolean {
  if (a.type === "file") return b.type === "file" && a.hash === b.hash && a.hash !== "" && a.mode === b.mode;
  if (a.type === "link") return b.type === "link" && a.target === b.target;
  return a.type === b.type;
}

export function sameStamp(a: Stamp, b: Stamp): boolean {
  return a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime && a.ino === b.ino && a.mode === b.mode;
}

export const toStamp = ({ size, mtimeMs, ctimeMs, ino, mode }: Stats): Stamp => ({
  size,
  mtime: mtimeMs,
  ctime: ctimeMs,
  ino,
  mode,
});

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export function fileState(bytes: Uint8Array, mode: number): FileState {
  return { type: "file", mode: mode & 0o777, size: bytes.length, hash: hashOf(bytes) };
}

/** What is at the path now. A file of more than `limit` bytes is known by its size and times. */
export function readState(path: string, limit: number): Found {
  const stats = lstat(path);
  if (!stats) return { state: missing, bytes: undefined, stamp: undefined };
  const stamp = toStamp(stats);
  const found = (state: FileState, bytes?: Buffer): Found => ({ state, bytes, stamp });
  if (stats.isDirectory()) return found({ type: "folder" });
  if (stats.isSymbolicLink()) return found({ type: "link", target: linkTarget(path) });
  if (!stats.isFile()) return found({ type: "special" });
  const unread: FileState = { type: "file", mode: stats.mode & 0o777, size: stats.size, hash: datedHash(stamp) };
  if (stats.size > limit) return found(unread);
  const read = readFile(path, limit);
  return read ? { state: fileState(read.bytes, read.stamp.mode), ...read } : found({ ...unread, hash: "" });
}

/** Undefined where nothing is, or nothing that this process may see. */
export function lstat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Bytes and stamp that belong together; undefined when it cannot be read, is no file, or does not hold still. */
export function readFile(path: string, limit: number): { bytes: Buffer; stamp: Stamp } | undefined {
  for (let tries = 0; tries < 3; tries++) {
    let file: number | undefined;
    try {
      // Without waiting, should a pipe have taken the file's place.
      file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
      const stats = fstatSync(file);
      if (!stats.isFile() || stats.size > limit) return undefined;
      const bytes = readAll(file, stats.size);
      if (bytes.length === stats.size && sameStamp(toStamp(stats), toStamp(fstatSync(file)))) {
        return { bytes, stamp: toStamp(stats) };
      }
    } catch {
      return undefined;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }
  return undefined;
}

/** One byte more than `size` is asked for, so that a file that has grown shows it. */
function readAll(file: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size + 1);
  let total = 0;
  for (let read = -1; read !== 0 && total <= size; total += read)
    read = readSync(file, bytes, total, size + 1 - total, null);
  return bytes.subarray(0, total);
}

export const datedHash = ({ size, mtime, ctime }: Stamp) => `~${size}-${mtime}-${ctime}`;

export function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
