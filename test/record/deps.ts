import assert from "node:assert/strict";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import { noCheckpoints } from "../../src/loop/checkpoints.ts";
import { noHooks } from "../../src/loop/hooks.ts";
import { defaultLimits } from "../../src/loop/limits.ts";
import type { SessionDeps } from "../../src/loop/session/session-deps.ts";
import { noExternalTools } from "../../src/loop/setup/external-tools.ts";
import { noLedger, noLock } from "../../src/loop/storage.ts";
import { KnownFacts } from "../../src/providers/catalog/model-facts.ts";
import { taskTool } from "../../src/tools/built-in/task.ts";

/** Dependencies of a session that tests of the record do not care about. A reported bug fails the test. */
export const plainDeps = {
  taskTool,
  externalTools: noExternalTools,
  toolSearchTools: () => [],
  checkpoints: noCheckpoints,
  ruleUsed() {},
  lock: noLock,
  ledger: noLedger,
  limits: () => defaultLimits,
  facts: new KnownFacts({ limits: () => defaultLimits }),
  platform: "linux",
  fallbackModel: () => undefined,
  rules: () => ({ user: [], workspace: [] }),
  keepRules() {},
  project: () => ({
    agents: new AgentCatalog(),
    rules: [],
    memory: undefined,
    branch: undefined,
    root: undefined,
    skills: [],
    problems: [],
  }),
  hooks: noHooks,
  openChild: () => assert.fail("no subagent was asked for"),
  titles: false,
  log: {
    firstByte() {},
    event() {},
    note() {},
    bug: (error: unknown) => assert.fail(String(error)),
  },
} satisfies Partial<SessionDeps>;
