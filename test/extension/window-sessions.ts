/** What the sessions of a window need, with real tools, model client and record. */
import type { WindowDeps } from "../../src/extension/sessions/conversation-options.ts";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import { defaultLimits } from "../../src/loop/limits.ts";
import { noExternalTools } from "../../src/loop/setup/external-tools.ts";
import { noLedger } from "../../src/loop/storage.ts";
import { KnownFacts } from "../../src/providers/catalog/model-facts.ts";
import { openModel } from "../../src/providers/providers.ts";
import type { SessionParts } from "../../src/runtime/compose-session.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { registryOf } from "../../src/tools/registry.ts";
import type { ModelServer } from "../model-server.ts";

type OwnParts = Pick<SessionParts, "host" | "hooks" | "checkpoints"> &
  Pick<Partial<SessionParts["models"]>, "openModel">;

/** `bugs` gets errors that nothing expects. `own`: what the test gives each session. */
export function sessionDeps(
  { model, bugs }: { model: ModelServer; bugs: unknown[] },
  own: (...session: Parameters<WindowDeps["partsOf"]>) => OwnParts,
): WindowDeps {
  const project = {
    ...{ agents: new AgentCatalog(), rules: [], skills: [], problems: [] },
    ...{ memory: undefined, branch: undefined, root: undefined },
  };
  const limits = () => ({ ...defaultLimits, queueTimeoutMs: 300 });
  const bug = (error: unknown) => void bugs.push(error);
  return {
    ...{ ledger: noLedger, limits, bug },
    forgetCheckpoints: async () => {},
    partsOf(chat, choices, record) {
      const { openModel: open = () => openModel("anthropic", { apiKey: "test-key", baseURL: model.url }), ...parts } =
        own(chat, choices, record);
      return {
        ...{ chat, choices, record, own: [] },
        ...{ tools: registryOf(coreTools), externalTools: noExternalTools },
        models: {
          ...{ limits, openModel: open, fallbackModel: () => undefined },
          facts: new KnownFacts({ limits: () => defaultLimits }),
        },
        rules: { rules: () => ({ user: [], workspace: [] }), keepRules() {}, ruleUsed() {} },
        project: { project: () => project, gitState: async () => "unknown" },
        user: { attended: true, sendsWaiting: true, titles: false },
        log: { firstByte() {}, event() {}, note() {}, bug },
        ...parts,
      };
    },
  };
}
