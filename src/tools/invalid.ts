/** The tool that answers calls of tools that do not exist (T4). It is registered but never offered. */
import * as z from "zod/mini";
import { withHint } from "./text/model-hint.ts";
import { defineTool } from "./tool.ts";

export const invalid = defineTool({
  name: "invalid",
  sideEffect: "none",
  description: "Do not use.",
  input: z.object({ tool: z.string(), error: z.string(), tools: z.array(z.string()) }),
  prepare: async ({ tool, error, tools }) => ({
    title: tool,
    preview: { type: "text", text: error },
    requires: [],
    writes: [],
    run: async () => ({ ...withHint(error, `The tools are: ${tools.join(", ")}.`, "", " "), failed: true }),
  }),
});
