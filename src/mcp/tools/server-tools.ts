/** Makes a server's tools available as Rondo's own. */

import * as z from "zod/mini";
import { msg } from "../../l10n/l10n.ts";
import type { ProgressReporter, Tool, ToolPlan, ToolResult } from "../../tools/tool.ts";
import type { ListedTool } from "../connection/connect.ts";
import { oneLine, visibleText } from "../connection/server-text.ts";
import { toolNames } from "./offered-names.ts";
import { checkedSchema } from "./tool-schema.ts";

const maxDescriptionLength = 2000;
/** Maximum length of the arguments in rules. Longer arguments are matched exactly or not at all. */
const maxPatternLength = 2000;
const maxPreviewLength = 10_000;
const maxClaimLength = 300;

export interface ServerTools {
  server: string;
  slug: string;
  /** Maximum time of a call. */
  timeoutMs: number;
  listed: readonly ListedTool[];
  /** Calls the server's tool `name`. Rejects with a ToolError, or with the signal's reason. */
  call(
    name: string,
    input: Record<string, unknown>,
    signal: AbortSignal,
    progress: ProgressReporter,
  ): Promise<ToolResult>;
}

/** Returns the tools sorted by name, so that the server's order does not matter. Of equal names, the first counts. */
export function createTools(server: ServerTools): Tool[] {
  const byName = new Map(server.listed.toReversed().map((tool) => [tool.name, tool]));
  const names = [...byName.keys()].sort();
  const offered = toolNames(server.slug, names);
  return [...byName.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((tool) => createTool(tool, offered.get(tool.name) ?? "", server));
}

const ToolArguments = z.record(z.string(), z.unknown());

function createTool(tool: ListedTool, name: string, { server, timeoutMs, call }: ServerTools): Tool {
  const { schema, note } = checkedSchema(tool.inputSchema);
  const shown = oneLine(tool.name, 60);
  const claim = cut(oneLine(descriptionOf(tool.description), maxClaimLength), maxClaimLength);
  return {
    name,
    description: [descriptionOf(tool.description), note].filter(Boolean).join("\n"),
    // Whatever the server says.
    sideEffect: "network",
    freeform: undefined,
    inSandbox: undefined,
    input: ToolArguments,
    schema,
    timeoutMs,
    async prepare(input, { signal }): Promise<ToolPlan> {
      signal.throwIfAborted();
      const { text, isWhole } = rulePattern(input);
      return {
        title: msg("Call {0} of {1}", shown, server),
        preview: { type: "arguments", server, tool: shown, claim, input: shownInput(input) },
        requires: [
          {
            permission: name,
            pattern: text,
            suggestedRule: "*",
            match: isWhole ? "pattern" : "exact",
            protection: "none",
            effect: msg("calls the server {0}", server),
          },
        ],
        // The server may run on this machine and change any file.
        writes: "unknown",
        run: (progress) => call(tool.name, input, signal, progress),
      };
    },
  };
}

/** Long arguments are shown as the beginning of their JSON. */
function shownInput(input: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(input, undefined, 2);
  return text.length <= maxPreviewLength ? input : { arguments: cut(text, maxPreviewLength) };
}

const descriptionOf = (given: unknown): string =>
  typeof given === "string" ? cut(visibleText(given).trim(), maxDescriptionLength) : "";

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most)}…`);

/** Returns the arguments as compact JSON, sorted by name. */
function rulePattern(input: Record<string, unknown>): { text: string; isWhole: boolean } {
  const sorted = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(Object.fromEntries(sorted));
  return { text: text.slice(0, maxPatternLength), isWhole: text.length <= maxPatternLength };
}
