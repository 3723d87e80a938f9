/** What the sessions of a window need, with real tools, model client and record. */
import type { SharedDeps } from "../../src/extension/sessions/conversation-options.ts";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import { defaultLimits } from "../../src/loop/limits.ts";
import { noExternalTools } from "../../src/loop/setup/external-tools.ts";
import { noLedger } from "../../src/loop/storage.ts";
import { KnownFacts } from "../../src/providers/catalog/model-facts.ts";
import { openModel } from "../../src/providers/providers.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { taskTool } from "../../src/tools/built-in/task.ts";
import { registryOf } from "../../src/tools/registry.ts";
import type { ModelServer } from "../model-server.ts";

/** `bugs` gets errors that nothing expects. `change` replaces some of the dependencies. */
export function sessionDeps(
  { model, bugs }: { model: ModelServer; bugs: unknown[] },
  change: Pick<SharedDeps, "hostFor" | "hooksFor" | "checkpointsFor"> & Partial<SharedDeps>,
): SharedDeps {
  const project = {
    ...{ agents: new AgentCatalog(), rules: [], skills: [], problems: [] },
    ...{ memory: undefined, branch: undefined, root: undefined },
  };
  return {
    project: () => project,
    gitState: async () => "unknown",
    ledger: noLedger,
    tools: registryOf(coreTools),
    taskTool,
    externalTools: noExternalTools,
    toolSearchTools: () => [],
    forgetCheckpoints: async () => {},
    ruleUsed() {},
    limits: () => ({ ...defaultLimits, queueTimeoutMs: 300 }),
    facts: new KnownFacts({ limits: () => defaultLimits }),
    platform: process.platform,
    openModel: () => openModel("anthropic", { apiKey: "test-key", baseURL: model.url }),
    fallbackModel: () => undefined,
    rules: () => ({ user: [], workspace: [] }),
    keepRules() {},
    attended: true,
    sendsWaiting: true,
    titles: false,
    log: { firstByte() {}, event() {}, note() {}, bug: (error) => bugs.push(error) },
    ...change,
  };
}
