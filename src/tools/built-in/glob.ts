import * as z from "zod/mini";
import { msg } from "../../l10n/l10n.ts";
import { folderRequirements, pathFor } from "../file-access/requirements.ts";
import { excludedNote, FileList, listArguments, pathMatcher } from "../file-access/search-filter.ts";
import type { Host, Location, TextSearch } from "../host.ts";
import { splitGlob } from "../text/glob-pattern.ts";
import { withHint } from "../text/model-hint.ts";
import { plural } from "../text/text.ts";
import type { TextMatcher } from "../text/wildcard.ts";
import { defineTool, ToolError } from "../tool.ts";

const shownFiles = 500;
const listLimit = 100_000_000;

export const glob = defineTool({
  name: "glob",
  sideEffect: "read-only",
  description: `Lists files that match a pattern such as "src/**/*.ts", newest first, without ignored ones (.gitignore).`,
  input: z.object({
    pattern: z.string().check(z.trim(), z.minLength(1)),
    path: z.optional(z.string()).check(z.describe("Folder; default: the workspace")),
  }),
  async prepare({ pattern, path }, { host, signal }) {
    signal.throwIfAborted();
    const { folder, rest } = await splitPattern(pattern, path, host);
    const isWanted = withLiteralBrackets(rest.startsWith("./") ? rest.slice(2) : rest);
    return {
      title: msg("Find {0}", pattern),
      preview: { type: "text", text: `${pattern} in ${folder.path}` },
      requires: folderRequirements(folder),
      writes: [],
      run: async () => {
        if ((await host.workspace.look(folder)) !== "folder")
          throw new ToolError(msg("{0} is not a folder.", folder.relative));
        const filter = host.workspace.searchFilter(folder);
        const list = new FileList(filter, isWanted);
        const isCut = await listFiles(folder, rest, list, host.search, signal);
        const prefix = pathFor(folder, host.workspace);
        const lines = list.newest(shownFiles).map((file) => (prefix === "." ? file : `${prefix}/${file}`));
        if (lines.length === 0) lines.push(`No files match ${pattern}.`);
        const left = list.count - shownFiles;
        if (left > 0) lines.push(`(${left} more are not shown)`);
        if (isCut) lines.push("(there are too many files here to look at all of them)");
        const held = excludedNote(list.excluded.length, "listed", filter);
        if (held) lines.push(held);
        const fact = list.count === 0 ? msg("no files") : plural(list.count, "file");
        if (left <= 0 && !isCut) return { output: lines.join("\n"), metadata: { fact } };
        const { output, metadata } = withHint(lines.join("\n"), "Narrow the pattern, or give a path.", "");
        return { output, metadata: { fact, ...metadata } };
      },
    };
  },
});

async function splitPattern(pattern: string, path: string | undefined, host: Host) {
  const isElsewhere = /^([/\\~]|[A-Za-z]:[/\\])|(^|\/)\.\.(\/|$)/.test(pattern);
  if (!isElsewhere) return { folder: await host.workspace.locate(path ?? "."), rest: pattern };
  const { base, rest } = splitGlob(pattern);
  const isPlain = rest === "";
  const cut = base.lastIndexOf("/");
  const folder = isPlain ? base.slice(0, Math.max(cut, 1)) : base;
  const from = /^([/\\~]|[A-Za-z]:[/\\])/.test(folder) || path === undefined ? folder : `${path}/${folder}`;
  return { folder: await host.workspace.locate(from), rest: isPlain ? base.slice(cut + 1) : rest };
}

async function listFiles(
  folder: Location,
  pattern: string,
  list: FileList,
  search: TextSearch,
  signal: AbortSignal,
): Promise<boolean> {
  const args = ["--files", ...listArguments, ...extensionArguments(pattern)];
  const { stderr, code, cut } = await search.ripgrep(args, {
    cwd: folder.path,
    limit: listLimit,
    signal,
    take: list.take,
  });
  if (code > 1 && list.count === 0 && stderr.trim() !== "")
    throw new ToolError(msg("The search failed: {0}", stderr.trim()));
  return cut;
}

/** A positive --glob would also list ignored files, so the pattern is matched here; a type excludes most early. */
function extensionArguments(pattern: string): string[] {
  const [, ending] = /(?:^|\/)\*(\.\w+)$/.exec(pattern) ?? [];
  return ending === undefined ? [] : [`--type-add=wanted:*${ending}`, "--type=wanted"];
}

/** Matches brackets literally, too: `app/[id]/(shop)/page.tsx` is a common path. */
function withLiteralBrackets(pattern: string): TextMatcher {
  const isMatch = pathMatcher(pattern);
  if (!pattern.includes("[")) return isMatch;
  const isLiteral = pathMatcher(pattern.replace(/[[\]()]/g, "\\$&"));
  return (path) => isMatch(path) || isLiteral(path);
}
