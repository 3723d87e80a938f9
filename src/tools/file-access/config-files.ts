/** Reading small text files of the workspace and the user's folder. Synchronous: it is on the way to the first request. */
import { closeSync, fstatSync, openSync, readdirSync, readSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { isWithin } from "./requirements.ts";

/** A folder that holds `.rondo`, `.claude` and their like. */
export interface ConfigRoot {
  /** Absolute, links resolved. */
  folder: string;
  source: "workspace" | "user";
  /** Put before a file's relative path when it is shown: "", "api/" in a workspace of several folders, "~/". */
  prefix: string;
}

/** Nearest first. Of an untrusted workspace only the user's own. */
export function configRoots(folders: readonly string[], home: string, trusted: boolean): ConfigRoot[] {
  const own: ConfigRoot = { folder: realFolder(home), source: "user", prefix: "~/" };
  if (!trusted) return [own];
  const roots = folders.map((folder): ConfigRoot => {
    const prefix = folders.length === 1 ? "" : `${path.basename(folder)}/`;
    return { folder: realFolder(folder), source: "workspace", prefix };
  });
  return [...roots, own];
}

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}

export type ConfigFileRead =
  | { type: "missing" }
  | { type: "unusable"; why: string }
  /** `size` in bytes; `bytes` holds no more than was asked for. */
  | { type: "file"; bytes: Buffer; size: number };

/**
 * Reads at most `limit` bytes of a file, from its beginning or up to its end. A file of the workspace whose path leads out
 * of it over a link is not read; the user's own links may lead where they like.
 */
export function readConfigFile(
  root: ConfigRoot,
  name: string,
  limit: number,
  from: "start" | "end" = "start",
): ConfigFileRead {
  const file = path.join(root.folder, name);
  let descriptor: number | undefined;
  try {
    if (isMissing(file)) return { type: "missing" };
    const real = realpathSync.native(file);
    if (root.source === "workspace" && !isWithin(real, root.folder)) {
      return { type: "unusable", why: "it is a link that leads out of the workspace" };
    }
    // Looked at before it is opened: opening a pipe would wait for somebody to write.
    if (!statSync(real).isFile()) return { type: "unusable", why: "it is not a file" };
    descriptor = openSync(real, "r");
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, limit));
    const read = readSync(descriptor, bytes, 0, bytes.length, from === "start" ? 0 : size - bytes.length);
    return { type: "file", bytes: bytes.subarray(0, read), size };
  } catch (error) {
    return { type: "unusable", why: `it cannot be read (${errorCodeOf(error)})` };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Undefined when it is no text. A last character that was cut in two is left out. */
export function decodeText(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll("\r\n", "\n");
}

/** Most files of one folder that are looked at. */
const mostFiles = 200;

/** Markdown files of a folder, by name. A folder that a workspace's link leads out of is empty. */
export function listMarkdown(root: ConfigRoot, folder: string): string[] {
  const place = path.join(root.folder, folder);
  try {
    if (isMissing(place) || !statSync(place).isDirectory()) return [];
    if (root.source === "workspace" && !isWithin(realpathSync.native(place), root.folder)) return [];
    return readdirSync(place)
      .filter((name) => name.endsWith(".md"))
      .sort()
      .slice(0, mostFiles)
      .map((name) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

/** Where nothing is, nothing is thrown: most of what is looked for is not there, and an exception costs more than the look. */
function isMissing(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    // Where a folder was expected there is a file.
    if (errorCodeOf(error) === "ENOTDIR") return true;
    throw error;
  }
}

function errorCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}
