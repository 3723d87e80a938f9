import picomatch from "picomatch";
import * as z from "zod/mini";
import type { Host, Location } from "./host.ts";
import { folderNeeds, pathFor } from "./scope.ts";
import { plural } from "./text.ts";
import { defineTool, ToolError } from "./tool.ts";

const shownFiles = 500;
/** Characters of ripgrep's list, newest first: some 100,000 paths. */
const listLimit = 8_000_000;

export const glob = defineTool({
  name: "glob",
  sideEffect: "read-only",
  description: `Lists files by a pattern such as "src/**/*.ts", newest first. Ignored files (.gitignore) are left out. At most ${shownFiles} are shown.`,
  input: z.object({
    pattern: z.string().check(z.trim(), z.minLength(1)),
    path: z.optional(z.string()).check(z.describe("Folder to look in; the workspace folder when absent")),
  }),
  async prepare({ pattern, path }, { host, signal }) {
    signal.throwIfAborted();
    const { folder, rest } = await placeOf(pattern, path, host);
    return {
      title: `Find ${pattern}`,
      preview: { type: "text", text: `${pattern} in ${folder.path}` },
      needs: folderNeeds(folder),
      run: async () => {
        const kind = await host.workspace.open(folder.path, signal);
        if (kind.type !== "folder") throw new ToolError(`${folder.relative} is not a folder.`);
        const { files, isCut } = await list(folder, rest, host, signal);
        if (files.length === 0) return { output: `No files match ${pattern}.`, metadata: { fact: "no files" } };
        const prefix = pathFor(folder, host.workspace);
        const lines = files.slice(0, shownFiles).map((file) => (prefix === "." ? file : `${prefix}/${file}`));
        const left = files.length - lines.length;
        if (left > 0) lines.push(`(${left} more are not shown: narrow the pattern)`);
        if (isCut) lines.push("(there are too many files here to look at all; these are among the newest)");
        return { output: lines.join("\n"), metadata: { fact: plural(files.length, "file") } };
      },
    };
  },
});

/** A pattern that is absolute or leads upwards names its folder itself. */
async function placeOf(
  pattern: string,
  path: string | undefined,
  host: Host,
): Promise<{ folder: Location; rest: string }> {
  const isElsewhere = /^([/\\~]|[A-Za-z]:[/\\])|(^|\/)\.\.(\/|$)/.test(pattern);
  if (!isElsewhere) return { folder: await host.workspace.locate(path ?? "."), rest: pattern };
  const { base, glob: rest } = picomatch.scan(pattern);
  const isPlain = rest === "";
  const cut = base.lastIndexOf("/");
  const folder = isPlain ? base.slice(0, Math.max(cut, 1)) : base;
  const from = /^([/\\~]|[A-Za-z]:[/\\])/.test(folder) || path === undefined ? folder : `${path}/${folder}`;
  return { folder: await host.workspace.locate(from), rest: isPlain ? base.slice(cut + 1) : rest };
}

/** Paths relative to `folder`, newest first. */
async function list(
  folder: Location,
  pattern: string,
  { search }: Host,
  signal: AbortSignal,
): Promise<{ files: string[]; isCut: boolean }> {
  // A positive --glob would list ignored files, too; so ripgrep lists all, and the pattern is matched here.
  const args = [
    "--files",
    "--null",
    "--hidden",
    "--no-require-git",
    "--glob=!.git",
    "--sortr=modified",
    "--no-messages",
  ];
  const { stdout, stderr, code, cut } = await search.ripgrep(args, folder.path, listLimit, signal);
  if (code > 1 && stdout === "" && stderr.trim() !== "") throw new ToolError(`The search failed: ${stderr.trim()}`);
  const isMatch = matcher(pattern.startsWith("./") ? pattern.slice(2) : pattern);
  const paths = stdout.split("\0");
  paths.pop();
  return { files: paths.map((path) => path.replaceAll("\\", "/")).filter(isMatch), isCut: cut };
}

/** Brackets are tried as they stand, too: `app/[id]/(shop)/page.tsx` is a usual path. */
function matcher(pattern: string): (path: string) => boolean {
  const patterns = [pattern];
  if (/[[(]/.test(pattern)) patterns.push(pattern.replace(/[[\]()]/g, "\\$&"));
  const isMatch = picomatch(patterns, { dot: true });
  // Of one argument: what `filter` gives beside it would mean something else.
  return (path) => isMatch(path);
}
