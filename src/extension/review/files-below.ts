import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";

/** Folders that VS Code's watcher leaves out, or that hold no text a user reviews. */
const leftOut = new Set(["node_modules", ".git"]);

/** A link to a folder is one, too; what is gone is none. */
export async function isFolder(place: string): Promise<boolean> {
  return await stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/**
 * Returns the absolute paths of regular files below a folder, those near it first. Links are not followed; what cannot
 * be read has none.
 * @param most maximum number of files, and of folders that are read
 */
export async function filesBelow(folder: string, most: number): Promise<string[]> {
  const files: string[] = [];
  const folders = [folder];
  for (const [read, next] of folders.entries()) {
    if (read === most || files.length >= most) break;
    const entries: Dirent[] = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const place = path.join(next, entry.name);
      if (entry.isFile()) files.push(place);
      else if (entry.isDirectory() && !leftOut.has(entry.name)) folders.push(place);
    }
  }
  return files.slice(0, most);
}
