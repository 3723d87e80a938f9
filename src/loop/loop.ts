/** The loop: calls the model and runs its tool calls until it has nothing more to do (spec L). */

import type { Entry } from "../chat/apply.ts";
import type { AssistantMessage, ReplyError, UserMessage } from "../chat/message.ts";
import { isClosing } from "../chat/stopped.ts";
import { english } from "../l10n/l10n.ts";
import { pendingSubtask, runSubtask } from "./agents/subtask.ts";
import { unasked } from "./calls/call.ts";
import { callOf } from "./calls/call-input.ts";
import { runCalls, runReopenedCalls } from "./calls/calls.ts";
import {
  aborted,
  closeOpenCalls,
  discardCalls,
  interrupted,
  lastStep,
  overBudget,
  waitingCalls,
} from "./calls/close-calls.ts";
import { recordChanges } from "./calls/record-changes.ts";
import { compact, isWholeTurn, pendingCompaction, recentFailure, requestCompaction } from "./context/compact.ts";
import {
  type ContextMeasure,
  leastReply,
  measureContext,
  mostInput,
  overflowLimit,
  visibleEntries,
} from "./context/context.ts";
import { tellDecisions } from "./context/decisions.ts";
import { leaveOut } from "./context/leave-out.ts";
import { saveMemory, shouldSaveMemory } from "./context/memory.ts";
import { ensurePrefix, type LastLook, tellChanges } from "./context/prefix.ts";
import { prune } from "./context/prune.ts";
import { addSyntheticMessage } from "./context/synthetic-message.ts";
import { cannotFit, compactionFailed, describe, endOf, isFull, overTime, priceUnknown } from "./endings.ts";
import { ModelError } from "./model.ts";
import { streamReply } from "./reply/reply.ts";
import type { Reply } from "./reply/reply-sink.ts";
import { OverTime } from "./session/clock.ts";
import { forNextStep } from "./session/prompt-queue.ts";
import { breakOf, killed, markSession } from "./session/termination.ts";
import type { AgentConfig } from "./setup/agent-config.ts";
import { reminders } from "./setup/system-prompt.ts";
import type { Turn, TurnEnd } from "./turn.ts";

/** Runs one user prompt until the model is done. Never throws: every end is a TurnEnd (L10). */
export async function runTurn(turn: Turn): Promise<TurnEnd> {
  const started = Date.now();
  turn.report({ type: "loop:start", sessionId: turn.chat.session.id });
  turn.emit({ type: "status", status: { type: "busy", since: started } });
  const connected = turn.connectExternalTools();
  let end: TurnEnd;
  do end = await connected.then(() => runRounds(turn)).catch((error: unknown) => endOfFailure(turn, error));
  while (forNextStep(turn.chat).length > 0 && (end.reason === "end_turn" || end.reason === "max_turns"));
  // There is no await between this check of the queue and here, so no prompt can be missed.
  turn.close();
  end = finish(turn, withReason(turn, end), Date.now() - started);
  if (end.error) turn.report({ type: "loop:error", error: end.error.message });
  turn.report({ type: "loop:end", success: end.reason === "end_turn", duration: Date.now() - started });
  return end;
}

interface Progress extends LastLook {
  /** Whether a prompt was taken, or the prefix was created, since the last changes were appended. */
  mustTellAll: boolean;
  steps: number;
  compactions: number;
  /** Whether the server has rejected a request as too long since the last step. */
  overflowed: boolean;
  /** Number of consecutive replies that were cut off and continued (C4). */
  continued: number;
  heldBack: number;
  /** Resolves when the changes of all calls so far are recorded. */
  changesKnown: Promise<void>;
  over: boolean;
}

interface Round extends ContextMeasure {
  turn: Turn;
  config: AgentConfig;
  user: UserMessage;
  progress: Progress;
}

type Next = "continue" | TurnEnd;

const done: TurnEnd = { reason: "end_turn", error: undefined };
const budgetSpent: TurnEnd = { reason: "error_max_budget_usd", error: undefined };

async function runRounds(turn: Turn): Promise<TurnEnd> {
  const progress: Progress = {
    mustTellAll: true,
    config: undefined,
    mode: undefined,
    steps: 0,
    compactions: 0,
    overflowed: false,
    continued: 0,
    heldBack: 0,
    changesKnown: Promise.resolve(),
    over: false,
  };
  try {
    const resumed = await runWaitingCalls(turn, progress);
    if (resumed !== "continue") return resumed;
    for (;;) {
      const next = (await limitReached(turn, progress)) ?? (await runRound(turn, progress));
      if (next !== "continue") return next;
    }
  } finally {
    await awaitChanges(turn, progress);
    progress.over = true;
  }
}

