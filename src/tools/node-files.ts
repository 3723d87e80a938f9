/** Files on this disk (T10, T12). */
import { createHash, randomBytes } from "node:crypto";
import { closeSync, constants, openSync, readSync, realpathSync, type Stats, statSync } from "node:fs";
import { access, type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { decode, type Encoding, encode, mediaType } from "./codec.ts";
import { requireTrust, staleSentence } from "./files.ts";
import type { FileKind, Location, TextFile, Workspace } from "./host.ts";
import { locate, similarNames } from "./node-paths.ts";
import { ToolError } from "./tool.ts";

/** Bytes. */
const sizeLimit = 10_000_000;

export function nodeWorkspace(folders: readonly string[], trusted: boolean): Workspace {
  const real = folders.map(realFolder);
  const workspace: Workspace = {
    folders: real,
    trusted,
    locate: (name) => locate(name, real),
    async open(name, signal) {
      const location = await locate(name, real);
      return await openAt(location, signal);
    },
    async write(location, text, expected, signal) {
      requireTrust(workspace);
      return await writeAt(location, text, expected, signal);
    },
  };
  return workspace;
}

/** What a text is known by: changes whenever it does. */
export function versionOf(text: string): string {
  return createHash("sha1").update(text).digest("base64");
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}

async function openAt(location: Location, signal: AbortSignal): Promise<FileKind> {
  return (await inspect(location, signal)).kind;
}

/** With the encoding of a text. */
async function inspect(location: Location, signal: AbortSignal): Promise<{ kind: FileKind; encoding?: Encoding }> {
  signal.throwIfAborted();
  let stats: Stats;
  try {
    stats = statSync(location.path);
  } catch (error) {
    if (isMissing(error)) return { kind: { type: "missing", similar: await similarNames(location), location } };
    throw explain(error, location, "read");
  }
  if (stats.isDirectory()) return { kind: { type: "folder", entries: await list(location), location } };
  if (!stats.isFile()) return { kind: { type: "special", location } };
  const tooLarge = (size: number) => ({ kind: { type: "too-large" as const, size, limit: sizeLimit, location } });
  if (stats.size > sizeLimit) return tooLarge(stats.size);
  const bytes =
    stats.size > 0 && stats.size <= smallSize ? readSmall(location, stats.size) : await readBytes(location, stats.size);
  signal.throwIfAborted();
  if (bytes.length > sizeLimit) return tooLarge(bytes.length);
  const mime = mediaType(bytes);
  if (mime !== undefined) return { kind: { type: "media", mime, bytes, location } };
  const decoded = decode(bytes);
  if (!decoded) return { kind: { type: "binary", size: bytes.length, location } };
  return { kind: { type: "text", file: asFile(location, decoded.text) }, encoding: decoded.encoding };
}

function asFile(location: Location, text: string): TextFile {
  return { ...location, text, version: versionOf(text), unsaved: false };
}

async function list(location: Location): Promise<string[]> {
  try {
    const entries = await readdir(location.path, { withFileTypes: true });
    return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  } catch (error) {
    throw explain(error, location, "read");
  }
}

/** Read at once: a detour over the thread pool, four times a file, takes longer than the whole. */
const smallSize = 256 * 1024;

function readSmall(location: Location, size: number): Buffer {
  let file: number | undefined;
  try {
    // Without waiting, should a pipe have taken the file's place.
    file = openSync(location.path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const bytes = Buffer.allocUnsafe(size + 1);
    let total = 0;
    for (let read = -1; read !== 0 && total < size; total += read)
      read = readSync(file, bytes, total, size + 1 - total, null);
    return bytes.subarray(0, total);
  } catch (error) {
    throw explain(error, location, "read");
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** At most one byte more than the limit. `size` is what the system says, which for some files (`/proc`) is 0. */
async function readBytes(location: Location, size: number): Promise<Buffer> {
  let handle: FileHandle | undefined;
  try {
    // Without waiting, should a pipe have taken the file's place.
    handle = await open(location.path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const chunks: Buffer[] = [];
    let total = 0;
    while (total <= sizeLimit) {
      // Room for one byte more, so that the first read shows whether the size is right.
      const room = total === 0 ? size + 1 : 65_536;
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(Math.min(room, sizeLimit + 1 - total)));
      chunks.push(buffer.subarray(0, bytesRead));
      total += bytesRead;
      if (bytesRead === 0 || total === size) break;
    }
    return Buffer.concat(chunks);
  } catch (error) {
    throw explain(error, location, "read");
  } finally {
    await handle?.close();
  }
}

async function writeAt(location: Location, text: string, expected: string, signal: AbortSignal): Promise<TextFile> {
  const encoding = await checkedEncoding(location, expected, signal);
  signal.throwIfAborted();
  try {
    if (encoding === undefined) await create(location, encode(text, "utf8"));
    else await replace(location.path, encode(text, encoding));
  } catch (error) {
    throw explain(error, location, "written");
  }
  return asFile(location, text.startsWith("\ufeff") ? text.slice(1) : text);
}

/** The encoding of the file that is there; undefined when it is to be made. @throws ToolError when it is another than expected */
async function checkedEncoding(
  location: Location,
  expected: string,
  signal: AbortSignal,
): Promise<Encoding | undefined> {
  const { kind, encoding } = await inspect(location, signal);
  if (kind.type === "missing" && expected === "missing") return undefined;
  if (kind.type === "missing") throw new ToolError(`${location.relative} has been deleted since it was read.`);
  if (expected === "missing") throw new ToolError(`${location.relative} exists by now: read it first.`);
  if (kind.type !== "text" || kind.file.version !== expected) throw new ToolError(staleSentence(location.relative));
  return encoding;
}

async function create(location: Location, bytes: Buffer): Promise<void> {
  const file = location.path;
  try {
    await mkdir(path.dirname(file), { recursive: true });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    throw new ToolError(`${location.relative} cannot be written: one of its parents is a file, not a folder.`);
  }
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
async function replace(file: string, bytes: Buffer): Promise<void> {
  await access(file, constants.W_OK);
  const stats = statSync(file);
  const temporary = path.join(
    path.dirname(file),
    `.${path.basename(file).slice(0, 100)}.${randomBytes(6).toString("hex")}`,
  );
  let handle: FileHandle | undefined;
  if (stats.nlink === 1) handle = await open(temporary, "wx", stats.mode).catch(() => undefined);
  if (!handle) return await overwrite(file, bytes);
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
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    // Another's file in a folder of ours: it can be written, but not given back to its owner.
    if (codeOf(error) === "EPERM") return await overwrite(file, bytes);
    throw error;
  }
}

/** Puts the old bytes back when the new ones do not fit. */
async function overwrite(file: string, bytes: Buffer): Promise<void> {
  const handle = await open(file, "r+");
  try {
    const old = await handle.readFile();
    try {
      await writeFrom(handle, bytes);
    } catch (error) {
      await writeFrom(handle, old);
      throw error;
    }
  } finally {
    await handle.close();
  }
}

async function writeFrom(handle: FileHandle, bytes: Buffer): Promise<void> {
  let done = 0;
  while (done < bytes.length) done += (await handle.write(bytes, done, bytes.length - done, done)).bytesWritten;
  await handle.truncate(bytes.length);
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

const reasons: Record<string, string> = {
  EACCES: "permission is denied",
  EPERM: "the system does not permit it",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full; nothing was changed",
  EDQUOT: "the disk quota is used up; nothing was changed",
  ENOTDIR: "one of its parents is a file, not a folder",
  EISDIR: "it is a folder",
  ENAMETOOLONG: "its name is too long",
  EEXIST: "it exists by now: read it first",
  EBUSY: "it is in use",
  ETXTBSY: "it is a program that is running",
  EMFILE: "too many files are open",
};

function explain(error: unknown, { relative }: Location, done: "read" | "written"): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  return new ToolError(`${relative} cannot be ${done}: ${reasons[code] ?? code}.`);
}
