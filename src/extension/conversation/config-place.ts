/** Where a file of the configuration is that is named for display. */
import path from "node:path";

/** `shown`: relative to its workspace folder, with that folder's name if there are several, or beginning with `~/`. */
export function configPlace(shown: string, folders: readonly string[], home: string): string {
  if (shown.startsWith("~/")) return path.join(home, shown.slice(2));
  const [first, ...rest] = shown.split("/");
  const named = folders.length > 1 ? folders.find((folder) => path.basename(folder) === first) : undefined;
  if (named !== undefined) return path.join(named, ...rest);
  return folders[0] === undefined ? shown : path.join(folders[0], shown);
}
