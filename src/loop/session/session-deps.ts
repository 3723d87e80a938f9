/** Everything that a session needs from its owner. */
import type { ModelRef } from "../../chat/message.ts";
import type { Rule } from "../../chat/requests.ts";
import type { ConfigSources } from "../setup/agent-config.ts";
import type { Ledger, Recorder, SessionLock } from "../storage.ts";
import type { Services } from "../turn.ts";

/** Functions are called again for each turn. */
export interface SessionDeps extends Services, ConfigSources {
  recorder: Recorder;
  lock: SessionLock;
  ledger: Ledger;
  rules(): { user: readonly Rule[]; workspace: readonly Rule[] };
  keepRules(rules: Rule[]): void;
  ruleUsed(rule: Rule): void;
  /** Whether someone can answer questions. */
  attended: boolean;
  fallbackModel(): ModelRef | undefined;
  /** Whether the model is asked for a title after its first reply (L5). */
  titles: boolean;
}
