/** The state of a path: read without following links, and compared by content. */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from "node:fs";
import * as z from "zod/mini";
import { attempt } from "../../base/attempt.ts";
import { never } from "../../base/never.ts";

export const FileState = z.discriminatedUnion("type", [
  z.object({ type: z.literal("missing") }),
  z.object({ type: z.literal("folder") }),
  z.object({ type: z.literal("link"), target: z.string() }),
  /** `mode`: permission bits. `hash`: SHA-256 in hex; "" if not known; `~`, size and times if too large to be read. */
  z.object({ type: z.literal("file"), mode: z.number(), size: z.number(), hash: z.string() }),
  z.object({ type: z.literal("special") }), // A device, a pipe, a socket.
]);
export type FileState = z.infer<typeof FileState>;

export const missing: FileState = { type: "missing" };

/** Differs whenever a file may have changed. Times are in milliseconds, with fractions. */
export type FileStamp = Record<"size" | "mtime" | "ctime" | "ino" | "mode", number>;

export interface FoundFile {
  state: FileState;
  /** Undefined unless it is a file that is small enough to be read. */
  bytes: Buffer | undefined;
  stamp: FileStamp | undefined;
}

/** Maximum size of a file that is saved when a command changes it. */
export const maxUnnamedBytes = 2 << 20;
/** Maximum size of a file that is saved when a tool names it or a restore changes it. */
export const maxNamedBytes = 16 << 20;

export function sameState(a: FileState, b: FileState): boolean {
  switch (a.type) {
    case "file":
      return b.type === "file" && a.hash === b.hash && a.hash !== "" && a.mode === b.mode;
    case "link":
      return b.type === "link" && a.target === b.target;
    case "missing":
    case "folder":
    case "special":
      return a.type === b.type;
    default:
      return never(a);
  }
}

export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime && a.ino === b.ino && a.mode === b.mode;
}

export function toStamp({ size, mtimeMs: mtime, ctimeMs: ctime, ino, mode }: Stats): FileStamp {
  return { size, mtime, ctime, ino, mode };
}

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export function fileState(bytes: Uint8Array, mode: number): FileState {
  return { type: "file", mode: mode & 0o777, size: bytes.length, hash: hashOf(bytes) };
}

/** Returns the current state of a path. A file of more than `limit` bytes is identified by its size and times. */
export function readState(path: string, limit: number): FoundFile {
  const stats = lstat(path);
  if (!stats) return { state: missing, bytes: undefined, stamp: undefined };
  const stamp = toStamp(stats);
  const found = (state: FileState, bytes?: Buffer): FoundFile => ({ state, bytes, stamp });
  if (stats.isDirectory()) return found({ type: "folder" });
  if (stats.isSymbolicLink()) return found({ type: "link", target: linkTarget(path) });
  if (!stats.isFile()) return found({ type: "special" });
  const unread: FileState = { type: "file", mode: stats.mode & 0o777, size: stats.size, hash: datedHash(stamp) };
  if (stats.size > limit) return found(unread);
  const read = readFile(path, limit);
  return read ? { state: fileState(read.bytes, read.stamp.mode), ...read } : found({ ...unread, hash: "" });
}

/** Returns undefined if nothing is there, or nothing that this process may see. */
export function lstat(path: string): Stats | undefined {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }), undefined);
}

/** Returns bytes and stamp of the same moment; undefined if it is not a readable file or keeps changing. */
export function readFile(path: string, limit: number): { bytes: Buffer; stamp: FileStamp } | undefined {
  for (let tries = 0; tries < 3; tries++) {
    let file: number | undefined;
    try {
      // Does not block if a pipe has taken the place of the file.
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

/** Asks for one byte more than `size`, which shows whether the file has grown. */
function readAll(file: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size + 1);
  let total = 0;
  for (let read = -1; read !== 0 && total <= size; total += read)
    read = readSync(file, bytes, total, size + 1 - total, null);
  return bytes.subarray(0, total);
}

export const datedHash = ({ size, mtime, ctime }: FileStamp) => `~${size}-${mtime}-${ctime}`;

export const linkTarget = (path: string): string => attempt(() => readlinkSync(path), "");
