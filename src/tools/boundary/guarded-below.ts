/** Whether a folder holds files that ask before they are read: for commands that may read all of it. */
import type { Host, Location } from "../host.ts";
import { FileList, usualFiles } from "./search.ts";

const examples = 5;
/** ms */
const longest = 1_000;
/** Characters of a list of files. */
const listLimit = 100_000_000;

/**
 * A few of them, relative to the folder, those included that git ignores; empty for none. "…" stands for those that may be
 * there: not all could be looked at in the time that there is.
 */
export async function guardedBelow(
  folder: Location,
  { search, workspace }: Host,
  signal: AbortSignal,
): Promise<string[]> {
  const enough = new AbortController();
  const list = new FileList(workspace.sieve(folder), () => true);
  const take = (text: string) => {
    list.take(text);
    if (list.held.length >= examples) enough.abort();
  };
  const until = AbortSignal.any([signal, enough.signal, AbortSignal.timeout(longest)]);
  try {
    await search.ripgrep(["--files", ...usualFiles, "--no-ignore"], folder.path, listLimit, until, take);
  } catch (error) {
    signal.throwIfAborted();
    if (!until.aborted) throw error;
    if (list.held.length === 0) return ["…"];
  }
  return list.held.slice(0, examples);
}
