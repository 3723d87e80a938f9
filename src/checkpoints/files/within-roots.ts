/** Where files are, in the workspace's folders: never behind a link. */
import path from "node:path";
import { isWithin } from "../../tools/file-access/requirements.ts";
import { type Found, lstat, missing, readState } from "./file-state.ts";

/**
 * Whether all that is above `file` in one of `roots` is a folder, or not there: no link leads elsewhere. `folders` count as
 * folders whatever they are now.
 */
export function isInPlace(file: string, roots: readonly string[], folders: ReadonlySet<string> = new Set()): boolean {
  const root = roots.find((root) => file !== root && isWithin(file, root));
  if (root === undefined) return false;
  for (let end = file.indexOf(path.sep, root.length + 1); end >= 0; end = file.indexOf(path.sep, end + 1)) {
    const stats = lstat(file.slice(0, end));
    if (!stats || folders.has(file.slice(0, end))) return true;
    if (!stats.isDirectory()) return false;
  }
  return true;
}

/** What is at the path, if links on the way there do not lead elsewhere. */
export function readInPlace(file: string, limit: number, roots: readonly string[]): Found {
  return isInPlace(file, roots) ? readState(file, limit) : { state: missing, bytes: undefined, stamp: undefined };
}

/** Relative to its folder, with `/`, as rules see it. */
export function relativeTo(roots: readonly string[], file: string): string {
  const root = roots.find((root) => isWithin(file, root));
  return root === undefined ? file : path.relative(root, file).replaceAll(path.sep, "/");
}
