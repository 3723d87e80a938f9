/** Tools of a server as Rondo's own. */
import * as z from "zod/mini";
import type { ProgressReporter, Tool, ToolPlan, ToolResult } from "../../tools/tool.ts";
import type { ListedTool } from "../connection/connect.ts";
import { oneLine, visible } from "../connection/server-text.ts";
import { toolNames } from "./offered-names.ts";
import { checkedSchema } from "./tool-schema.ts";

const descriptionLimit = 2000;
/** Of the arguments, for rules: longer ones are matched as a whole or not at all. */
const patternLimit = 2000;
const previewLimit = 10_000;

/** Asks the server. `name` is its own for the tool. Rejects with a ToolError, or with the signal's reason. */
type Ask = (
  name: string,
  input: Record<string, unknown>,
  signal: AbortSignal,
  progress: ProgressReporter,
) => Promise<ToolResult>;

export interface ToolsOf {
  server: string;
  slug: string;
  /** ms that a call may take. */
  timeout: number;
  listed: readonly ListedTool[];
  ask: Ask;
}

/** In an order that does not depend on the server's. Of several of one name, the first. */
export function toTools({ server, slug, timeout, listed, ask }: ToolsOf): Tool[] {
  const byName = new Map(listed.toReversed().map((tool) => [tool.name, tool]));
  const names = [...byName.keys()].sort();
  const offered = toolNames(slug, names);
  return [...byName.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((tool) => toTool(tool, offered.get(tool.name) ?? "", server, timeout, ask));
}

const Input = z.record(z.string(), z.unknown());

function toTool(tool: ListedTool, name: string, server: string, timeout: number, ask: Ask): Tool {
  const { schema, note } = checkedSchema(tool.inputSchema);
  const shown = oneLine(tool.name, 60);
  return {
    name,
    description: [descriptionOf(tool.description), note].filter(Boolean).join("\n"),
    // Whatever it says of itself.
    sideEffect: "network",
    input: Input,
    schema,
    timeout,
    async prepare(input, { signal }): Promise<ToolPlan> {
      signal.throwIfAborted();
      const { text, isWhole } = patternOf(input);
      const pretty = JSON.stringify(input, undefined, 2);
      const preview = `${server}: ${shown}\n${pretty}`;
      return {
        title: `Call ${shown} of ${server}`,
        preview: {
          type: "text",
          text: preview.length > previewLimit ? `${preview.slice(0, previewLimit)}…` : preview,
        },
        requires: [
          {
            permission: name,
            pattern: text,
            suggestedRule: "*",
            match: isWhole ? "pattern" : "exact",
            protection: "none",
            effect: `asks the server ${server}`,
          },
        ],
        // It may run on this machine, and change what it likes.
        writes: "unknown",
        run: (progress) => ask(tool.name, input, signal, progress),
      };
    },
  };
}

function descriptionOf(given: unknown): string {
  if (typeof given !== "string") return "";
  const text = visible(given).trim();
  return text.length <= descriptionLimit ? text : `${text.slice(0, descriptionLimit)}…`;
}

/** The arguments as compact JSON, in the order of their names. */
function patternOf(input: Record<string, unknown>): { text: string; isWhole: boolean } {
  const sorted = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(Object.fromEntries(sorted));
  return { text: text.slice(0, patternLimit), isWhole: text.length <= patternLimit };
}
