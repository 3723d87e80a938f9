/** Whether a folder holds files that ask before they are read: for commands that may read all of it. */
import type { Host, Location, Search } from "../host.ts";
import { FileList, usualFiles } from "./search-filter.ts";
import { KeptAnswers } from "./ttl-cache.ts";

const examples = 5;
/** ms */
const longest = 1_000;
/** Characters of a list of files. */
const listLimit = 100_000_000;

/** Many commands in a row ask for the same folder. */
const kept = new KeptAnswers<readonly string[]>(1_000);

/**
 * A few of them, relative to the folder; empty for none. "…" stands for those that may be there: not all could be looked at
 * in the time that there is.
 * @param ignored whether those that git ignores count, too
 */
export async function guardedBelow(
  folder: Location,
  { search, workspace }: Host,
  signal: AbortSignal,
  ignored = true,
): Promise<string[]> {
  const args = ["--files", ...usualFiles, ...(ignored ? ["--no-ignore"] : [])];
  const list = () => new FileList(workspace.sieve(folder), () => true);
  const held = await kept.of(search, `${ignored} ${folder.path}`, () =>
    firstHeld(args, list(), folder, search, signal),
  );
  return [...held];
}

async function firstHeld(
  args: string[],
  list: FileList,
  folder: Location,
  search: Search,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const enough = new AbortController();
  const take = (text: string) => {
    list.take(text);
    if (list.held.length >= examples) enough.abort();
  };
  const until = AbortSignal.any([signal, enough.signal, AbortSignal.timeout(longest)]);
  try {
    await search.ripgrep(args, folder.path, listLimit, until, take);
  } catch (error) {
    signal.throwIfAborted();
    if (!until.aborted) throw error;
    if (list.held.length === 0) return ["…"];
  }
  return list.held.slice(0, examples);
}
