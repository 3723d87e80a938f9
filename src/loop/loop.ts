/** The loop: ask the model, run its calls, until it has nothing more to do (spec L). */
import { type CallEnd, runCall } from "./call.ts";
import { type AssistantMessage, contextSize, type ReplyError } from "./message.ts";
import { ModelError } from "./model.ts";
import { never } from "./never.ts";
import { type Reply, streamReply, type ToolCall, toReplyError } from "./reply.ts";
import { abortedText, closeOpen } from "./settle.ts";
import { RecordError } from "./store.ts";
import type { Turn, TurnEnd } from "./turn.ts";

/** One user prompt, to the model's last word. Never throws: every way out is a TurnEnd (L10). */
export async function runTurn(turn: Turn): Promise<TurnEnd> {
  const started = Date.now();
  turn.report({ type: "loop:start", runId: turn.runID, sessionId: turn.chat.session.id });
  turn.emit({ type: "status", status: { type: "busy", since: started } });
  let end: TurnEnd;
  do end = await steps(turn).catch((error: unknown) => failed(turn, error));
  while (turn.chat.queue.length > 0 && (end.reason === "end_turn" || end.reason === "max_turns"));
  // Nothing is awaited between this look at the queue and here, so no prompt can slip in unseen.
  turn.close();
  end = finish(turn, end, Date.now() - started);
  if (end.error) turn.report({ type: "loop:error", runId: turn.runID, error: end.error.message });
  const success = end.reason === "end_turn";
  turn.report({ type: "loop:end", runId: turn.runID, success, duration: Date.now() - started });
  return end;
}

async function steps(turn: Turn): Promise<TurnEnd> {
  for (let step = 0; step < turn.limits.maxTurns; step++) {
    const over = overLimit(turn);
    if (over) return over;
    turn.takeQueued();
    turn.report({ type: "loop:context", tokenEstimate: contextTokens(turn) });
    const reply = await streamReply(turn);
    if (reply.calls.length === 0) return endOf(reply);
    turn.report({ type: "loop:execute", toolCount: reply.calls.length });
    for (const group of sideBySide(turn, reply.calls)) {
      if ((await runGroup(turn, group)) === "blocked") return { reason: "blocked", error: undefined };
    }
    turn.flush();
    turn.report({ type: "loop:persist" });
  }
  return overLimit(turn) ?? { reason: "max_turns", error: undefined };
}

/** Whether to stop before the next reply (L1). */
function overLimit(turn: Turn): TurnEnd | undefined {
  const { maxBudgetUsd, executionTimeout } = turn.limits;
  if (turn.signal.aborted) return { reason: "interrupted", error: undefined };
  if (maxBudgetUsd !== undefined && spent(turn) >= maxBudgetUsd) {
    return { reason: "error_max_budget_usd", error: undefined };
  }
  if (turn.elapsed() < executionTimeout) return undefined;
  const minutes = Math.round(executionTimeout / 60_000);
  return {
    reason: "error",
    error: {
      code: "execution-timeout",
      message: `The turn worked for ${minutes} minutes, which is its limit.`,
      next: "Send another message to go on, or raise rondo.loop.executionTimeout.",
    },
  };
}

function spent(turn: Turn): number {
  let sum = 0;
  for (const { info } of turn.chat.messages) if (info.role === "assistant") sum += info.cost ?? 0;
  return sum;
}

/** Size of the context by the last reply's own count, in tokens (C2). */
function contextTokens(turn: Turn): number {
  const last = turn.chat.messages.findLast(({ info }) => info.role === "assistant" && info.finish !== undefined)?.info;
  return last?.role === "assistant" ? contextSize(last.tokens) : 0;
}

/** At most so many calls run at once (T5). */
const mostAtOnce = 8;

/** Groups neighbours without side effects; every other call is a group of its own. */
function sideBySide(turn: Turn, calls: readonly ToolCall[]): ToolCall[][] {
  const groups: ToolCall[][] = [];
  let gathering = false;
  for (const call of calls) {
    const effect = (turn.tools.get(call.tool) ?? turn.tools.get(call.tool.toLowerCase()))?.sideEffect;
    const harmless = effect === "none" || effect === "read-only";
    const last = groups.at(-1);
    if (gathering && harmless && last && last.length < mostAtOnce) last.push(call);
    else groups.push([call]);
    gathering = harmless;
  }
  return groups;
}

