/** Tools for random scripts: one that reads, one that asks, one that throws a ToolError, one with a bug. */
import * as z from "zod/mini";
import { defineTool, type PermissionRequirement, type Tool, ToolError } from "../../src/tools/tool.ts";

function tool(
  name: string,
  sideEffect: Tool["sideEffect"],
  requires: PermissionRequirement[],
  output: () => string,
): Tool {
  return defineTool({
    name,
    sideEffect,
    description: "A test.",
    input: z.object({ n: z.optional(z.number()) }),
    prepare: async () => ({
      title: `Run ${name}`,
      preview: { type: "text", text: name },
      requires,
      writes: [],
      run: async (progress) => {
        progress("live", 1);
        return { output: output(), metadata: { fact: name } };
      },
    }),
  });
}

const ask: PermissionRequirement = {
  permission: "change",
  pattern: "it",
  suggestedRule: "it",
  match: "pattern",
  protection: "none",
  effect: "",
};

export const randomTools: readonly Tool[] = [
  tool("look", "read-only", [], () => "seen"),
  tool("change", "mutating", [ask], () => "changed"),
  tool("fail", "none", [], () => {
    throw new ToolError("That cannot be.");
  }),
  tool("bug", "none", [], () => {
    throw new TypeError("oops");
  }),
];
