/** Lists files with ripgrep and excludes those that a search must not show. */
import { msg } from "../../l10n/l10n.ts";
import type { Location, SearchFilter, TextSearch } from "../host.ts";
import { globMatcher } from "../text/glob-pattern.ts";
import { plural } from "../text/text.ts";
import type { TextMatcher } from "../text/wildcard.ts";
import { ToolError } from "../tool.ts";
import { onlyProtected } from "./protected-names.ts";

/** Include hidden files, exclude `.git`, and apply ignore files without a repository, too. */
export const listArguments: readonly string[] = [
  ...["--null", "--hidden", "--no-require-git", "--glob=!.git", "--no-messages", "--path-separator=/"],
];

/** For a search in a single file, which was requested by name. */
export const noFilter: SearchFilter = {
  args: [],
  rules: "",
  isExcluded: () => false,
  excludedIn: () => [],
  modified: () => 0,
};

/** Collects the paths that ripgrep writes, each ending with NUL. */
export class FileList {
  readonly excluded: string[] = [];
  readonly #files: { path: string; modified: number }[] = [];
  readonly #filter: SearchFilter;
  readonly #isWanted: (path: string) => boolean;
  #begun = "";

  constructor(filter: SearchFilter, isWanted: (path: string) => boolean) {
    this.#filter = filter;
    this.#isWanted = isWanted;
  }

  get count(): number {
    return this.#files.length;
  }

  readonly take = (text: string): void => {
    const paths = (this.#begun + text).split("\0");
    this.#begun = paths.pop() ?? "";
    for (const given of paths) {
      const path = given.startsWith("./") ? given.slice(2) : given;
      if (!this.#isWanted(path)) continue;
      if (this.#filter.isExcluded(path)) this.excluded.push(path);
      else this.#files.push({ path, modified: this.#filter.modified(path) });
    }
  };

  /** Returns at most `most` files, newest first. */
  newest(most: number): string[] {
    const times = Float64Array.from(this.#files, ({ modified }) => modified).sort();
    const oldest = times.at(-most) ?? Number.NEGATIVE_INFINITY;
    return this.#files
      .filter(({ modified }) => modified >= oldest)
      .sort((a, b) => b.modified - a.modified || (a.path < b.path ? -1 : 1))
      .slice(0, most)
      .map(({ path }) => path);
  }
}

const protectedListLimit = 1_000_000;
/** Listing takes up to half of the time of a search, so the files of a folder are kept for a minute. */
const keptMs = 60_000;
type ExcludedByFolder = Map<string, { until: number; excluded: readonly string[] }>;
const keptFiles = new WeakMap<TextSearch, ExcludedByFolder>();

/** Counts the files that a search excludes; with `glob`, only those that match it. */
export async function countExcluded(
  folder: Location,
  { filter, glob, search, signal }: FilteredSearch,
): Promise<number> {
  const folders: ExcludedByFolder = keptFiles.get(search) ?? new Map();
  keptFiles.set(search, folders);
  const key = `${folder.path}\0${filter.rules}`;
  let kept = folders.get(key);
  if (!kept || kept.until <= Date.now()) {
    const list = new FileList(filter, () => true);
    const args = ["--files", ...listArguments, ...(filter.rules === "" ? onlyProtected() : [])];
    await search.ripgrep(args, { cwd: folder.path, limit: protectedListLimit, signal, take: list.take });
    kept = { until: Date.now() + keptMs, excluded: list.excluded };
    folders.set(key, kept);
  }
  const { excluded } = kept;
  if (glob === undefined || excluded.length === 0) return excluded.length;
  const isWanted = pathMatcher(glob);
  const isOfNames = !glob.includes("/");
  return excluded.filter((path) => isWanted(isOfNames ? path.slice(path.lastIndexOf("/") + 1) : path)).length;
}

interface FilteredSearch {
  filter: SearchFilter;
  glob: string | undefined;
  search: TextSearch;
  signal: AbortSignal;
}

/** @throws ToolError for a pattern that would take too long */
export function pathMatcher(pattern: string): TextMatcher {
  try {
    return globMatcher(pattern);
  } catch (error) {
    throw error instanceof SyntaxError
      ? new ToolError(error.message, msg("The pattern is not valid; the model tries again."))
      : error;
  }
}

/** Returns a note on excluded files, undefined for none. `done` says what was not done with them: "searched". */
export function excludedNote(count: number, done: string, { rules }: SearchFilter): string | undefined {
  if (count === 0) return undefined;
  const names = rules === "" ? ".rondoignore names" : ".rondoignore or a permission rule names";
  const [are, they, them] = count === 1 ? ["is", "it", "it"] : ["are", "they", "them"];
  return `(${plural(count, "file")} ${are} not ${done}: ${they} may hold secrets, or ${names} ${them}. Ask to read ${them} by name.)`;
}