/** Asks again about the calls about which the user was asked when the window was closed, and runs those behind them (R3). */
async function runWaitingCalls(turn: Turn, progress: Progress): Promise<Next> {
  const waiting = waitingCalls(turn.chat);
  const [first] = waiting;
  const { user } = turn.nextPrompt();
  if (!first || !user) return "continue";
  const over = await checkBudget(turn);
  if (over) return over;
  await turn.facts.learn(turn.modelFor(user), turn.signal);
  const run = () => runReopenedCalls(turn, turn.resolveConfig(user), waiting.map(callOf));
  return await withChanges(turn, progress, first.messageID, run);
}

/** Maximum time that a stopped turn waits for the changes of its calls. */
const changesTimeoutMs = 150;

async function awaitChanges({ signal }: Turn, { changesKnown }: Progress): Promise<void> {
  const timeout = new Promise((resolve) => signal.aborted && setTimeout(resolve, changesTimeoutMs));
  await Promise.race([changesKnown, timeout]);
}

/** Checks limits before a round (L1), before queued prompts are taken: these have their own steps. */
async function limitReached(turn: Turn, { steps }: Progress): Promise<TurnEnd | undefined> {
  if (turn.signal.aborted) return { reason: "interrupted", error: undefined };
  if (steps >= turn.limits.maxTurns) return { reason: "max_turns", error: undefined };
  const over = await checkBudget(turn);
  // A subagent that has not begun would only sum up.
  return over ?? (turn.budget.finishes && steps === 0 && turn.lineage.length > 1 ? budgetSpent : undefined);
}

/** Checks the budget before each round and before calls run; asking the user is not working time (B2). */
async function checkBudget(turn: Turn): Promise<TurnEnd | undefined> {
  const allowed = await turn.untimed(() => turn.budget.allows(turn.signal));
  return allowed ? undefined : budgetSpent;
}

/** A budget needs the model's price (B2). */
async function checkPrice(turn: Turn, config: AgentConfig): Promise<TurnEnd | undefined> {
  const answer = await turn.untimed(() => turn.budget.allowsModel(config, turn.signal));
  if (answer === "allowed") return undefined;
  const end = priceUnknown(config.model);
  return answer === "stopped" ? { ...end, reason: "error_max_budget_usd" } : end;
}

/** Runs a subtask, a compaction, the notes for memory, or a step, whichever is due (L6, L7, L8, C5). */
async function runRound(turn: Turn, progress: Progress): Promise<Next> {
  const { finishes } = turn.budget;
  // What is queued waits for a turn that has steps left.
  if (forNextStep(turn.chat).length > 0 && !finishes) {
    turn.takeQueued();
    progress.mustTellAll = true;
  }
  turn.takeExternalTools();
  const { user, isAnswered } = turn.nextPrompt();
  if (!user) throw new Error("a turn without a user message");
  await turn.facts.learn(turn.modelFor(user), turn.signal);
  const config = turn.resolveConfig(user);
  const unpriced = await checkPrice(turn, config);
  if (unpriced) return unpriced;
  ensurePrefix(turn, config);
  const compaction = pendingCompaction(turn.chat.messages);
  if (!isAnswered && !compaction) {
    await tellChanges(turn, config, user, progress, progress.mustTellAll);
    tellDecisions(turn, user);
    progress.mustTellAll = false;
  }
  const subtask = pendingSubtask(turn.chat, user);
  if (subtask) return await runSubtask(turn, config, user, subtask);
  if (compaction) {
    progress.mustTellAll = true;
    return await runCompaction(turn, config, user, compaction);
  }
  if (!isAnswered) leaveOut(turn);
  const round: Round = { turn, config, user, progress, ...measureContext(turn.chat, config) };
  if (!finishes && shouldSaveMemory(round)) return await saveNotes(round);
  const isTooFull = turn.limits.autoCompact && round.size > overflowLimit(config, turn.limits) && !isAnswered;
  return (isTooFull ? makeRoom(round) : undefined) ?? (isAnswered ? done : await step(round));
}

async function runCompaction(turn: Turn, config: AgentConfig, user: UserMessage, compaction: Entry): Promise<Next> {
  const result = await compact(turn, config, compaction);
  turn.flush();
  if (result.type === "failed") turn.log.note(`The conversation was not compacted: ${result.why}`);
  if (!isWholeTurn(turn.chat, compaction)) {
    const failure = recentFailure(turn.chat);
    if (failure) turn.notifyUser(user.id, failure.message);
    return "continue";
  }
  return result.type === "failed" ? { reason: "error", error: compactionFailed(result.why) } : done;
}

