import { newID } from "../../base/ids.ts";
import { sameJson } from "../../base/json.ts";
import type { AssistantMessage, ModelRef } from "../../chat/message.ts";
import { noTokens } from "../../chat/token-counts.ts";
import { msg } from "../../l10n/l10n.ts";
import { asBegun, countUpTo } from "../context/context.ts";
import { toolUseOf, unbind } from "../context/prefix.ts";
import { ModelError, type ModelErrorKind, type ModelRequest } from "../model.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import { knownWindow } from "../setup/model-facts.ts";
import { pathOf } from "../setup/project.ts";
import { effortTopic, newsAmong } from "../setup/topics.ts";
import type { Turn } from "../turn.ts";
import { type Reply, type ReplyOptions, ReplySink, toReplyError } from "./reply-sink.ts";

/** Retries within the limits, then tries the fallback (H5). @throws ModelError, after storing the partial reply */
export async function streamReply(turn: Turn, config: AgentConfig, options: ReplyOptions): Promise<Reply> {
  let message: AssistantMessage = {
    id: newID("msg"),
    sessionID: turn.chat.session.id,
    createdAt: Date.now(),
    role: "assistant",
    parentID: options.parent.id,
    agent: config.agent.name,
    model: config.model,
    path: pathOf(turn.chat.session, turn.project()),
    tokens: noTokens,
    ...(options.kind === "silent" && { silent: true }),
    ...(options.kind === "summary" && { summary: true }),
  };
  turn.flush();
  turn.emit({ type: "message", message });
  const snapshot = options.kind === "summary" ? "" : turn.checkpoints.begin();
  const leaveOut = leavingOut(turn, options);
  const switchTo = (model: ModelRef) => {
    config = turn.resolveConfig(options.parent);
    message = { ...message, model };
    turn.emit({ type: "reset", messageID: message.id });
    turn.emit({ type: "message", message });
  };
  for (let attempt = 1; ; attempt++) {
    const sink = new ReplySink({ turn, config: asBegun(turn.chat, config), message, options, snapshot });
    unbindFromOther(turn, message);
    try {
      return await tryOnce(turn, config, options, sink);
    } catch (error) {
      const failure = turn.signal.aborted ? aborted() : asModelError(error);
      if (leaveOut(failure.kind)) {
        turn.emit({ type: "reset", messageID: message.id });
        attempt -= 1;
        continue;
      }
      if (attempt <= turn.limits.maxRetries && isRetryable(failure)) {
        sink.drop(failure);
        const chosen = turn.resolveConfig(options.parent).model;
        await waitForNextTry(turn, message.id, attempt, failure);
        const now = turn.resolveConfig(options.parent).model;
        // The user may go on with another model meanwhile.
        if (options.kind !== "summary" && !sameJson(now, chosen) && (await mayAsk(turn, now))) {
          await turn.facts.learn(now, turn.signal);
          switchTo(now);
          attempt = 0;
        }
        continue;
      }
      const { fallbackModel } = turn;
      const isOther = fallbackModel && !sameJson(fallbackModel, message.model);
      if (failure.kind !== "overloaded" || !isOther || !(await mayAsk(turn, fallbackModel))) {
        sink.fail(failure);
        throw failure;
      }
      turn.log.note(`${message.model.modelID} is overloaded; ${fallbackModel.modelID} answers in its place.`);
      sink.drop(failure);
      turn.switchToFallback();
      switchTo(fallbackModel);
      attempt = 0;
    }
  }
}

/** Whether the budget allows the model, or the user does. */
async function mayAsk(turn: Turn, model: ModelRef): Promise<boolean> {
  const facts = turn.facts.of(model);
  return (await turn.untimed(() => turn.budget.allowsModel({ model, facts }, turn.signal))) === "allowed";
}

async function tryOnce(turn: Turn, config: AgentConfig, options: ReplyOptions, sink: ReplySink): Promise<Reply> {
  const watchdog = new Watchdog(turn, (afterMs) => turn.log.firstByte(sink.messageID, afterMs));
  try {
    const model = await turn.openModel(config.model);
    const request = requestFor(turn, config, options, watchdog);
    for await (const event of model.stream(request)) sink.take(event);
    return sink.reply();
  } catch (error) {
    throw watchdog.stalled ?? error;
  } finally {
    watchdog.close();
  }
}

/** Thoughts belong to one model: when another model replies, earlier ones are left out for good. */
function unbindFromOther(turn: Turn, { model }: AssistantMessage): void {
  const last = turn.chat.messages.findLast(({ info }) => info.role === "assistant" && info.completedAt !== undefined);
  if (last?.info.role === "assistant" && !sameJson(last.info.model, model)) unbind(turn);
}

/** Returns a function that leaves out what the server has refused, once of each kind: whether a new try is worth it. */
function leavingOut(turn: Turn, { parent }: ReplyOptions): (kind: ModelErrorKind) => boolean {
  const tried = new Set<ModelErrorKind>();
  return (kind) => {
    if (tried.has(kind)) return false;
    tried.add(kind);
    if (kind === "thoughts-refused") {
      turn.log.note("The server refused thoughts of earlier replies; they are left out from now on.");
      return unbind(turn);
    }
    const { chat } = turn;
    const newest = chat.messages.findLast(({ info }) => info.role === "user" || info.completedAt !== undefined);
    if (kind !== "images-refused" || !newest || newest.info.id === chat.imageless) return false;
    turn.emit({ type: "imageless", messageID: newest.info.id });
    unbind(turn);
    turn.notifyUser(parent.id, msg("The model takes no such images or files: they are left out from now on."));
    return true;
  };
}

