/** A cast of agents for tests of subagents: each plays a script of its own. */
import assert from "node:assert/strict";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import type { ModelRequest } from "../../src/loop/model.ts";
import { agent } from "../agent.ts";
import { failure, type Reply, type Said, type Script } from "../scripted-model.ts";
import type { Harness } from "./harness.ts";

export const read = (file_path: string) => ({ call: "read", input: { file_path } });
export const bash = (command: string) => ({ call: "bash", input: { command } });
export const task = (subagent_type: string, prompt = "Look.") => ({
  call: "task",
  input: { description: "Find the thing", prompt, subagent_type },
});
export const files = { "a.txt": "x" };

/** The agents of these tests, distinguished by their prompts. */
export const made = new AgentCatalog([
  agent("helper", { prompt: "I AM helper." }),
  agent("reader", { prompt: "I AM reader.", readOnly: true }),
  agent("secret", { prompt: "I AM secret.", hidden: true }),
]);

/** Each agent plays its own script; `main` is the session's. */
export function cast(scripts: Record<string, (Reply | Said[])[]>): Script {
  const rest = new Map(Object.entries(scripts).map(([name, replies]) => [name, [...replies]]));
  return (request) => rest.get(whoIs(request))?.shift() ?? { fail: failure("invalid") };
}

export function whoIs({ system }: ModelRequest): string {
  return /I AM (\w+)\./.exec(system)?.[1] ?? "main";
}

export const requestsOf = (h: Harness, who: string) => h.model.requests.filter((request) => whoIs(request) === who);
export const child = (h: Harness, at = 0) => Object.values(h.chat.children)[at] ?? assert.fail("no child");
