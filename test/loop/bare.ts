/** A setup without agent, tools and system prompt, for tests about sizes only. */
import type { Agent } from "../../src/loop/agents/agents.ts";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import type { AgentConfig } from "../../src/loop/setup/agent-config.ts";

const agent: Agent = new AgentCatalog().find("build");

/** `window` in tokens. */
export function bareConfig(window: number, more: Partial<AgentConfig> = {}): AgentConfig {
  return {
    agent,
    model: { providerID: "anthropic", modelID: "test-model" },
    thinking: "default",
    temperature: undefined,
    options: {},
    maxTokens: undefined,
    contextWindow: window,
    inputLimit: window,
    system: "",
    tools: new Map(),
    definitions: [],
    ...more,
  };
}
