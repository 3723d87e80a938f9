/** Files on this disk (T10, T12). A path that leads elsewhere than when it was located is refused. */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  read,
  readSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { realFolder } from "../../base/node/read-checked.ts";
import { isMissing } from "../../base/node/system-errors.ts";
import { requireTrust } from "../file-access/file-checks.ts";
import type { FileKind, Location, TextFile, Workspace } from "../host.ts";
import { decode, decodeLossily, mediaType } from "../text/codec.ts";
import { FolderListings } from "./folder-listings.ts";
import { isSurelyIgnored } from "./git-ignored.ts";
import { leadsTo, locate, similarNames } from "./locate.ts";
import { ProtectedFiles } from "./protection.ts";
import { movedError, toToolError } from "./tool-errors.ts";
import { type FoundText, removeText, writeText } from "./write-text.ts";

const sizeLimit = 10_000_000;

/** `state`: folders in which Rondo keeps its own state. */
export function nodeWorkspace(
  folders: readonly string[],
  trusted: boolean,
  secrets: readonly string[] = [],
  state: readonly string[] = [],
) {
  const real = folders.map(realFolder);
  const protectedFiles = new ProtectedFiles(real, secrets, state);
  const listings = new FolderListings(real);
  const workspace: Workspace = {
    folders: real,
    trusted,
    restrictsChange: undefined,
    locate: (name) => locate(name, real, protectedFiles),
    async open(place, signal) {
      const location = typeof place === "string" ? await locate(place, real, protectedFiles) : place;
      return (await inspect(location, protectedFiles, signal)).kind;
    },
    look: lookAt,
    list: (folder) => listings.list(folder),
    isGitIgnored: isSurelyIgnored,
    searchFilter: ({ path, protection }) => protectedFiles.searchFilter(path, protection),
    async write(location, text, expected, signal) {
      requireTrust(workspace);
      const { kind, found } = await inspect(location, protectedFiles, signal);
      await writeText(location, text, { expected, kind, found }, signal);
      return asFile(location, text.startsWith("\ufeff") ? text.slice(1) : text);
    },
    async remove(location, expected, signal) {
      requireTrust(workspace);
      const { kind, found } = await inspect(location, protectedFiles, signal);
      await removeText(location, { expected, kind, found }, signal);
    },
  };
  return workspace;
}

export function versionOf(text: string): string {
  return createHash("sha1").update(text).digest("base64");
}

async function lookAt(location: Location): Promise<"file" | "folder" | "special" | "missing"> {
  assertSame(location);
  const stats = statsOf(location);
  if (!stats) return "missing";
  if (stats.isDirectory()) return "folder";
  return stats.isFile() ? "file" : "special";
}

function statsOf(location: Location): Stats | undefined {
  try {
    return lstatSync(location.path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw toToolError(error, location, "read");
  }
}

async function inspect(
  location: Location,
  protectedFiles: ProtectedFiles,
  signal: AbortSignal,
): Promise<{ kind: FileKind; found?: FoundText }> {
  signal.throwIfAborted();
  assertSame(location);
  const stats = statsOf(location);
  if (!stats) return { kind: { type: "missing", similar: await similarNames(location, protectedFiles), location } };
  if (stats.isDirectory())
    return { kind: { type: "folder", entries: await listFolder(location, protectedFiles), location } };
  if (!stats.isFile()) return { kind: { type: "special", location } };
  const tooLarge = (size: number) => ({ kind: { type: "too-large" as const, size, limit: sizeLimit, location } });
  if (stats.size > sizeLimit) return tooLarge(stats.size);
  const bytes = await readFile(location, stats);
  signal.throwIfAborted();
  if (bytes.length > sizeLimit) return tooLarge(bytes.length);
  const mime = mediaType(bytes);
  if (mime !== undefined) return { kind: { type: "media", mime, bytes, location } };
  const decoded = decode(bytes);
  if (!decoded) {
    const text = decodeLossily(bytes);
    if (text === undefined) return { kind: { type: "binary", size: bytes.length, location } };
    return { kind: { type: "unknown-encoding", text, location } };
  }
  const { text, encoding } = decoded;
  return { kind: { type: "text", file: asFile(location, text) }, found: { encoding, stats } };
}

function asFile(location: Location, text: string): TextFile {
  return { ...location, text, version: versionOf(text), unsaved: false };
}

/** @throws ToolError if the path leads elsewhere than when it was located */
function assertSame(location: Location): void {
  if (leadsTo(location.path) !== location.path) throw movedError(location);
}

/** Hides names that `.rondoignore` excludes, unless the folder itself is protected and was requested by name. */
async function listFolder(location: Location, protectedFiles: ProtectedFiles): Promise<string[]> {
  try {
    const entries = await readdir(location.path, { withFileTypes: true });
    assertSame(location);
    const isHidden = (name: string) =>
      location.protection === "none" && protectedFiles.isIgnored(path.join(location.path, name));
    return entries
      .filter((entry) => !isHidden(entry.name))
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort();
  } catch (error) {
    throw toToolError(error, location, "read");
  }
}

/** Smaller files are read synchronously: the thread pool would take longer than the read. */
const smallSize = 256 * 1024;

/** Reads at most one byte more than the limit. `stats` identifies the file to be read. */
async function readFile(location: Location, stats: Stats): Promise<Buffer> {
  let file: number | undefined;
  try {
    // Neither block nor follow, in case a pipe or a link has replaced the file.
    const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
    file = openSync(location.path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    // The opened file is still the one at this path, and no parent folder has become a link.
    const opened = fstatSync(file);
    if (!isSame(opened, stats) || realpathSync.native(location.path) !== location.path) throw movedError(location);
    if (!isSame(opened, lstatSync(location.path))) throw movedError(location);
    return opened.size > 0 && opened.size <= smallSize
      ? readSmall(file, opened.size)
      : await readLong(file, opened.size);
  } catch (error) {
    throw toToolError(error, location, "read");
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const isSame = (one: Stats, other: Stats) => one.ino === other.ino && one.dev === other.dev;

function readSmall(file: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size + 1);
  let total = 0;
  for (let read = -1; read !== 0 && total < size; total += read)
    read = readSync(file, bytes, total, size + 1 - total, null);
  return bytes.subarray(0, total);
}

/** `size` is the reported size, which is 0 for some files (`/proc`). */
async function readLong(file: number, size: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total <= sizeLimit) {
    // Leave room for one more byte, so that the first read shows whether the size is right.
    const room = Math.min(total === 0 ? size + 1 : 65_536, sizeLimit + 1 - total);
    const { bytesRead, buffer } = await readSome(file, Buffer.allocUnsafe(room), 0, room, null);
    chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
    if (bytesRead === 0 || total === size) break;
  }
  return Buffer.concat(chunks);
}

const readSome = promisify(read);
