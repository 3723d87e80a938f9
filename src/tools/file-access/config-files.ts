/** Reads configuration files of the workspace and the user. Synchronous: the first request waits for it. */
import { closeSync, fstatSync, openSync, readdirSync, readSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { isWithin } from "./requirements.ts";

/** A folder that may contain `.rondo`, `.claude` and similar folders. */
export interface ConfigRoot {
  /** Absolute, links resolved. */
  folder: string;
  source: "workspace" | "user";
  /** Prefix of relative paths for display: "", "api/" in a workspace of several folders, "~/" for the user. */
  prefix: string;
}

/** Returns the roots, nearest first; only the user's own if the workspace is not trusted. */
export function configRoots(folders: readonly string[], home: string, trusted: boolean): ConfigRoot[] {
  const own: ConfigRoot = { folder: realFolder(home), source: "user", prefix: "~/" };
  if (!trusted) return [own];
  const roots = folders.map((folder): ConfigRoot => {
    const prefix = folders.length === 1 ? "" : `${path.basename(folder)}/`;
    return { folder: realFolder(folder), source: "workspace", prefix };
  });
  return [...roots, own];
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

/** Reads at most `limit` bytes. Links of the workspace must stay in it; the user's own may lead anywhere. */
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
    // Opening a pipe would block until somebody writes.
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

/** Decodes UTF-8 and drops a character that was cut at the end. Returns undefined for binary data. */
export function decodeText(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll("\r\n", "\n");
}

/** Returns at most 200 Markdown files of a folder, sorted; none if links lead the folder out of the workspace. */
export function listMarkdown(root: ConfigRoot, folder: string): string[] {
  const place = path.join(root.folder, folder);
  try {
    if (isMissing(place) || !statSync(place).isDirectory()) return [];
    if (root.source === "workspace" && !isWithin(realpathSync.native(place), root.folder)) return [];
    return readdirSync(place)
      .filter((name) => name.endsWith(".md"))
      .sort()
      .slice(0, 200)
      .map((name) => `${folder}/${name}`);
  } catch {
    return [];
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
