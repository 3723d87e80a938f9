/** A setup without agent, tools and system prompt, for tests about sizes only. */
import type { Agent } from "../../src/loop/agents/agents.ts";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import { defaultLimits } from "../../src/loop/limits.ts";
import type { AgentConfig } from "../../src/loop/setup/agent-config.ts";
import { KnownFacts } from "../../src/providers/catalog/model-facts.ts";

const agent: Agent = new AgentCatalog().find("build");

/** `window` in tokens. */
export function bareConfig(window: number, more: Partial<AgentConfig> = {}): AgentConfig {
  const model = { providerID: "test", modelID: "test-model" };
  return {
    agent,
    model,
    facts: new KnownFacts({ limits: () => ({ ...defaultLimits, contextWindow: window }) }).of(model),
    tokenScale: () => 1,
    thinking: "default",
    temperature: undefined,
    options: {},
    maxTokens: undefined,
    contextWindow: window,
    inputLimit: window,
    system: "",
    tools: new Map(),
    definitions: [],
    topics: [],
    refusals: new Map(),
    ...more,
  };
}
