/** Texts to this disk: in the folder that was located, whatever its path has come to mean. */
import { randomBytes } from "node:crypto";
import { constants, lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { access, type FileHandle, mkdir, open, rename, rm, unlink } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { staleError } from "../file-access/file-checks.ts";
import type { FileKind, Location } from "../host.ts";
import { type Encoding, encode } from "../text/codec.ts";
import { ToolError } from "../tool.ts";
import { movedError, systemErrorCode, toToolError } from "./system-errors.ts";

/** How a text was found on the disk. */
export interface FoundText {
  encoding: Encoding;
  stats: Stats;
}

/** What is there now, and what is to be there. */
interface ExpectedState {
  /** A version, or "missing". */
  expected: string;
  kind: FileKind;
  found: FoundText | undefined;
}

/** Keeps encoding, BOM and mode. @throws ToolError when the state is another than expected, or the file cannot be written */
export async function writeText(
  location: Location,
  text: string,
  state: ExpectedState,
  signal: AbortSignal,
): Promise<void> {
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

/** @throws ToolError when the state is another than expected, or the file cannot be deleted */
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
    throw new ToolError(`${relative} has been deleted since it was read.`);
  }
  if (expected === "missing") throw new ToolError(`${relative} exists by now: read it first.`);
  if (kind.type !== "text" || kind.file.version !== expected) throw staleError(location);
}

/** An open folder: names in it stay in it, even when its path has become a link under way. */
interface OpenFolder {
  /** Absolute; to be used at once. */
  at(name: string): string;
  /** Undefined where folders cannot be opened, or a name in one not be reached through it. */
  handle: FileHandle | undefined;
}

/** @param makes whether it is to be made where it is missing, with its parents */
async function openFolder(folder: string, location: Location, makes: boolean): Promise<OpenFolder> {
  if (process.platform !== "linux") return await plainFolder(folder, location, makes);
  return await pinnedFolder(folder, location, makes);
}

async function plainFolder(folder: string, location: Location, makes: boolean): Promise<OpenFolder> {
  if (makes) await mkdir(folder, { recursive: true }).catch((error) => rejectFile(error, location));
  if (realpathSync.native(folder) !== folder) throw movedError(location);
  return { at: (name) => path.join(folder, name), handle: undefined };
}

async function pinnedFolder(folder: string, location: Location, makes: boolean): Promise<OpenFolder> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const opened = (name: string) => open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  let handle: FileHandle;
  try {
    handle = await opened(folder);
  } catch (error) {
    if (!makes || systemErrorCode(error) !== "ENOENT") rejectFile(error, location);
    const parent = await pinnedFolder(path.dirname(folder), location, makes);
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
  // Without `/proc` there is no name for what is open.
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
  throw new ToolError(`${relative} cannot be written: one of its parents is a file, not a folder.`);
}

async function createFile(folder: OpenFolder, location: Location, bytes: Buffer): Promise<void> {
  const file = folder.at(path.basename(location.path));
  // Fails where anything has that name, a link too.
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

/** By renaming, so that a crash leaves the old file or the new one; but in place where that would lose a hard link. */
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
    // Another's file in a folder of ours: it can be written, but not given back to its owner.
    if (systemErrorCode(error) === "EPERM") return await overwriteInPlace(file, location, bytes, stats);
    throw error;
  }
}

/** @throws ToolError when the file is another than the one whose text was compared, or has been written since */
function assertUntouched(now: Stats, location: Location, before: Stats): void {
  const same = now.ino === before.ino && now.dev === before.dev;
  if (!same || now.size !== before.size || now.mtimeMs !== before.mtimeMs) throw staleError(location);
}

/** Puts the old bytes back when the new ones do not fit. */
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
