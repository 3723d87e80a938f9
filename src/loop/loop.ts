/** The loop: ask the model, run its calls, until it has nothing more to do (spec L). */

import type { Entry } from "../chat/apply.ts";
import type { AssistantMessage, ReplyError, UserMessage } from "../chat/message.ts";
import { pendingSubtask, runSubtask } from "./agents/subagent.ts";
import type { CallEnd } from "./calls/call.ts";
import { runCalls } from "./calls/calls.ts";
import { abortedText, budgetText, closeOpenCalls, discardCalls } from "./calls/close-calls.ts";
import { recordChanges } from "./calls/record-changes.ts";
import { compact, isWholeTurn, pendingCompaction, requestCompaction } from "./context/compact.ts";
import { estimateContext, overflowLimit, pendingPrompt, visibleEntries } from "./context/context.ts";
import { saveMemory, shouldSaveMemory } from "./context/memory.ts";
import { prune } from "./context/prune.ts";
import { addSyntheticMessage } from "./context/synthetic-message.ts";
import { cannotFit, compactionFailed, describe, endOf, overTime } from "./endings.ts";
import { ModelError } from "./model.ts";
import { type Reply, streamReply } from "./reply/reply.ts";
import { reminders } from "./setup/system-prompt.ts";
import type { AgentConfig, Turn, TurnEnd } from "./turn.ts";

/** One user prompt, to the model's last word. Never throws: every way out is a TurnEnd (L10). */
export async function runTurn(turn: Turn): Promise<TurnEnd> {
  const started = Date.now();
  turn.report({ type: "loop:start", runId: turn.runID, sessionId: turn.chat.session.id });
  turn.emit({ type: "status", status: { type: "busy", since: started } });
  const connected = turn.connectExternalTools();
  let end: TurnEnd;
  do end = await connected.then(() => rounds(turn)).catch((error: unknown) => failed(turn, error));
  while (turn.chat.queue.length > 0 && (end.reason === "end_turn" || end.reason === "max_turns"));
  // Nothing is awaited between this look at the queue and here, so no prompt can slip in unseen.
  turn.close();
  end = finish(turn, end, Date.now() - started);
  if (end.error) turn.report({ type: "loop:error", runId: turn.runID, error: end.error.message });
  const success = end.reason === "end_turn";
  turn.report({ type: "loop:end", runId: turn.runID, success, duration: Date.now() - started });
  return end;
}

/** What happened since the rounds began, where it decides what comes next. */
interface Progress {
  steps: number;
  /** Compactions since the last step (C3). */
  compactions: number;
  /** Whether the server said since the last step that the request was too long. */
  overflowed: boolean;
  /** How often a reply in a row was asked to go on where it was cut (C4). */
  continued: number;
  /** How often in a row a hook did not let the turn end. */
  heldBack: number;
  /** Resolves when it is known what the calls so far have changed. */
  noted: Promise<void>;
  /** The turn waits for nothing any more. */
  over: boolean;
}

async function rounds(turn: Turn): Promise<TurnEnd> {
  const noted = Promise.resolve();
  const so: Progress = { steps: 0, compactions: 0, overflowed: false, continued: 0, heldBack: 0, noted, over: false };
  try {
    return await roundsUntilEnd(turn, so);
  } finally {
    await settled(turn, so.noted);
    so.over = true;
  }
}

/** ms that a turn which was stopped waits for it to be known what its calls have changed. */
const patience = 150;

async function settled({ signal }: Turn, noted: Promise<void>): Promise<void> {
  if (!signal.aborted) return await noted;
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patience);
  });
  await Promise.race([noted, enough]);
  clearTimeout(timer);
}

async function roundsUntilEnd(turn: Turn, so: Progress): Promise<TurnEnd> {
  for (;;) {
    const over = await overLimit(turn, so);
    if (over) return over;
    turn.takeQueued();
    const { user, isAnswered } = pendingPrompt(turn.chat);
    if (!user) throw new Error("a turn without a user message");
    const config = turn.resolveConfig(user);
    const end =
      (await openTask(turn, config, user, isAnswered, so)) ?? (isAnswered ? done : await step(turn, config, user, so));
    if (end !== "again") return end;
  }
}

const done: TurnEnd = { reason: "end_turn", error: undefined };

/** Whether to stop before the next round (L1), and before prompts that wait are taken: they have steps of their own. */
async function overLimit(turn: Turn, { steps }: Progress): Promise<TurnEnd | undefined> {
  if (turn.signal.aborted) return { reason: "interrupted", error: undefined };
  if (steps >= turn.limits.maxTurns) return { reason: "max_turns", error: undefined };
  const poor = await overBudget(turn);
  if (poor) return poor;
  const { executionTimeoutMs } = turn.limits;
  return turn.elapsed() < executionTimeoutMs ? undefined : overTime(executionTimeoutMs);
}

