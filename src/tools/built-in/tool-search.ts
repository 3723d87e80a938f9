/** Replaces tools that are too many for each request by a tool that searches them and one that calls them. */

import * as z from "zod/mini";
import { msg } from "../../l10n/l10n.ts";
import { plural } from "../text/text.ts";
import { defineTool, type Tool, ToolError } from "../tool.ts";

/** Above either limit tools are not part of requests. */
const mostTools = 40;
const mostCharacters = 60_000;
const mostFound = 10;
/** Maximum characters of all results; the best result is always shown. */
const mostShown = 25_000;

export function standIns(tools: readonly Tool[]): Tool[] {
  return mustDefer(tools) ? deferredTools(tools) : [];
}

export function mustDefer(tools: readonly Tool[]): boolean {
  if (tools.length > mostTools) return true;
  const size = tools.reduce((sum, { description, schema }) => sum + description.length + sizeOf(schema), 0);
  return size > mostCharacters;
}

const sizes = new WeakMap<object, number>();

function sizeOf(schema: Record<string, unknown>): number {
  const size = sizes.get(schema) ?? JSON.stringify(schema).length;
  sizes.set(schema, size);
  return size;
}

export function deferredTools(tools: readonly Tool[]): Tool[] {
  return [searchTool(tools), callTool(new Map(tools.map((tool) => [tool.name, tool])))];
}

function searchTool(tools: readonly Tool[]): Tool {
  // "github" for "mcp__github__create_issue"
  const sources = [...new Set(tools.map(({ name }) => /^mcp__(.+?)__/.exec(name)?.[1] ?? "the editor"))].sort();
  const named = sources.slice(0, 20).join(", ");
  return defineTool({
    name: "tool_search",
    sideEffect: "none",
    description: `Finds tools among ${tools.length} that are not listed here, of: ${named}. Answers with the best ${mostFound}, each with its description and input schema. Call one with tool_call.`,
    input: z.object({
      query: z.string().check(z.minLength(1), z.describe("What it should do, in a few words, or names of tools")),
    }),
    async prepare({ query }) {
      return {
        title: msg("Look for tools: {0}", query.slice(0, 60)),
        preview: { type: "text", text: query },
        requires: [],
        writes: [],
        run: async () => {
          const found = search(tools, query).slice(0, mostFound);
          const fact = plural(found.length, "tool");
          if (found.length === 0) return { output: `No tool fits. There are tools of: ${named}.`, metadata: { fact } };
          return { output: show(found), metadata: { fact } };
        },
      };
    },
  });
}

function show(found: readonly Tool[]): string {
  const shown: string[] = [];
  let left = mostShown;
  for (const { name, description, schema } of found) {
    const text = `${name}: ${description}\nInput: ${JSON.stringify(schema)}`;
    if (shown.length > 0 && text.length > left) continue;
    left -= text.length;
    shown.push(text);
  }
  return shown.join("\n\n");
}

function callTool(tools: ReadonlyMap<string, Tool>): Tool {
  return defineTool({
    name: "tool_call",
    // The strictest kind of them all; the called tool states its own permission.
    sideEffect: "network",
    timeoutMs: longestTimeout([...tools.values()]),
    description: "Calls a tool that tool_search has found.",
    input: z.object({
      name: z.string().check(z.minLength(1), z.describe("As tool_search gives it")),
      input: z._default(z.record(z.string(), z.unknown()), {}).check(z.describe("Its input, as its schema wants it")),
    }),
    async prepare({ name, input }, context) {
      const tool = tools.get(name);
      if (!tool)
        throw new ToolError(
          `There is no tool "${name}". Find one with tool_search.`,
          msg("There is no tool {0}; the model tries again.", name),
        );
      const parsed = tool.input.safeParse(input);
      if (!parsed.success) {
        const wrong = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "input"}: ${message}`);
        throw new ToolError(
          `The input does not fit ${name}: ${wrong.join("; ")}. Its schema: ${JSON.stringify(tool.schema)}`,
          msg("The call of {0} was not valid; the model tries again.", name),
        );
      }
      return await tool.prepare(parsed.data, context);
    },
  });
}

function longestTimeout(tools: readonly Tool[]): Tool["timeoutMs"] {
  const times = tools.map(({ timeoutMs }) => timeoutMs);
  if (times.includes("own")) return "own";
  const limits = times.filter((time) => typeof time === "number");
  return limits.length === times.length && limits.length > 0 ? Math.max(...limits) : undefined;
}

/** Sorts tools by relevance: names count more than descriptions, and rare words more than common ones. */
function search(tools: readonly Tool[], query: string): Tool[] {
  const entries = tools.map((tool) => ({
    tool,
    name: ` ${wordsOf(tool.name).join(" ")} `,
    text: ` ${wordsOf(tool.description).join(" ")} `,
  }));
  const scores = new Map<Tool, number>();
  for (const word of new Set(wordsOf(query))) {
    const hits = entries
      .map(({ tool, name, text }) => ({ tool, points: points(name, word) * 3 + points(text, word) }))
      .filter((hit) => hit.points > 0);
    const rarity = Math.log(1 + tools.length / Math.max(1, hits.length));
    for (const { tool, points } of hits) scores.set(tool, (scores.get(tool) ?? 0) + points * rarity);
  }
  for (const tool of tools) if (query.includes(tool.name)) scores.set(tool, Number.POSITIVE_INFINITY);
  return [...scores].sort(([a, x], [b, y]) => y - x || (a.name < b.name ? -1 : 1)).map(([tool]) => tool);
}

/** Returns 2 if the word occurs, 1 if another word starts with it. */
function points(words: string, word: string): number {
  if (words.includes(` ${word} `)) return 2;
  return words.includes(` ${word}`) ? 1 : 0;
}

/** Returns the words in lower case and in the singular; `createIssue` and `create_issue` are two words. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1)
    .map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, "") : word));
}
