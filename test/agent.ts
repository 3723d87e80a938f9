/** An agent as in a file of the user. */
import type { Agent } from "../src/loop/agents/agents.ts";

export function agent(name: string, more: Partial<Agent> = {}): Agent {
  return {
    name,
    description: `Is ${name}.`,
    mode: "subagent",
    prompt: `I AM ${name}.`,
    model: undefined,
    temperature: undefined,
    steps: undefined,
    tools: {},
    permission: [],
    hidden: false,
    readOnly: false,
    options: {},
    source: "user",
    ...more,
  };
}
