/** Whether a folder holds files that ask before they are read: for commands that may read all of it. */
import type { Host, Location, Search } from "../host.ts";
import { FileList, usualFiles } from "./search.ts";

const examples = 5;
/** ms */
const longest = 1_000;
/** Characters of a list of files. */
const listLimit = 100_000_000;

/** ms that an answer is kept: many commands in a row ask for the same folder. */
const keptFor = 1_000;

const kept = new WeakMap<Search, Map<string, { until: number; held: readonly string[] }>>();

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
  const key = `${ignored} ${folder.path}`;
  const known = kept.get(search)?.get(key);
  if (known && known.until > Date.now()) return [...known.held];
  const args = ["--files", ...usualFiles, ...(ignored ? ["--no-ignore"] : [])];
  const held = await firstHeld(args, new FileList(workspace.sieve(folder), () => true), folder, search, signal);
  const answers = kept.get(search) ?? new Map();
  kept.set(search, answers.set(key, { until: Date.now() + keptFor, held }));
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
