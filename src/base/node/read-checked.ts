/** Reads small files that somebody else may have put there: no link that a check refuses is followed, no pipe or device opened. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { msg } from "../../l10n/l10n.ts";
import { systemErrorCode } from "./system-errors.ts";

/** Returns why a path may not be read, as the end of a sentence; undefined if it may. `real` has its links resolved. */
export type ReadCheck = (real: string, asked: string) => string | undefined;

export type CheckedRead =
  | { type: "missing" }
  | { type: "unusable"; why: string }
  /** `size` in bytes; `bytes` is at most the requested part. */
  | { type: "file"; bytes: Buffer; size: number };

/** Reads at most `limit` bytes. Synchronous: the first request waits for it. */
export function readChecked(
  file: string,
  check: ReadCheck,
  limit: number,
  from: "start" | "end" = "start",
): CheckedRead {
  let descriptor: number | undefined;
  try {
    const real = resolveChecked(file, check);
    if (real.type !== "there") return real;
    // Opening a device can have effects; opening a pipe would block until somebody writes.
    if (!statSync(real.path).isFile()) return { type: "unusable", why: msg("it is not a file") };
    const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
    descriptor = openSync(real.path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    const { size, ino, dev } = fstatSync(descriptor);
    // What was opened is still what was checked, and no folder has become a link.
    const now = lstatSync(real.path);
    if (realpathSync.native(file) !== real.path || now.ino !== ino || now.dev !== dev) {
      return { type: "unusable", why: msg("it changed while it was read") };
    }
    const bytes = Buffer.alloc(Math.min(size, limit));
    const read = readSync(descriptor, bytes, 0, bytes.length, from === "start" ? 0 : size - bytes.length);
    return { type: "file", bytes: bytes.subarray(0, read), size };
  } catch (error) {
    return { type: "unusable", why: msg("it cannot be read ({0})", codeOf(error)) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

type ResolvedPath = { type: "missing" } | { type: "unusable"; why: string } | { type: "there"; path: string };

/** Resolves links and checks where they lead. */
export function resolveChecked(asked: string, check: ReadCheck): ResolvedPath {
  if (isMissing(asked)) return { type: "missing" };
  const real = realpathSync.native(asked);
  const why = check(real, asked);
  return why === undefined ? { type: "there", path: real } : { type: "unusable", why };
}

/** Decodes UTF-8 and drops a character that was cut at the end. Returns undefined for binary data. */
export function decodeText(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll("\r\n", "\n");
}

export function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}

/** Checks without exceptions, which are expensive: most configuration files do not exist. */
function isMissing(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    // A parent is a file.
    if (codeOf(error) === "ENOTDIR") return true;
    throw error;
  }
}

const codeOf = (error: unknown) => systemErrorCode(error) ?? msg("unknown reason");
