/** Whether a folder holds files that ask before they are read: for commands that may read all of it. */
import type { Host, Location, TextSearch } from "../host.ts";
import { FileList, listArguments } from "./search-filter.ts";
import { TtlCache } from "./ttl-cache.ts";

const examples = 5;
/** ms */
const longest = 1_000;
/** Characters of a list of files. */
const listLimit = 100_000_000;

/** Many commands in a row ask for the same folder. */
const kept = new TtlCache<readonly string[]>(1_000);

/**
 * A few of them, relative to the folder; empty for none. "…" stands for those that may be there: not all could be looked at
 * in the time that there is.
 * @param ignored whether those that git ignores count, too
 */
export async function protectedBelow(
  folder: Location,
  { search, workspace }: Host,
  signal: AbortSignal,
  ignored = true,
): Promise<string[]> {
  const args = ["--files", ...listArguments, ...(ignored ? ["--no-ignore"] : [])];
  const list = () => new FileList(workspace.searchFilter(folder), () => true);
  const held = await kept.of(search, `${ignored} ${folder.path}`, () =>
    firstProtected(args, list(), folder, search, signal),
  );
  return [...held];
}

async function firstProtected(
  args: string[],
  list: FileList,
  folder: Location,
  search: TextSearch,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const enough = new AbortController();
  const take = (text: string) => {
    list.take(text);
    if (list.excluded.length >= examples) enough.abort();
  };
  const until = AbortSignal.any([signal, enough.signal, AbortSignal.timeout(longest)]);
  try {
    await search.ripgrep(args, folder.path, listLimit, until, take);
  } catch (error) {
    signal.throwIfAborted();
    if (!until.aborted) throw error;
    if (list.excluded.length === 0) return ["…"];
  }
  return list.excluded.slice(0, examples);
}
