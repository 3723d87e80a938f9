/** A call on its way: what the functions that run it share, and how it ends. */
import type { ToolCall } from "../reply/reply-sink.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import type { Turn, TurnEnd } from "../turn.ts";
import type { CallHooks } from "./call-hooks.ts";
import type { CallRecord } from "./call-record.ts";
import type { Deadline } from "./deadline.ts";

/** Whether the turn continues: hooks and the user's denial without a reason end it (T7). */
export type CallEnd = "continue" | TurnEnd;

export interface CallInProgress {
  turn: Turn;
  config: AgentConfig;
  call: ToolCall;
  record: CallRecord;
  hooks: CallHooks;
  deadline: Deadline;
  /** Whether only an answer of the user decides: opening a session runs nothing. */
  mustAsk: boolean;
}
