/** Builds the `result` message of a prompt (spec K2). */

import type { Chat } from "../chat/apply.ts";
import type { ReplyError, ToolPart } from "../chat/message.ts";
import { msg } from "../l10n/l10n.ts";
import type { QueryExitReason, SDKResultMessage } from "./query-types.ts";
import { lastText } from "./sdk-blocks.ts";
import { stopReason } from "./stream-events.ts";
import type { Totals } from "./totals.ts";

/** How a prompt ended; `aborted` when the caller's signal ended it. */
export interface PromptEnding {
  reason: QueryExitReason;
  error?: ReplyError | undefined;
  durationMs: number;
  /** Number of messages in the chat before the prompt. */
  firstMessage: number;
}

export function resultOf(
  chat: Chat,
  ending: PromptEnding,
  { prompt, query, denied }: { prompt: Totals; query: Totals; denied: readonly ToolPart[] },
): Omit<SDKResultMessage, "uuid" | "session_id"> {
  const entries = chat.messages.slice(ending.firstMessage);
  const last = entries.map(({ info }) => info).findLast((info) => info.role === "assistant" && !info.silent);
  const subtype = subtypeOf(ending.reason);
  const failed = subtype !== "success";
  return {
    type: "result",
    subtype,
    is_error: failed,
    duration_ms: Math.round(ending.durationMs),
    duration_api_ms: Math.round(prompt.apiMs),
    num_turns: prompt.turns,
    result: lastText(entries),
    stop_reason: stopReason(last?.role === "assistant" ? last.finish : undefined),
    exit_reason: ending.reason,
    total_cost_usd: query.costUsd,
    known_cost: query.knownCost,
    usage: prompt.usage,
    modelUsage: query.modelUsage,
    permission_denials: denied.map((part) => ({
      tool_name: part.tool,
      tool_use_id: part.callID,
      tool_input: part.state.input,
    })),
    ...(failed && { errors: [describeEnding(ending)] }),
  };
}

function subtypeOf(reason: QueryExitReason): SDKResultMessage["subtype"] {
  if (reason === "end_turn") return "success";
  if (reason === "max_turns") return "error_max_turns";
  return reason === "error_max_budget_usd" ? reason : "error_during_execution";
}

function describeEnding({ reason, error }: PromptEnding): string {
  if (error) return `${error.message} ${error.next}`.trim().replaceAll("\n", " ");
  switch (reason) {
    case "max_turns":
      return msg("The run reached the limit of turns (maxTurns, --max-turns).");
    case "error_max_budget_usd":
      return msg("The budget is used up (maxBudgetUsd, --max-budget-usd, maxBudgetTokens, --max-budget-tokens).");
    case "interrupted":
    case "aborted":
      return msg("The run was interrupted.");
    case "blocked":
      return msg("The run ended because a call it needed was not allowed.");
    default:
      return msg("The run ended early: {0}.", reason);
  }
}
