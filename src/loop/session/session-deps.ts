/** Everything that a session needs from its owner. */
import type { ModelRef } from "../../chat/message.ts";
import type { Rule } from "../../chat/requests.ts";
import type { RuleScope } from "../../chat/rule-scopes.ts";
import type { ConfigSources } from "../setup/agent-config.ts";
import type { Ledger, Recorder, SessionLock } from "../storage.ts";
import type { Services } from "../turn.ts";

/** Functions are called again for each turn. */
export interface SessionDeps extends Services, ConfigSources {
  recorder: Recorder;
  lock: SessionLock;
  ledger: Ledger;
  /** The rules in force in a session. */
  rules(sessionID: string): { user: readonly Rule[]; workspace: readonly Rule[] };
  /** Keeps rules for the session, its workspace, or everywhere. They are in force when it returns. */
  keepRules(rules: Rule[], scope: RuleScope, sessionID: string): void;
  ruleUsed(rule: Rule): void;
  /** Whether someone can answer questions. */
  attended: boolean;
  /** The user sees a question that is still looked at after this time, in ms; absent: only whole questions are shown. */
  lookPatienceMs?: number;
  fallbackModel(): ModelRef | undefined;
  /** Whether a prompt that waits for the end of a turn then begins one of its own (Q2); if not, it stays in the queue. */
  sendsWaiting: boolean;
  /** Whether the model is asked for a title after its first reply (L5). */
  titles: boolean;
}
