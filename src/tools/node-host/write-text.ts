/** Writes texts to this disk, into the very folder that was located. */

import { randomBytes } from "node:crypto";
import { constants, lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { access, type FileHandle, mkdir, open, rename, rm, unlink } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { systemErrorCode } from "../../base/node/system-errors.ts";
import { msg } from "../../l10n/l10n.ts";
import { staleError } from "../file-access/file-checks.ts";
import type { FileKind, Location } from "../host.ts";
import { type Encoding, encode } from "../text/codec.ts";
import { ToolError } from "../tool.ts";
import { movedError, toToolError } from "./tool-errors.ts";

export interface FoundText {
  encoding: Encoding;
  stats: Stats;
}

interface ExpectedState {
  /** A version, or "missing". */
  expected: string;
  kind: FileKind;
  found: FoundText | undefined;
}

/** Keeps encoding, BOM and mode. @throws ToolError if the file is not in the expected version, or cannot be written */
export async function writeText(location: Location, text: string, state: ExpectedState, signal: AbortSignal) {
  assertExpected(location, state);
  signal.throwIfAborted();
  let folder: OpenFolder | undefined;
  try {
    folder = await openFolder(path.dirname(location.path), location, state.found === undefined);
    if (state.found) await replaceFile(folder, location, encode(text, state.found.encoding), state.found.stats);
    else await createFile(folder, location, encode(text, "utf8"));
  } catch (error) {
    throw toToolError(error, location, "written");
  } finally {
    await folder?.handle?.close();
  }
}

/** @throws ToolError if the file is not in the expected version, or cannot be deleted */
export async function removeText(location: Location, state: ExpectedState, signal: AbortSignal): Promise<void> {
  assertExpected(location, state);
  signal.throwIfAborted();
  if (!state.found) return;
  let folder: OpenFolder | undefined;
  try {
    folder = await openFolder(path.dirname(location.path), location, false);
    const file = folder.at(path.basename(location.path));
    assertUntouched(lstatSync(file), location, state.found.stats);
    await unlink(file);
  } catch (error) {
    throw toToolError(error, location, "deleted");
  } finally {
    await folder?.handle?.close();
  }
}

function assertExpected(location: Location, { expected, kind }: ExpectedState): void {
  const { relative } = location;
  if (kind.type === "missing") {
    if (expected === "missing") return;
    throw new ToolError(msg("{0} has been deleted since it was read.", relative));
  }
  if (expected === "missing")
    throw new ToolError(
      `${relative} now exists: read it first.`,
      msg("{0} exists now; the model reads it first.", relative),
    );
  if (kind.type !== "text" || kind.file.version !== expected) throw staleError(location);
}

/** An open folder: names in it stay in it even if its path becomes a link meanwhile. */
interface OpenFolder {
  at(name: string): string;
  /** Undefined on systems that cannot reach a file through an open folder. */
  handle: FileHandle | undefined;
}

async function plainFolder(folder: string, location: Location, makes: boolean): Promise<OpenFolder> {
  if (makes) await mkdir(folder, { recursive: true }).catch((error) => rejectFile(error, location));
  if (realpathSync.native(folder) !== folder) throw movedError(location);
  return { at: (name) => path.join(folder, name), handle: undefined };
}

/** @param makes whether to create a missing folder and its parents */
async function openFolder(folder: string, location: Location, makes: boolean): Promise<OpenFolder> {
  if (process.platform !== "linux") return await plainFolder(folder, location, makes);
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const opened = (name: string) => open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  let handle: FileHandle;
  try {
    handle = await opened(folder);
  } catch (error) {
    if (!makes || systemErrorCode(error) !== "ENOENT") rejectFile(error, location);
    const parent = await openFolder(path.dirname(folder), location, makes);
    try {
      const name = parent.at(path.basename(folder));
      await mkdir(name).catch((error) => {
        if (systemErrorCode(error) !== "EEXIST") throw error;
      });
      handle = await opened(name);
    } catch (error) {
      return rejectFile(error, location);
    } finally {
      await parent.handle?.close();
    }
  }
  const own = `/proc/self/fd/${handle.fd}`;
  const leads = linkText(own);
  if (leads === folder) return { at: (name) => `${own}/${name}`, handle };
  await handle.close();
  // Without `/proc` the open folder has no path.
  if (leads === undefined) return await plainFolder(folder, location, makes);
  throw movedError(location);
}

function linkText(name: string): string | undefined {
  try {
    return readlinkSync(name);
  } catch {
    return undefined;
  }
}

function rejectFile(error: unknown, { relative }: Location): never {
  if (!["EEXIST", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) throw error;
  throw new ToolError(msg("{0} cannot be written: one of its parents is a file, not a folder.", relative));
}

async function createFile(folder: OpenFolder, location: Location, bytes: Buffer): Promise<void> {
  const file = folder.at(path.basename(location.path));
  // Fails if anything has that name, including a link.
  const handle = await open(file, "wx");
  try {
    await handle.writeFile(bytes);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Replaces by renaming, so that a crash leaves the old or the new file; in place if the file has hard links. */
async function replaceFile(folder: OpenFolder, location: Location, bytes: Buffer, stats: Stats): Promise<void> {
  const name = path.basename(location.path);
  const file = folder.at(name);
  await access(file, constants.W_OK);
  const temporary = folder.at(`.${name.slice(0, 100)}.${randomBytes(6).toString("hex")}`);
  let handle: FileHandle | undefined;
  if (stats.nlink === 1) handle = await open(temporary, "wx", stats.mode).catch(() => undefined);
  if (!handle) return await overwriteInPlace(file, location, bytes, stats);
  try {
    try {
      await handle.writeFile(bytes);
      const own = await handle.stat();
      if (own.uid !== stats.uid || own.gid !== stats.gid) await handle.chown(stats.uid, stats.gid);
      await handle.chmod(stats.mode);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    assertUntouched(lstatSync(file), location, stats);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    // Another user's file in a folder of this user: it can be written, but a new file cannot get its owner.
    if (systemErrorCode(error) === "EPERM") return await overwriteInPlace(file, location, bytes, stats);
    throw error;
  }
}

/** @throws ToolError if the file was replaced or written since its text was compared */
function assertUntouched(now: Stats, location: Location, before: Stats): void {
  const same = now.ino === before.ino && now.dev === before.dev;
  if (!same || now.size !== before.size || now.mtimeMs !== before.mtimeMs) throw staleError(location);
}

/** Restores the old bytes if the new ones do not fit on the disk. */
async function overwriteInPlace(file: string, location: Location, bytes: Buffer, stats: Stats): Promise<void> {
  const { O_RDWR, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  const handle = await open(file, O_RDWR | O_NONBLOCK | O_NOFOLLOW);
  try {
    assertUntouched(await handle.stat(), location, stats);
    const old = await handle.readFile();
    try {
      await writeFromStart(handle, bytes);
    } catch (error) {
      await writeFromStart(handle, old);
      throw error;
    }
  } finally {
    await handle.close();
  }
}

async function writeFromStart(handle: FileHandle, bytes: Buffer): Promise<void> {
  let done = 0;
  while (done < bytes.length) done += (await handle.write(bytes, done, bytes.length - done, done)).bytesWritten;
  await handle.truncate(bytes.length);
}
