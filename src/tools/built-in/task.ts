import * as z from "zod/mini";
import { msg } from "../../l10n/l10n.ts";
import { requirementFor } from "../file-access/requirements.ts";
import { defineTool, type Tool, ToolError } from "../tool.ts";

/** Returns the tool that delegates a task to one of these agents (S1). */
export function taskTool(agents: readonly { name: string; description: string }[]): Tool {
  const list = agents.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
  return defineTool({
    name: "task",
    sideEffect: "none",
    timeoutMs: "own",
    description: `Gives a task to a subagent, which sees nothing of this conversation and answers once. Several in one reply run in parallel. For broad searches and work that would fill your context, not for reading a file or two. The user does not see its answer: report what matters. Agents:\n${list}`,
    input: z.object({
      description: z.string().check(z.describe("3 to 5 words")),
      prompt: z.string().check(z.trim(), z.minLength(1), z.describe("All it needs to know, and what to answer")),
      subagent_type: z.optional(z.string()),
      agent: z.optional(z.string()).check(z.meta({ deprecated: true })),
    }),
    async prepare({ description, prompt, subagent_type, agent = subagent_type }, { delegate }) {
      const names = agents.map(({ name }) => name);
      if (agent === undefined || !names.includes(agent)) {
        const wrong = agent === undefined ? "subagent_type is missing." : `There is no subagent named "${agent}".`;
        throw new ToolError(
          `${wrong} There ${names.length === 1 ? "is" : "are"}: ${names.join(", ")}.`,
          msg("There is no such agent; the model tries again."),
        );
      }
      return {
        title: `${agent}: ${description}`,
        preview: { type: "text", text: prompt },
        requires: [requirementFor("task", agent, agent)],
        // The subagent's own calls report what they change.
        writes: [],
        run: async () => {
          const output = await delegate({ agent, description, prompt });
          return { output: output === "" ? "(It gave no answer.)" : output, metadata: {} };
        },
      };
    },
  });
}
