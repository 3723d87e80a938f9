import * as z from "zod/mini";
import { requirementFor } from "../file-access/requirements.ts";
import { defineTool, type Tool, ToolError } from "../tool.ts";

/** Returns the tool that delegates a task to one of these agents (S1). */
export function taskTool(agents: readonly { name: string; description: string }[]): Tool {
  const list = agents.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
  return defineTool({
    name: "task",
    sideEffect: "none",
    timeoutMs: "own",
    description: `Hands a task to a subagent, which works on its own, sees nothing of this conversation, and answers once. Several in one reply work side by side. Worth it for broad searches and for work that would fill the context; not for reading a file or two. The user does not see its answer: say yourself what matters of it. Agents:\n${list}`,
    input: z.object({
      description: z.string().check(z.describe("The task in 3 to 5 words")),
      prompt: z
        .string()
        .check(z.trim(), z.minLength(1), z.describe("All that it needs to know, and what it is to answer with")),
      subagent_type: z.optional(z.string()).check(z.describe("Name of the agent")),
      agent: z.optional(z.string()).check(z.describe("The same as subagent_type")),
    }),
    async prepare({ description, prompt, subagent_type, agent = subagent_type }, { delegate }) {
      const names = agents.map(({ name }) => name);
      if (agent === undefined || !names.includes(agent)) {
        const wrong = agent === undefined ? "subagent_type is missing." : `There is no subagent named "${agent}".`;
        throw new ToolError(`${wrong} There ${names.length === 1 ? "is" : "are"}: ${names.join(", ")}.`);
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