/** Only Stop ends the turn here; other failures are logged. */
async function saveNotes({ turn, config, user }: Round): Promise<Next> {
  try {
    await saveMemory(turn, config, user);
  } catch (error) {
    if (!(error instanceof ModelError) || turn.signal.aborted) throw error;
    turn.log.note(`Lasting notes could not be asked for: ${error.message}`);
  }
  // A denial ends the notes, not the turn: open calls have their results before the next request.
  closeOpenCalls(turn, aborted);
  // The model is told to continue here, or by the following compaction.
  const { size } = measureContext(turn.chat, config);
  if (size <= overflowLimit(config, turn.limits)) addSyntheticMessage(turn, user, reminders.goOnWithWork);
  return "continue";
}

/** Requests a compaction, unless that was tried often enough or nothing can become shorter. */
function makeRoom({ turn, config, user, progress, entries, size }: Round): Next | undefined {
  const canShrink = entries.some(({ info }) => info.role === "assistant" && !info.summary);
  const { chat } = turn;
  if (progress.compactions >= 3) return { reason: "error", error: cannotFit({ entries, size, chat, config }) };
  const failed = recentFailure(chat);
  if (canShrink && !failed) {
    progress.compactions += 1;
    requestCompaction(turn, user, true);
    return "continue";
  }
  // The estimate may be wrong, so only a request that hardly leaves room for a reply is not sent.
  if (!progress.overflowed && size <= mostInput(config)) {
    return undefined;
  }
  return { reason: "error", error: cannotFit({ entries, size, chat, config }, failed) };
}

async function step(round: Round): Promise<Next> {
  const { turn, config, user, progress } = round;
  const { finishes } = turn.budget;
  const isLast = finishes || (config.agent.steps !== undefined && progress.steps + 1 >= config.agent.steps);
  const { entries, size } = addReminders(round, isLast) ? measureContext(turn.chat, config) : round;
  turn.report({ type: "loop:context", tokenEstimate: size });
  let reply: Reply;
  try {
    const maxTokens = maxReplyTokens(config, size);
    reply = await streamReply(turn, config, { entries, kind: isLast ? "last" : "step", parent: user, maxTokens });
  } catch (error) {
    if (!(error instanceof ModelError) || error.kind !== "context-full") throw error;
    return afterOverflow(round, size, error);
  }
  progress.steps += 1;
  progress.compactions = 0;
  progress.overflowed = false;
  if (reply.finish === "context-full") return afterOverflow(round, size, undefined);
  if (reply.finish === "length" && !finishes) return afterCut(round, reply);
  progress.continued = 0;
  if (isLast) closeOpenCalls(turn, lastStep);
  if (finishes) return endOfFinished(reply);
  if (reply.calls.length === 0 || isLast) return await runStopHooks(round, reply);
  const over = await checkBudget(turn);
  if (over) return over;
  return await withChanges(turn, progress, reply.message.id, () => runCalls(turn, config, reply.calls));
}

/** The turn ends because of its budget, however well the model has summed up (B2). */
function endOfFinished(reply: Reply): TurnEnd {
  const end = endOf(reply);
  return end.reason === "end_turn" ? budgetSpent : end;
}

/** Runs calls, and records what they have changed, however they end. */
async function withChanges(turn: Turn, progress: Progress, messageID: string, run: () => Promise<Next>): Promise<Next> {
  try {
    return await run();
  } finally {
    const recorded = recordStepChanges(turn, progress, messageID);
    progress.changesKnown = Promise.all([progress.changesKnown, recorded]).then(() => {});
  }
}

async function recordStepChanges(turn: Turn, progress: Progress, messageID: string): Promise<void> {
  try {
    await recordChanges(turn, messageID, () => !progress.over);
  } catch (error) {
    // A record that cannot be written ends the turn elsewhere; the change has already been made.
    turn.log.bug(error);
  }
}

/** Tells the model about finished background commands and about its last step. Returns whether it added a message. */
function addReminders({ turn, user }: Round, isLast: boolean): boolean {
  const finished = turn.lineage.length > 1 ? [] : turn.host.background.takeEnded();
  if (finished.length > 0) addSyntheticMessage(turn, user, reminders.ended(finished));
  if (isLast) addSyntheticMessage(turn, user, reminders.lastStep);
  return isLast || finished.length > 0;
}

function maxReplyTokens(config: AgentConfig, size: number): number | undefined {
  const { maxTokens, contextWindow } = config;
  if (maxTokens === undefined) return undefined;
  return Math.max(leastReply(config), Math.min(maxTokens, Math.floor(contextWindow - size)));
}