/** Ends only when all have ended, so that none works on behind the turn's back. */
async function runGroup(turn: Turn, group: readonly ToolCall[]): Promise<CallEnd> {
  const ends = await Promise.allSettled(group.map((call) => runCall(turn, call)));
  const broken = ends.find((end) => end.status === "rejected");
  if (broken) throw broken.reason;
  return ends.some((end) => end.status === "fulfilled" && end.value === "blocked") ? "blocked" : "continue";
}

function endOf({ finish, isEmpty }: Reply): TurnEnd {
  switch (finish) {
    case "stop":
    case "tool-calls":
    case "unknown":
      if (!isEmpty) return { reason: "end_turn", error: undefined };
      return {
        reason: "error",
        error: {
          code: "empty-reply",
          message: "The model ended without an answer.",
          next: "Try again, or choose another model.",
        },
      };
    case "pause":
      return {
        reason: "error",
        error: {
          code: "paused",
          message: "The model paused before it was done.",
          next: 'Send "go on" to let it continue.',
        },
      };
    case "interrupted":
      return { reason: "interrupted", error: undefined };
    case "length":
      return {
        reason: "max_tokens",
        error: {
          code: "max-tokens",
          message: "The answer was cut: it reached the most tokens that one reply may have.",
          next: 'Send "go on" to let Rondo continue.',
        },
      };
    case "context-full":
      return {
        reason: "error",
        error: {
          code: "context-full",
          message: "The conversation no longer fits into the model's context window.",
          next: "Start a new session, or choose a model with a larger window.",
        },
      };
    case "content-filter":
    case "refusal":
      return {
        reason: "error",
        error: {
          code: "refusal",
          message: "The model declined to answer this.",
          next: "Say it in other words, or choose another model.",
        },
      };
    default:
      return never(finish);
  }
}

function failed(turn: Turn, error: unknown): TurnEnd {
  if (turn.signal.aborted) return { reason: "interrupted", error: undefined };
  if (error instanceof ModelError && error.kind === "aborted") return { reason: "aborted", error: undefined };
  return { reason: "error", error: describe(turn, error) };
}

function describe(turn: Turn, error: unknown): ReplyError {
  if (error instanceof ModelError) return toReplyError(error);
  if (error instanceof RecordError) return { code: "record", message: error.message, next: error.next };
  turn.bug(error);
  return {
    code: "bug",
    message: `Rondo made a mistake: ${error instanceof Error ? error.message : String(error)}`,
    next: "Nothing is lost. Try again; if it stays, report it with the log (Rondo: Show Log).",
  };
}

/** Gives every open call its result, so that the next request is valid for every provider, keeps all, and goes idle. */
function finish(turn: Turn, end: TurnEnd, durationMs: number): TurnEnd {
  let result = end;
  try {
    if (end.error) noteError(turn, end.error);
    closeOpen(turn.chat, abortedText, turn.emit);
    turn.flush();
    turn.report({ type: "loop:persist" });
  } catch (error) {
    result = end.error ? end : { reason: "error", error: describe(turn, error) };
  }
  const { reason, error } = result;
  const steps = repliesOf(turn).length;
  turn.emit({ type: "ended", reason, ...(error && { error }), durationMs, steps });
  turn.emit({ type: "status", status: { type: "idle" } });
  return result;
}

/** Stores the error with the turn's last reply, so that it is still shown after a reload. */
function noteError(turn: Turn, error: ReplyError): void {
  const message = repliesOf(turn).at(-1);
  if (message && !message.error) turn.emit({ type: "message", message: { ...message, error } });
}

function repliesOf(turn: Turn): AssistantMessage[] {
  return turn.chat.messages
    .slice(turn.firstReply)
    .map((entry) => entry.info)
    .filter((info) => info.role === "assistant");
}