/** Looked at before each round and before calls run; the user may be asked, and takes the time that it takes (B2). */
async function overBudget(turn: Turn): Promise<TurnEnd | undefined> {
  const allowed = await turn.untimed(() => turn.budget.allows(turn.signal));
  return allowed ? undefined : { reason: "error_max_budget_usd", error: undefined };
}

/** What comes before the next step: a subtask, a compaction, notes that should last (L6, L7, C5). */
async function openTask(
  turn: Turn,
  config: AgentConfig,
  user: UserMessage,
  isAnswered: boolean,
  so: Progress,
): Promise<"again" | TurnEnd | undefined> {
  const subtask = pendingSubtask(turn.chat, user);
  if (subtask) return next(await runSubtask(turn, config, user, subtask));
  const asked = pendingCompaction(turn.chat.messages);
  if (asked) {
    const result = await compact(turn, config, asked);
    turn.flush();
    if (result.type === "failed") turn.note(`The conversation was not compacted: ${result.why}`);
    if (!isWholeTurn(turn.chat, asked)) return "again";
    return result.type === "failed" ? { reason: "error", error: compactionFailed(result.why) } : done;
  }
  const entries = visibleEntries(turn.chat);
  const size = estimateContext(entries, config);
  if (shouldSaveMemory(turn, config, entries, size)) {
    await flush(turn, config, user);
    return "again";
  }
  const isTooFull = size > overflowLimit(config, turn.limits) && !isAnswered;
  return isTooFull ? makeRoom(turn, config, user, so, entries, size) : undefined;
}

function next(end: CallEnd): "again" | TurnEnd {
  return end === "continue" ? "again" : end;
}

/** No failure of it counts, save Stop. */
async function flush(turn: Turn, config: AgentConfig, user: UserMessage): Promise<void> {
  try {
    await saveMemory(turn, config, user);
  } catch (error) {
    if (!(error instanceof ModelError) || turn.signal.aborted) throw error;
    turn.note(`Lasting notes could not be asked for: ${error.message}`);
  }
  // A refusal ends the notes, not the turn: calls that were left open have their results before the next request.
  closeOpenCalls(turn.chat, abortedText, turn.emit);
  const size = estimateContext(visibleEntries(turn.chat), config);
  // Else the compaction that comes now says so.
  if (size <= overflowLimit(config, turn.limits)) addSyntheticMessage(turn, user, reminders.goOnWithWork);
}

/** Asks for a compaction, unless that has been tried often enough or nothing can become shorter. */
function makeRoom(
  turn: Turn,
  config: AgentConfig,
  user: UserMessage,
  so: Progress,
  entries: readonly Entry[],
  size: number,
): "again" | TurnEnd | undefined {
  const canShrink = entries.some(({ info }) => info.role === "assistant" && !info.summary);
  if (so.compactions >= 3) return { reason: "error", error: cannotFit(entries, config, size) };
  if (canShrink) {
    so.compactions += 1;
    requestCompaction(turn, user, true);
    return "again";
  }
  // The estimate may be wrong; only what is sure not to fit is not even tried.
  if (!so.overflowed && size <= config.inputLimit) return undefined;
  return { reason: "error", error: cannotFit(entries, config, size) };
}

/** One reply and its calls (L8). */
async function step(turn: Turn, config: AgentConfig, user: UserMessage, so: Progress): Promise<"again" | TurnEnd> {
  reportFinishedCommands(turn, user);
  const isLast = config.agent.steps !== undefined && so.steps + 1 >= config.agent.steps;
  if (isLast) addSyntheticMessage(turn, user, reminders.lastStep);
  const entries = visibleEntries(turn.chat);
  const size = estimateContext(entries, config);
  turn.report({ type: "loop:context", tokenEstimate: size });
  let reply: Reply;
  try {
    const maxTokens = longestReply(config, size);
    reply = await streamReply(turn, config, { entries, kind: isLast ? "last" : "step", parent: user, maxTokens });
  } catch (error) {
    if (!(error instanceof ModelError) || error.kind !== "context-full") throw error;
    return afterOverflow(turn, config, user, so, size, error);
  }
  so.steps += 1;
  so.compactions = 0;
  so.overflowed = false;
  if (reply.finish === "context-full") return afterOverflow(turn, config, user, so, size, undefined);
  if (reply.finish === "length") return cut(turn, config, user, so, reply);
  so.continued = 0;
  if (reply.calls.length === 0 || isLast) return await lastWord(turn, user, so, reply);
  const poor = await overBudget(turn);
  if (poor) return poor;
  try {
    return next(await runCalls(turn, config, reply.calls));
  } finally {
    so.noted = Promise.all([so.noted, noteChanges(turn, so, reply.message.id)]).then(() => {});
  }
}

async function noteChanges(turn: Turn, so: Progress, messageID: string): Promise<void> {
  try {
    await recordChanges(turn, messageID, () => !so.over);
  } catch (error) {
    // A record that cannot be written ends the turn elsewhere; the change itself has been made.
    turn.bug(error);
  }
}

