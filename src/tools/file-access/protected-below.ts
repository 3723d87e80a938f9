/** Finds protected files in a folder, for commands that may read all of it. */
import type { Host, Location } from "../host.ts";
import { FileList, listArguments } from "./search-filter.ts";

/** A limit in files, not in time: a command is judged alike on a busy machine. */
const maxFiles = 200_000;
const maxCharacters = 100_000_000;

/** Returns sorted relative paths; undefined when the folder has too many files. `ignored`: also what git ignores. */
export async function protectedBelow(
  folder: Location,
  { search, workspace }: Host,
  { signal, ignored, limit = maxFiles }: { signal: AbortSignal; ignored: boolean; limit?: number | undefined },
): Promise<string[] | undefined> {
  const tooMany = new AbortController();
  const filter = workspace.searchFilter(folder);
  let count = 0;
  const list = new FileList(filter, (path) => {
    count += 1;
    if (count > limit) tooMany.abort();
    return filter.isExcluded(path);
  });
  const args = ["--files", ...listArguments, ...(ignored ? ["--no-ignore"] : [])];
  const until = AbortSignal.any([signal, tooMany.signal]);
  try {
    const { cut } = await search.ripgrep(args, {
      cwd: folder.path,
      limit: maxCharacters,
      signal: until,
      take: list.take,
    });
    return cut || count > limit ? undefined : list.excluded.sort();
  } catch (error) {
    signal.throwIfAborted();
    if (tooMany.signal.aborted) return undefined;
    throw error;
  }
}
