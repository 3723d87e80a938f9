/** Describes the end of a turn for people: a sentence, and what to do next. */

import { never } from "../base/never.ts";
import type { Chat } from "../chat/apply.ts";
import type { ErrorCode, ModelRef, ReplyError } from "../chat/message.ts";
import { msg } from "../l10n/l10n.ts";
import { asBegun, type ContextMeasure, fixedSize, sizeOfOutputs, sum } from "./context/context.ts";
import type { Log } from "./log.ts";
import { ModelError } from "./model.ts";
import { type Reply, toReplyError } from "./reply/reply-sink.ts";
import { IntakeError } from "./session/intake-error.ts";
import type { AgentConfig } from "./setup/agent-config.ts";
import { RecordError } from "./storage.ts";
import type { TurnEnd } from "./turn.ts";

export function endOf({ finish, text, calls }: Reply): TurnEnd {
  switch (finish) {
    case "stop":
    case "tool-calls":
    case "unknown":
      if (text.trim() !== "" || calls.length > 0) return { reason: "end_turn", error: undefined };
      return failure(
        "empty-reply",
        msg("The model ended without an answer."),
        msg("Try again, or choose another model."),
      );
    case "pause":
      return failure("paused", msg("The model paused before it was done."), msg('Send "go on" to let it continue.'));
    case "interrupted":
      return { reason: "interrupted", error: undefined };
    case "length":
      return failure(
        "max-tokens",
        msg("The answer was cut off: it reached the token limit of a reply."),
        msg('Send "go on" to let Rondo continue.'),
        "max_tokens",
      );
    case "context-full":
      return failure(
        "context-full",
        msg("The conversation no longer fits into the model's context window."),
        msg("Start a new session, or choose a model with a larger window."),
      );
    case "content-filter":
    case "refusal":
      return failure(
        "refusal",
        msg("The model declined to answer this."),
        msg("Rephrase your message, or choose another model."),
      );
    default:
      return never(finish);
  }
}

function failure(code: ErrorCode, message: string, next: string, reason: TurnEnd["reason"] = "error"): TurnEnd {
  return { reason, error: { code, message, next } };
}

export function priceUnknown({ providerID, modelID }: ModelRef): TurnEnd {
  return failure(
    "price-unknown",
    msg("The price of {0}/{1} is not known, so a budget in USD cannot be kept.", providerID, modelID),
    msg(
      "Set the price (prices, --prices, rondo.prices), or a budget of tokens (maxBudgetTokens, --max-budget-tokens).",
    ),
  );
}

export function overTime(timeoutMs: number): TurnEnd {
  const minutes = Math.round(timeoutMs / 60_000);
  return failure(
    "execution-timeout",
    msg("The turn worked for {0} minutes, which is its limit.", minutes),
    msg("Send another message to continue."),
  );
}

export function cannotFit(
  { entries, size, chat, config }: ContextMeasure & { chat: Chat; config: AgentConfig },
  cause?: { message: string } | undefined,
): ReplyError {
  const fixed = fixedSize(asBegun(chat, config));
  const outputs = sum(entries, sizeOfOutputs);
  const count = (tokens: number) => Math.max(0, Math.round(tokens)).toLocaleString("en-US");
  const filled = msg(
    "about {0} tokens (system prompt and tools {1}, outputs of tools {2}, messages {3})",
    count(size),
    count(fixed),
    count(outputs),
    count(size - fixed - outputs),
  );
  const said = cause ? ` ${cause.message}` : "";
  return {
    code: "context-full",
    message: msg(
      "The conversation does not fit into the model's context window of {0} tokens, and compacting does not help: {1}.{2}",
      count(config.contextWindow),
      filled,
      said,
    ),
    next: msg("Start a new session, say it in fewer words, or choose a model with a larger window."),
  };
}

export function isFull({ contextWindow }: AgentConfig): ReplyError {
  return {
    code: "compaction-off",
    message: msg(
      "The conversation no longer fits into the model's context window of {0} tokens, and automatic compaction is off.",
      contextWindow.toLocaleString("en-US"),
    ),
    next: msg("Compact the conversation, or start a new session."),
  };
}

export function compactionFailed(why: string): ReplyError {
  return {
    code: "compaction",
    message: msg("The conversation was not compacted: {0}", why),
    next: msg("It is unchanged."),
  };
}

/** Returns why a turn failed; an unforeseen error is logged as a bug. */
export function describe(log: Pick<Log, "bug">, error: unknown): ReplyError {
  if (error instanceof ModelError) return toReplyError(error);
  if (error instanceof RecordError) return { code: "record", message: error.message, next: error.next };
  if (error instanceof IntakeError) return { code: error.code, message: error.message, next: "" };
  log.bug(error);
  return {
    code: "bug",
    message: msg("Unexpected error in Rondo: {0}", error instanceof Error ? error.message : String(error)),
    next: msg("Nothing is lost. Try again; if it happens again, report it with the log."),
  };
}