function requestFor(turn: Turn, config: AgentConfig, options: ReplyOptions, watchdog: Watchdog): ModelRequest {
  const { chat } = turn;
  const { entries, kind } = options;
  return {
    model: config.model.modelID,
    conversationID: chat.session.id,
    system: chat.prefix?.system ?? config.system,
    entries,
    unboundEntries: options.areUnbound ? entries.length : countUpTo(chat, entries, chat.unbound),
    imagelessEntries: countUpTo(chat, entries, chat.imageless),
    tools: chat.prefix?.tools ?? config.definitions,
    toolUse: kind === "summary" || kind === "last" ? "none" : toolUseOf(turn, config),
    temperature: config.temperature,
    options: config.options,
    contextWindow: knownWindow(config.facts),
    maxTokens: options.maxTokens,
    // A summary is asked for before a change of the effort is told: it must not change the head.
    thinking:
      kind === "summary" && newsAmong([effortTopic(config.thinking)], chat.told).length > 0
        ? "default"
        : config.thinking,
    signal: watchdog.signal,
    onBytes: () => watchdog.alive(),
  };
}

async function waitForNextTry(turn: Turn, messageID: string, attempt: number, error: ModelError): Promise<void> {
  const delay = retryDelay(attempt, turn.limits.retryBackoffMs, error);
  const now = Date.now();
  const { id: sessionID } = turn.chat.session;
  const part = { type: "retry", id: newID("prt"), sessionID, messageID, attempt } as const;
  turn.emit({ type: "part", part: { ...part, error: toReplyError(error), time: now } });
  const since = turn.chat.status.type === "idle" ? now : turn.chat.status.since;
  turn.emit({ type: "status", status: { type: "retry", attempt, message: error.message, nextAt: now + delay, since } });
  try {
    await turn.pause(delay);
  } catch {
    throw aborted();
  }
  // Only now, because the last attempt's parts are kept if Stop ends the delay (L11).
  turn.emit({ type: "reset", messageID });
  turn.emit({ type: "status", status: { type: "busy", since } });
}

function aborted(): ModelError {
  return new ModelError("aborted", "Stopped.", "");
}

function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  throw error;
}

// Decides which failures are retried, and when (spec H2, H3).

const retryableKinds: readonly ModelErrorKind[] = ["network", "rate-limit", "overloaded", "server"];

export function isRetryable({ kind, shouldRetry }: ModelError): boolean {
  return kind !== "aborted" && (shouldRetry ?? retryableKinds.includes(kind));
}

/** Maximum delay chosen by Rondo, in ms; a server may ask for more (H3). */
const longest = 60_000;

/** Maximum delay of a timer, in ms; beyond it, timers fire at once. */
const longestTimer = 2 ** 31 - 1;

/** Returns the delay in ms after attempt number `attempt`, from 1. Jitter spreads the retries of many clients. */
export function retryDelay(attempt: number, backoff: number, error: ModelError): number {
  if (error.retryAfterMs !== undefined) return Math.min(error.retryAfterMs, longestTimer);
  return Math.min(backoff * 2 ** (attempt - 1) + Math.random() * Math.min(1000, backoff), longest);
}

// Watches one request for silence (H6): first tells the user, later aborts the request.

type WatchedTurn = Pick<Turn, "signal" | "limits" | "emit" | "onRetryNow">;

export class Watchdog {
  readonly #turn: WatchedTurn;
  readonly #controller = new AbortController();
  readonly #abort = () => this.#controller.abort(this.#turn.signal.reason);
  readonly #started = Date.now();
  #last = this.#started;
  #onFirstByte: ((afterMs: number) => void) | undefined;
  #timer: ReturnType<typeof setTimeout>;
  #told = false;
  #endRetryNow: (() => void) | undefined;
  stalled: ModelError | undefined;

  constructor(turn: WatchedTurn, onFirstByte: (afterMs: number) => void) {
    this.#turn = turn;
    this.#onFirstByte = onFirstByte;
    if (turn.signal.aborted) this.#abort();
    turn.signal.addEventListener("abort", this.#abort, { once: true });
    this.#timer = setTimeout(() => this.#look(), turn.limits.stallNoticeMs);
  }

  /** Aborted by Stop and by long silence. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Called for each piece that arrives, so it must be cheap. */
  alive(): void {
    this.#last = Date.now();
    this.#onFirstByte?.(this.#last - this.#started);
    this.#onFirstByte = undefined;
    if (this.#told) this.#tell(null);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#turn.signal.removeEventListener("abort", this.#abort);
    if (this.#told) this.#tell(null);
  }

  #look(): void {
    const { stallNoticeMs, stallTimeoutMs } = this.#turn.limits;
    const silent = Date.now() - this.#last;
    if (silent >= stallTimeoutMs) {
      this.#giveUp({});
      return;
    }
    if (silent >= stallNoticeMs && !this.#told) this.#tell(this.#last);
    const next = silent >= stallNoticeMs ? stallTimeoutMs : Math.min(stallNoticeMs, stallTimeoutMs);
    this.#timer = setTimeout(() => this.#look(), Math.max(1, next - silent));
  }

  #giveUp(more: { retryAfterMs?: number }): void {
    const seconds = Math.round((Date.now() - this.#last) / 1000);
    this.stalled = new ModelError(
      "network",
      msg("The model sent no data for {0} s.", seconds),
      msg("Try again."),
      more,
    );
    this.#controller.abort(this.stalled);
  }

  #tell(since: number | null): void {
    this.#told = since !== null;
    this.#endRetryNow?.();
    this.#endRetryNow = this.#told ? this.#turn.onRetryNow(() => this.#giveUp({ retryAfterMs: 0 })) : undefined;
    this.#turn.emit({ type: "silence", since });
  }
}
