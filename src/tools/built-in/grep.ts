import * as z from "zod/mini";
import { msg, msgCount } from "../../l10n/l10n.ts";
import { fileRequirements, folderRequirements, pathFor } from "../file-access/requirements.ts";
import { countExcluded, excludedNote, FileList, listArguments, noFilter } from "../file-access/search-filter.ts";
import type { Location, SearchFilter, TextSearch } from "../host.ts";
import { withHint } from "../text/model-hint.ts";
import { shorten } from "../text/truncate.ts";
import { defineTool, ToolError } from "../tool.ts";

const input = z.object({
  pattern: z.string().check(z.minLength(1), z.describe("Regular expression")),
  path: z.optional(z.string()).check(z.describe("File or folder; default: the workspace")),
  glob: z.optional(z.string()).check(z.describe('Like "*.{ts,tsx}"')),
  type: z.optional(z.string()).check(z.describe('Like "py"')),
  output_mode: z
    .optional(z.enum(["content", "files_with_matches", "count"]))
    .check(z.describe("Default: files_with_matches")),
  "-i": z.optional(z.boolean()),
  "-n": z.optional(z.boolean()).check(z.describe("Default: true")),
  "-A": z.optional(z.int().check(z.gte(0))),
  "-B": z.optional(z.int().check(z.gte(0))),
  "-C": z.optional(z.int().check(z.gte(0))),
  head_limit: z.optional(z.int().check(z.gte(0))).check(z.describe("Maximum of lines, files or counts")),
  multiline: z.optional(z.boolean()).check(z.describe("Matches may span lines")),
});
type GrepInput = z.infer<typeof input>;

/** ripgrep is stopped when it has written this much. */
const outputCharacters = 2_000_000;
const lineCharacters = 500;

export const grep = defineTool({
  name: "grep",
  sideEffect: "read-only",
  description: `Searches file contents with ripgrep, without ignored files (.gitignore).`,
  input,
  async prepare(wish, { host, callID, signal }) {
    signal.throwIfAborted();
    const location = await host.workspace.locate(wish.path ?? ".");
    const kind = await host.workspace.look(location);
    if (kind === "missing")
      throw new ToolError(msg("{0} does not exist; there is nothing to search.", location.relative));
    if (kind === "special") throw new ToolError(msg("{0} is not a file or a folder.", location.relative));
    const isFolder = kind === "folder";
    return {
      title: msg("Search {0}", wish.pattern),
      preview: { type: "text", text: `${wish.pattern} in ${location.path}` },
      requires: isFolder ? folderRequirements(location) : fileRequirements("read", location, host),
      writes: [],
      run: async () => {
        if ((await host.workspace.look(location)) !== kind)
          throw new ToolError(msg("{0} has changed meanwhile.", location.relative));
        const place = searchTarget(location, isFolder, pathFor(location, host.workspace));
        const filter = isFolder ? host.workspace.searchFilter(location) : noFilter;
        const counted = isFolder
          ? countExcluded(location, { filter, glob: searchedGlob(wish), search: host.search, signal })
          : Promise.resolve(0);
        const [found, held] = await Promise.all([
          runSearch({ wish, place, filter, search: host.search, signal }),
          counted,
        ]);
        const shown = wish.head_limit ? found.lines.slice(0, wish.head_limit) : found.lines;
        if (shown.length < found.lines.length) shown.push(`(${found.lines.length - shown.length} more lines)`);
        shown.push(...found.remarks);
        if (found.lines.length === 0) shown.unshift("No matches.");
        const sentence = excludedNote(held, "searched", filter);
        if (sentence) shown.push(sentence);
        const { output, outputFile } = await shorten(shown.join("\n"), host.overflow, callID);
        if (!found.cut) return { output, metadata: { fact: found.fact, outputFile } };
        const hinted = withHint(output, "Narrow the pattern, the path or the glob.", "");
        return { output: hinted.output, metadata: { fact: found.fact, outputFile, ...hinted.metadata } };
      },
    };
  },
});

interface SearchTarget {
  cwd: string;
  /** Prefix of each path in the output. */
  prefix: string;
  target: string;
}

interface PlannedSearch {
  wish: GrepInput;
  place: SearchTarget;
  filter: SearchFilter;
  search: TextSearch;
  signal: AbortSignal;
}

