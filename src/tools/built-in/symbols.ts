import * as z from "zod/mini";
import { msg, msgCount } from "../../l10n/l10n.ts";
import { fileRequirements, folderRequirements, isReadProtected, pathFor } from "../file-access/requirements.ts";
import type { CodePlace, CodeSymbol, Editor, Host, Location, Workspace } from "../host.ts";
import { cutLine, plural } from "../text/text.ts";
import { defineTool, ToolError, type ToolResult } from "../tool.ts";
import { requireEditor } from "./diagnostics.ts";

const maxResults = 100;

export const symbols = defineTool({
  name: "symbols",
  sideEffect: "read-only",
  description:
    "Finds the definition or references of a symbol on a line, the symbols of a document, or those of the workspace with a name. More exact than grep.",
  input: z.object({
    action: z.enum(["definition", "references", "document", "workspace"]),
    symbol: z.optional(z.string().check(z.minLength(1))),
    path: z.optional(z.string().check(z.minLength(1))),
    line: z.optional(z.int().check(z.gte(1))),
  }),
  async prepare(input, { host, signal }) {
    const editor = requireEditor(host.editor);
    const { title, requires, find } = await queryFor(input, editor, host);
    return {
      title,
      preview: { type: "text", text: title },
      requires,
      writes: [],
      run: async () => {
        const found = await find();
        signal.throwIfAborted();
        return await formatResults(found, host.workspace);
      },
    };
  },
});

interface SymbolsInput {
  action: "definition" | "references" | "document" | "workspace";
  symbol?: string | undefined;
  path?: string | undefined;
  line?: number | undefined;
}

type SymbolResult = CodePlace | CodeSymbol;

async function queryFor({ action, symbol, path, line }: SymbolsInput, editor: Editor, host: Host) {
  const { workspace } = host;
  if (action === "workspace") {
    if (symbol === undefined)
      throw new ToolError(
        "symbol is missing: the name to look for, or its beginning.",
        msg("The search names no symbol; the model tries again."),
      );
    const requires = folderRequirements(await workspace.locate("."));
    return { title: msg("Symbols named {0}", symbol), requires, find: () => editor.symbols(symbol, undefined) };
  }
  if (path === undefined)
    throw new ToolError(
      "path is missing: the file that contains the symbol.",
      msg("The search names no file; the model tries again."),
    );
  const location = await workspace.locate(path);
  const requires = fileRequirements("read", location, host);
  if (action === "document") {
    return { title: msg("Symbols of {0}", location.relative), requires, find: () => editor.symbols("", location.path) };
  }
  if (symbol === undefined || line === undefined) {
    throw new ToolError(
      "symbol and line are missing: the name as it is written on that line, and the line's number.",
      msg("The search names no symbol and line; the model tries again."),
    );
  }
  const title = action === "definition" ? msg("Definition of {0}", symbol) : msg("References of {0}", symbol);
  return { title, requires, find: () => editor[action](location.path, line, symbol) };
}

/** Shows no text of files that need permission to read, and nothing of protected files. */
async function formatResults(found: readonly SymbolResult[], workspace: Workspace): Promise<ToolResult> {
  const paths = [...new Set(found.map(({ path }) => path))];
  const located = new Map(await Promise.all(paths.map(async (path) => [path, await workspace.locate(path)] as const)));
  const lines = found.flatMap((one) => {
    const location = located.get(one.path);
    if (!location || location.restricted || location.protection === "secret" || location.protection === "ignored")
      return [];
    return [formatResult(one, location, workspace)];
  });
  const hidden = found.length - lines.length;
  const left = lines.length - maxResults;
  const notes = [
    ...(lines.length === 0 ? ["Nothing was found."] : []),
    ...(left > 0 ? [`(${left} more are not shown)`] : []),
    ...(hidden > 0 ? [`(${plural(hidden, "place")} in protected files ${hidden === 1 ? "is" : "are"} not shown)`] : []),
  ];
  return {
    output: [...lines.slice(0, maxResults), ...notes].join("\n"),
    metadata: { fact: lines.length === 0 ? msg("nothing found") : msgCount(lines.length, "{0} place", "{0} places") },
  };
}

function formatResult(one: SymbolResult, location: Location, workspace: Workspace): string {
  const where = `${pathFor(location, workspace)}:${one.line}`;
  if ("name" in one) return `${where} ${one.kind} ${one.container === "" ? "" : `${one.container}.`}${one.name}`;
  const text = isReadProtected(location) ? "" : cutLine(one.text.trim(), 200);
  return text === "" ? where : `${where}: ${text}`;
}