/** The model hears once of each command in the background that has ended. */
function reportFinishedCommands(turn: Turn, user: UserMessage): void {
  if (turn.lineage.length > 1) return;
  const ended = turn.host.background.takeEnded();
  if (ended.length > 0) addSyntheticMessage(turn, user, reminders.ended(ended));
}

/** A reply that fits into what the window leaves. */
function longestReply({ maxTokens, contextWindow }: AgentConfig, size: number): number | undefined {
  return maxTokens === undefined ? undefined : Math.max(1024, Math.min(maxTokens, Math.floor(contextWindow - size)));
}

/** The server has no room for the request, or for the rest of the reply: compact, once (C3, H2). */
function afterOverflow(
  turn: Turn,
  config: AgentConfig,
  user: UserMessage,
  so: Progress,
  size: number,
  error: ModelError | undefined,
): "again" | TurnEnd {
  const entries = visibleEntries(turn.chat);
  const failed = turn.chat.messages.at(-1)?.info;
  if (
    so.overflowed ||
    so.compactions > 0 ||
    !entries.some(({ info }) => info.role === "assistant" && info !== failed)
  ) {
    return { reason: "error", error: cannotFit(entries, config, size, error) };
  }
  // What it says is not the end of the turn any more.
  if (failed?.role === "assistant") {
    const { error: _, ...message } = failed;
    turn.emit({ type: "message", message: { ...message, finish: "context-full" } });
    discardCalls(turn.chat, message, turn.emit);
  }
  so.overflowed = true;
  so.compactions += 1;
  requestCompaction(turn, user, true);
  return "again";
}

/** The reply reached its longest length (C4). */
function cut(turn: Turn, config: AgentConfig, user: UserMessage, so: Progress, reply: Reply): "again" | TurnEnd {
  discardCalls(turn.chat, reply.message, turn.emit);
  const entries = visibleEntries(turn.chat);
  if (estimateContext(entries, config) > overflowLimit(config, turn.limits)) {
    so.compactions += 1;
    requestCompaction(turn, user, true);
    return "again";
  }
  if (so.continued >= 2) return endOf(reply);
  so.continued += 1;
  addSyntheticMessage(turn, user, reminders.cut);
  return "again";
}

/** The model has nothing more to do; a hook may see that differently, a few times (K4). */
async function lastWord(turn: Turn, user: UserMessage, so: Progress, reply: Reply): Promise<"again" | TurnEnd> {
  const end = endOf(reply);
  if (end.reason !== "end_turn" || !turn.hooks.has("Stop")) return end;
  const outcome = await turn.hooks.fire("Stop", undefined, { stop_hook_active: so.heldBack > 0 }, turn.signal);
  for (const message of outcome.messages) turn.notifyUser(reply.message.id, message);
  if (outcome.decision !== "deny" || so.heldBack >= 5) return end;
  so.heldBack += 1;
  addSyntheticMessage(turn, user, outcome.reason || "A hook of the user asks you to go on.");
  return "again";
}

function failed(turn: Turn, error: unknown): TurnEnd {
  if (turn.signal.aborted) return { reason: "interrupted", error: undefined };
  if (error instanceof ModelError && error.kind === "aborted") return { reason: "aborted", error: undefined };
  return { reason: "error", error: describe(turn, error) };
}

/** Gives every open call its result, so that the next request is valid for every provider, keeps all, and goes idle. */
function finish(turn: Turn, end: TurnEnd, durationMs: number): TurnEnd {
  let result = end;
  try {
    if (end.error) noteError(turn, end.error);
    closeOpenCalls(turn.chat, end.reason === "error_max_budget_usd" ? budgetText : abortedText, turn.emit);
    prune(turn);
    turn.flush();
    turn.report({ type: "loop:persist" });
  } catch (error) {
    result = end.error ? end : { reason: "error", error: describe(turn, error) };
  }
  const { reason, error } = result;
  const steps = countReplies(turn);
  turn.emit({ type: "ended", reason, ...(error && { error }), durationMs, steps });
  turn.emit({ type: "status", status: { type: "idle" } });
  return result;
}

/** Stores the error with the turn's last reply, so that it is still shown after a reload. */
function noteError(turn: Turn, error: ReplyError): void {
  const message = repliesOf(turn).at(-1);
  if (message && !message.error) turn.emit({ type: "message", message: { ...message, error } });
}

/** The replies of this turn that the user sees. */
function repliesOf(turn: Turn): AssistantMessage[] {
  return entriesOf(turn).flatMap(({ info }) =>
    info.role === "assistant" && !info.summary && !info.silent ? [info] : [],
  );
}

/** K3: one that was refused, and the call that stands for a subtask, is no reply of the model. */
function countReplies(turn: Turn): number {
  const isReply = ({ info, parts }: Entry) =>
    info.role === "assistant" && !info.summary && !info.silent && parts.some(({ type }) => type === "step-start");
  return entriesOf(turn).filter(isReply).length;
}

function entriesOf({ chat, firstReply }: Turn): Entry[] {
  return chat.messages.slice(firstReply);
}