async function runSearch({ wish, place, filter, search, signal }: PlannedSearch) {
  const args = [...argumentsFor(wish), ...filter.args, "--regexp", wish.pattern, "--", place.target];
  const showsText = wish.output_mode === "content" || wish.output_mode === "count";
  const list = showsText ? undefined : new FileList(filter, () => true);
  const found = await search.ripgrep(args, { cwd: place.cwd, limit: outputCharacters, signal, take: list?.take });
  if (found.code > 1 && found.stderr.trim() !== "") {
    throw new ToolError(msg("ripgrep could not search: {0}", found.stderr.trim().replace(/^rg: /, "")));
  }
  const { lines, fact } = list ? formatFiles(list, place) : formatRows(found.stdout, wish, place, filter);
  const remarks: string[] = [];
  if (found.cut) remarks.push("(the search was stopped: there is too much)");
  if (found.code > 1) remarks.push("(some files or folders could not be read)");
  return { lines, fact, remarks, cut: found.cut };
}

/** ripgrep runs in the folder so that globs and ignore files are relative to it. */
function searchTarget({ path }: Location, isFolder: boolean, shown: string): SearchTarget {
  if (isFolder) return { cwd: path, prefix: shown === "." ? "" : `${shown}/`, target: "./" };
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const folderOf = (file: string) => file.slice(0, file.length - name.length);
  return { cwd: folderOf(path), prefix: folderOf(shown), target: `./${name}` };
}

function argumentsFor(wish: GrepInput): string[] {
  const args = [...listArguments, "--with-filename", "--engine=auto"];
  if (wish["-i"]) args.push("--ignore-case");
  if (wish.multiline) args.push("--multiline", "--multiline-dotall");
  else if (wish.pattern.includes("\n") || wish.pattern.includes("\\n")) args.push("--multiline");
  if (wish.type !== undefined) args.push(`--type=${wish.type}`);
  if (wish.glob !== undefined) args.push(...globArguments(wish.glob, wish.type !== undefined));
  if (wish.output_mode === "content") {
    args.push("--line-number", `--max-columns=${lineCharacters}`, "--max-columns-preview");
    args.push("--no-heading", "--no-context-separator");
    for (const flag of ["-A", "-B", "-C"] as const) if (wish[flag] !== undefined) args.push(`${flag}${wish[flag]}`);
  } else args.push(wish.output_mode === "count" ? "--count-matches" : "--files-with-matches");
  return args;
}

/** A positive --glob would also search ignored files; a type does not, but it cannot contain folders. */
function globArguments(pattern: string, hasType: boolean): string[] {
  if (hasType || pattern.includes("/") || pattern.startsWith("!")) return [`--glob=${pattern}`];
  return [`--type-add=wanted:${pattern}`, "--type=wanted"];
}

function searchedGlob({ glob, type }: GrepInput): string | undefined {
  if (type !== undefined) return `*.${type}`;
  return glob?.startsWith("!") ? undefined : glob;
}

function formatFiles(list: FileList, { prefix }: SearchTarget): { lines: string[]; fact: string } {
  const lines = list.newest(list.count).map((path) => prefix + path);
  return { lines, fact: lines.length === 0 ? msg("no matches") : msgCount(lines.length, "{0} file", "{0} files") };
}

function formatRows(stdout: string, wish: GrepInput, { prefix }: SearchTarget, filter: SearchFilter) {
  const rows = parseRows(stdout, filter);
  const matches =
    wish.output_mode === "content"
      ? rows.filter((row) => row.sign === ":").length
      : rows.reduce((sum, row) => sum + Number(row.text), 0);
  const files = new Set(rows.map((row) => row.file)).size;
  return {
    lines: rows.map(({ file, number, sign, text }) =>
      number === "" || wish["-n"] === false
        ? `${prefix}${file}${sign}${text}`
        : `${prefix}${file}${sign}${number}${sign}${text}`,
    ),
    fact: matches === 0 ? msg("no matches") : msgCount(files, "{1} in {0} file", "{1} in {0} files", matches),
  };
}

interface MatchRow {
  file: string;
  number: string;
  /** `:` for a match, `-` for a context line. */
  sign: string;
  text: string;
}

/** Sorts by file, because ripgrep's threads vary. Rows are `path NUL number : text` or `path NUL count`. */
function parseRows(stdout: string, filter: SearchFilter): MatchRow[] {
  const byFile = new Map<string, MatchRow[]>();
  let begun = "";
  for (const row of stdout.split("\n")) {
    const end = row.indexOf("\0");
    if (end < 0) {
      // The path contains a line end.
      begun += `${row}\n`;
      continue;
    }
    const file = (begun + row.slice(0, end)).replace(/^\.\//, "");
    begun = "";
    const own = byFile.get(file) ?? [];
    if (own.length === 0) byFile.set(file, own);
    const [start = "", number = "", sign = ":"] = /^(\d+)([:-])/.exec(row.slice(end + 1)) ?? [];
    own.push({ file, number, sign, text: row.slice(end + 1 + start.length).replace(/\r$/, "") });
  }
  return [...byFile.keys()]
    .filter((file) => !filter.isExcluded(file))
    .sort()
    .flatMap((file) => byFile.get(file) ?? []);
}
