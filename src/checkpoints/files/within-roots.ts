/** Paths in the workspace's folders that no link leads out of. */
import path from "node:path";
import { isWithin } from "../../tools/file-access/requirements.ts";
import { type FoundFile, lstat, missing, readState } from "./file-state.ts";

/**
 * Whether every parent of `file` below one of `roots` is a folder or does not exist, so that no link leads elsewhere.
 * Paths in `folders` count as folders, whatever they are now.
 */
export function isWithinRoots(
  file: string,
  roots: readonly string[],
  folders: ReadonlySet<string> = new Set(),
): boolean {
  const root = roots.find((root) => file !== root && isWithin(file, root));
  if (root === undefined) return false;
  for (let end = file.indexOf(path.sep, root.length + 1); end >= 0; end = file.indexOf(path.sep, end + 1)) {
    const stats = lstat(file.slice(0, end));
    if (!stats || folders.has(file.slice(0, end))) return true;
    if (!stats.isDirectory()) return false;
  }
  return true;
}

/** Returns the state of a path. A path behind a link counts as missing. */
export function readWithinRoots(file: string, limit: number, roots: readonly string[]): FoundFile {
  return isWithinRoots(file, roots) ? readState(file, limit) : { state: missing, bytes: undefined, stamp: undefined };
}

/** Returns the path relative to its root, with `/`, as rules match it. */
export function relativeToRoots(roots: readonly string[], file: string): string {
  const root = roots.find((root) => isWithin(file, root));
  return root === undefined ? file : path.relative(root, file).replaceAll(path.sep, "/");
}
