import * as z from "zod/mini";
import { msg } from "../../l10n/l10n.ts";
import { fileRequirements, folderRequirements, isReadProtected, pathFor } from "../file-access/requirements.ts";
import type { CodeProblem, Editor, Workspace } from "../host.ts";
import { cutLine, plural } from "../text/text.ts";
import { defineTool, ToolError, type ToolResult } from "../tool.ts";

const maxProblems = 100;
const maxMessageLength = 500;
const order: readonly CodeProblem["severity"][] = ["error", "warning", "info", "hint"];

export const diagnostics = defineTool({
  name: "diagnostics",
  sideEffect: "read-only",
  description: "Lists the editor's errors and warnings, in one file or in all that it has checked.",
  input: z.object({ path: z.optional(z.string().check(z.minLength(1))).check(z.describe("A file; default: all")) }),
  async prepare({ path }, { host, signal }) {
    const { workspace } = host;
    const editor = requireEditor(host.editor);
    const location = path === undefined ? undefined : await workspace.locate(path);
    return {
      title: location ? msg("Problems in {0}", location.relative) : msg("Problems"),
      preview: { type: "text", text: location?.path ?? "all files" },
      requires: location ? fileRequirements("read", location, host) : folderRequirements(await workspace.locate(".")),
      writes: [],
      run: async () => {
        const problems = await editor.problems(location?.path);
        signal.throwIfAborted();
        if (!location) return await problemsOfAll(problems, workspace);
        return formatProblems(problems.map((problem) => ({ problem, path: pathFor(location, workspace) })));
      },
    };
  },
});

export function requireEditor(editor: Editor | undefined): Editor {
  if (!editor)
    throw new ToolError(
      "There is no editor: read the files, or run the project's own checks.",
      msg("There is no editor here; the model looks itself."),
    );
  return editor;
}

async function problemsOfAll(problems: readonly CodeProblem[], workspace: Workspace): Promise<ToolResult> {
  const paths = [...new Set(problems.map((problem) => problem.path))];
  const located = await Promise.all(paths.map(async (path) => [path, await workspace.locate(path)] as const));
  const shown = new Map(
    located.filter(([, at]) => !isReadProtected(at)).map(([path, at]) => [path, pathFor(at, workspace)]),
  );
  return formatProblems(
    problems.flatMap((problem) => {
      const path = shown.get(problem.path);
      return path === undefined ? [] : [{ problem, path }];
    }),
  );
}

function formatProblems(found: readonly { problem: CodeProblem; path: string }[]): ToolResult {
  if (found.length === 0) return { output: "No problems.", metadata: { fact: msg("no problems"), tone: "good" } };
  const rank = ({ severity }: CodeProblem) => order.indexOf(severity);
  const sorted = found.toSorted((a, b) => rank(a.problem) - rank(b.problem));
  const byFile = Map.groupBy(sorted.slice(0, maxProblems), ({ path }) => path);
  const sections = [...byFile].map(([path, list]) =>
    [path, ...list.map(({ problem }) => formatProblem(problem))].join("\n"),
  );
  const left = found.length - maxProblems;
  if (left > 0) sections.push(`(${left} more are not shown; ask for one file)`);
  const fact = countBySeverity(found.map(({ problem }) => problem));
  const isBad = found.some(({ problem }) => problem.severity === "error");
  return { output: sections.join("\n\n"), metadata: { fact, ...(isBad && { tone: "bad" }) } };
}

function formatProblem({ line, column, severity, message, source }: CodeProblem): string {
  const words = cutLine(message.replace(/\s+/g, " ").trim(), maxMessageLength);
  return `  ${line}:${column} ${severity} ${words}${source === "" ? "" : ` [${source}]`}`;
}

function countBySeverity(problems: readonly CodeProblem[]): string {
  const parts = order.flatMap((severity) => {
    const count = problems.filter((problem) => problem.severity === severity).length;
    return count === 0 ? [] : [plural(count, severity)];
  });
  return parts.join(", ");
}