/** The request, or the rest of the reply, does not fit into the window: compact once (C3, H2). */
function afterOverflow({ turn, config, user, progress }: Round, size: number, cause: ModelError | undefined): Next {
  const entries = visibleEntries(turn.chat);
  const failed = turn.chat.messages.at(-1)?.info;
  const canShrink = entries.some(({ info }) => info.role === "assistant" && info !== failed);
  if (!turn.limits.autoCompact) return { reason: "error", error: isFull(config) };
  const failure = recentFailure(turn.chat);
  if (progress.overflowed || progress.compactions > 0 || !canShrink || failure) {
    const { chat } = turn;
    return { reason: "error", error: cannotFit({ entries, size, chat, config }, failure ?? cause) };
  }
  // This finish must not count as the end of the turn.
  if (failed?.role === "assistant") {
    const { error: _, ...message } = failed;
    turn.emit({ type: "message", message: { ...message, finish: "context-full" } });
    discardCalls(turn, message);
  }
  progress.overflowed = true;
  progress.compactions += 1;
  requestCompaction(turn, user, true);
  return "continue";
}

function afterCut({ turn, config, user, progress }: Round, reply: Reply): Next {
  discardCalls(turn, reply.message);
  const isFull = measureContext(turn.chat, config).size > overflowLimit(config, turn.limits);
  if (turn.limits.autoCompact && isFull && !recentFailure(turn.chat)) {
    progress.compactions += 1;
    requestCompaction(turn, user, true);
    return "continue";
  }
  if (progress.continued >= 2) return endOf(reply);
  progress.continued += 1;
  addSyntheticMessage(turn, user, reminders.cut);
  return "continue";
}

/** Ends the turn; a Stop hook may make the model continue, up to five times in a row (K4). */
async function runStopHooks({ turn, user, progress }: Round, reply: Reply): Promise<Next> {
  const end = endOf(reply);
  if (end.reason !== "end_turn" || !turn.hooks.has("Stop")) return end;
  const outcome = await turn.hooks.fire("Stop", undefined, { stop_hook_active: progress.heldBack > 0 }, turn.signal);
  for (const message of outcome.messages) turn.notifyUser(reply.message.id, message);
  if (outcome.decision !== "deny" || progress.heldBack >= 5) return end;
  progress.heldBack += 1;
  addSyntheticMessage(turn, user, outcome.reason || english("A hook of the user asks you to go on."));
  return "continue";
}

/** Only the limit of working time has another end than Stop, which ends a turn in the same way (L1). */
function withReason({ signal: { reason } }: Turn, end: TurnEnd): TurnEnd {
  const isStopped = end.reason === "interrupted" || end.reason === "aborted";
  return isStopped && reason instanceof OverTime ? overTime(reason.limitMs) : end;
}

function endOfFailure(turn: Turn, error: unknown): TurnEnd {
  if (turn.signal.aborted) return { reason: "interrupted", error: undefined };
  if (error instanceof ModelError && error.kind === "aborted") return { reason: "aborted", error: undefined };
  return { reason: "error", error: describe(turn.log, error) };
}

/** Gives every open call a result, so that the next request is valid; prunes, records and becomes idle. */
function finish(turn: Turn, end: TurnEnd, durationMs: number): TurnEnd {
  let result = end;
  try {
    const isStored = end.error !== undefined && storeError(turn, end.error);
    const broken = end === unasked ? killed() : breakOf(end, turn.signal, isStored);
    if (broken && turn.lineage.length === 1) markSession(turn, broken);
    const kept = isClosing(turn.signal) ? waitingCalls(turn.chat) : [];
    const reason = end === unasked ? interrupted : end.reason === "error_max_budget_usd" ? overBudget : aborted;
    closeOpenCalls(turn, reason, kept);
    prune(turn);
    turn.flush();
    turn.report({ type: "loop:persist" });
  } catch (error) {
    result = end.error ? end : { reason: "error", error: describe(turn.log, error) };
  }
  const { reason, error } = result;
  turn.emit({ type: "ended", reason, ...(error && { error }), durationMs, steps: countReplies(turn) });
  turn.emit({ type: "status", status: { type: "idle" } });
  return result;
}

/** Returns whether there is a reply that holds the error. */
function storeError(turn: Turn, error: ReplyError): boolean {
  const message = repliesOf(turn).at(-1)?.info;
  if (message && !message.error) turn.emit({ type: "message", message: { ...message, error } });
  return message !== undefined;
}

/** Counts replies (K3), except refused ones and the calls that represent subtasks. */
function countReplies(turn: Turn): number {
  return repliesOf(turn).filter(({ parts }) => parts.some(({ type }) => type === "step-start")).length;
}

function repliesOf({ chat, firstReply }: Turn): (Entry & { info: AssistantMessage })[] {
  return chat.messages.slice(firstReply).flatMap(({ info, parts }) => {
    return info.role === "assistant" && !info.summary && !info.silent ? [{ info, parts }] : [];
  });
}
