/** Adds the caller's agents, and replaces the prompt of the answering agent with the caller's. */
import { msg } from "../l10n/l10n.ts";
import type { Agent, AgentCatalog } from "../loop/agents/agents.ts";
import { parseAgent } from "../project/agent-fields.ts";
import { QueryError } from "./query-error.ts";
import type { Options } from "./query-types.ts";

/** @throws QueryError `agent-invalid`, with the problem of each field */
export function agentsOf({ agents = {} }: Options): Agent[] {
  return Object.entries(agents).map(([name, { prompt, ...fields }]) => {
    const data = Object.fromEntries(Object.entries({ ...fields, name }).filter(([, value]) => value !== undefined));
    const parsed = parseAgent({ data, body: prompt }, { source: "user", fileName: name, mode: "all" });
    if (parsed.type === "agent") return parsed.agent;
    throw new QueryError("agent-invalid", msg('The agent "{0}" cannot be used: {1}.', name, parsed.fields.join("; ")));
  });
}

/** Returns the catalogue with the caller's agents. `prompt` replaces the prompt of the agent `answering`. */
export function withCallers(
  catalog: AgentCatalog,
  own: readonly Agent[],
  answering: string,
  prompt: string | undefined,
) {
  const all = own.length > 0 ? catalog.with(own) : catalog;
  const agent = prompt === undefined ? undefined : all.all().find(({ name }) => name === answering);
  return agent && prompt !== undefined ? all.with([{ ...agent, prompt }]) : all;
}
