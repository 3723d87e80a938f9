/**
 * Reads the files that Rondo uses on its own: rules, memory, agents, hooks, servers, and git's. They come with a cloned
 * workspace and go to the model, so each passes the boundary of the tool `read`, and one that would ask is left out.
 * Synchronous: the first request waits for it.
 */

import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import path from "node:path";
import { msg } from "../../l10n/l10n.ts";
import { isSecret } from "../file-access/protected-names.ts";
import { isWithin } from "../file-access/requirements.ts";
import type { Location } from "../host.ts";
import { placeOf } from "./locate.ts";
import { ProtectedFiles } from "./protection.ts";

/** Returns why a path may not be read, as the end of a sentence; undefined if it may. `real` has its links resolved. */
type ReadCheck = (real: string, asked: string) => string | undefined;

/** A folder that may contain `.rondo`, `.claude` and similar folders. */
export interface ConfigRoot {
  /** Absolute, links resolved. */
  folder: string;
  source: "workspace" | "user";
  /** Prefix of relative paths for display: "", "api/" in a workspace of several folders, "~/" for the user. */
  prefix: string;
  check: ReadCheck;
  /** Called with a sentence for each file that the check leaves out. */
  onLeftOut(sentence: string): void;
}

/** What the user has set for reading. */
export interface ReadBoundary {
  /** Patterns of further secret files, in gitignore's syntax. */
  secrets: readonly string[];
  /** Returns why rules forbid to read a path unasked, as the end of a sentence; undefined if they do not. */
  ruledOut(place: Pick<Location, "path" | "relative" | "inside" | "names">): string | undefined;
  onLeftOut(sentence: string): void;
}

export interface ConfigPlaces {
  folders: readonly string[];
  /** Absolute. */
  home: string;
  /** Whether the user trusts the workspace. Without trust none of its files are used. */
  trusted: boolean;
  boundary: ReadBoundary;
}

/** Returns the roots, nearest first; only the user's own if the workspace is not trusted. */
export function configRoots({ folders, home, trusted, boundary }: ConfigPlaces): ConfigRoot[] {
  const { onLeftOut } = boundary;
  const real = folders.map(realFolder);
  const check = checkOf(real, boundary);
  const own: ConfigRoot = { folder: realFolder(home), source: "user", prefix: "~/", check, onLeftOut };
  if (!trusted) return [own];
  const isInside: ReadCheck = (file, asked) =>
    real.some((folder) => isWithin(file, folder))
      ? check(file, asked)
      : msg("it is a link that leads out of the workspace");
  const roots = real.map((folder): ConfigRoot => {
    const prefix = folders.length === 1 ? "" : `${path.basename(folder)}/`;
    return { folder, source: "workspace", prefix, check: isInside, onLeftOut };
  });
  return [...roots, own];
}

/** The boundary for a file wherever it is: the user's own files are outside of the workspace. */
function checkOf(folders: readonly string[], { secrets, ruledOut }: ReadBoundary): ReadCheck {
  const protectedFiles = new ProtectedFiles(folders, secrets);
  return (real, asked) => {
    const place = { ...placeOf(real, asked, folders), protection: protectedFiles.of(real, asked) };
    return whyProtected(place, real !== asked, ruledOut);
  };
}

/** Returns why the tool `read` would ask before it reads a file, as the end of a sentence; undefined if it would not. */
export function whyProtected(
  place: Omit<Location, "restricted" | "changesRestricted">,
  isLink: boolean,
  ruledOut: ReadBoundary["ruledOut"],
): string | undefined {
  const { relative } = place;
  switch (place.protection) {
    case "secret":
      return isLink ? msg("it is a link to {0}, which may hold secrets", relative) : msg("it may hold secrets");
    case "ignored":
      return isLink
        ? msg("it is a link to {0}, which is named by a .rondoignore file", relative)
        : msg("it is named by a .rondoignore file");
    default:
      return ruledOut(place);
  }
}

/** For git's own files, of which only a branch's name is used: links among them do not lead to files of other names. */
export function gitRoot(folder: string): ConfigRoot {
  const check: ReadCheck = (real, asked) =>
    isSecret(real) || path.basename(real) !== path.basename(asked) ? msg("it is a link to another file") : undefined;
  return { folder, source: "user", prefix: "", check, onLeftOut: () => {} };
}

export function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}

export type ConfigFileRead =
  | { type: "missing" }
  | { type: "unusable"; why: string }
  /** `size` in bytes; `bytes` is at most the requested part. */
  | { type: "file"; bytes: Buffer; size: number };

/** Reads at most `limit` bytes. */
export function readConfigFile(
  root: ConfigRoot,
  name: string,
  limit: number,
  from: "start" | "end" = "start",
): ConfigFileRead {
  const file = path.join(root.folder, name);
  let descriptor: number | undefined;
  try {
    const real = resolve(root, name);
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
    return { type: "unusable", why: msg("it cannot be read ({0})", errorCodeOf(error)) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

type Resolved = { type: "missing" } | { type: "unusable"; why: string } | { type: "there"; path: string };

/** Resolves links and checks where they lead. */
function resolve(root: ConfigRoot, name: string): Resolved {
  const asked = path.join(root.folder, name);
  if (isMissing(asked)) return { type: "missing" };
  const real = realpathSync.native(asked);
  const why = root.check(real, asked);
  if (why === undefined) return { type: "there", path: real };
  root.onLeftOut(msg("Rondo does not use {0}: {1}.", root.prefix + name, why));
  return { type: "unusable", why };
}

/** Decodes UTF-8 and drops a character that was cut at the end. Returns undefined for binary data. */
export function decodeText(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll("\r\n", "\n");
}

interface Listing {
  /** Sorted, relative to the root. */
  names: string[];
  problems: string[];
}

/** Returns at most 200 Markdown files of a folder, and a sentence if the folder is left out. */
export function listMarkdown(root: ConfigRoot, folder: string): Listing {
  return list(root, folder, ({ name }) => name.endsWith(".md"));
}

/** Returns at most 200 folders in a folder, also behind links, and a sentence if the folder is left out. */
export function listFolders(root: ConfigRoot, folder: string): Listing {
  return list(root, folder, (entry) => entry.isDirectory() || entry.isSymbolicLink());
}

function list(root: ConfigRoot, folder: string, fits: (entry: Dirent) => boolean): Listing {
  try {
    const real = resolve(root, folder);
    const why = real.type === "unusable" ? real.why : undefined;
    if (why !== undefined) return { names: [], problems: [msg("{0} is not used: {1}.", root.prefix + folder, why)] };
    if (real.type !== "there" || !statSync(real.path).isDirectory()) return { names: [], problems: [] };
    const names = readdirSync(real.path, { withFileTypes: true })
      .filter(fits)
      .map(({ name }) => name)
      .sort()
      .slice(0, 200)
      .map((name) => `${folder}/${name}`);
    return { names, problems: [] };
  } catch {
    return { names: [], problems: [] };
  }
}

/** Checks without exceptions, which are expensive: most configuration files do not exist. */
function isMissing(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    // A parent is a file.
    if (errorCodeOf(error) === "ENOTDIR") return true;
    throw error;
  }
}

function errorCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}
