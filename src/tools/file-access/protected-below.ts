/** Finds protected files in a folder, for commands that may read all of it. */
import type { Host, Location, TextSearch } from "../host.ts";
import { FileList, listArguments } from "./search-filter.ts";
import { TtlCache } from "./ttl-cache.ts";

const maxExamples = 5;
const timeLimitMs = 1_000;
const listLimit = 100_000_000;

/** Several commands in a row often name the same folder. */
const kept = new TtlCache<readonly string[]>(1_000);

/** Returns a few, relative to the folder, "…" at the end if time ran out. `ignored`: also what git ignores. */
export async function protectedBelow(
  folder: Location,
  { search, workspace }: Host,
  signal: AbortSignal,
  ignored = true,
): Promise<string[]> {
  const args = ["--files", ...listArguments, ...(ignored ? ["--no-ignore"] : [])];
  const list = () => new FileList(workspace.searchFilter(folder), () => true);
  const find = () => firstProtected(args, list(), folder.path, search, signal);
  return [...(await kept.of(search, `${ignored} ${folder.path}`, find))];
}

async function firstProtected(args: string[], list: FileList, cwd: string, search: TextSearch, signal: AbortSignal) {
  const enough = new AbortController();
  const take = (text: string) => {
    list.take(text);
    if (list.excluded.length >= maxExamples) enough.abort();
  };
  const until = AbortSignal.any([signal, enough.signal, AbortSignal.timeout(timeLimitMs)]);
  try {
    await search.ripgrep(args, cwd, listLimit, until, take);
  } catch (error) {
    signal.throwIfAborted();
    if (!until.aborted) throw error;
    if (list.excluded.length === 0) return ["…"];
  }
  return list.excluded.slice(0, maxExamples);
}
