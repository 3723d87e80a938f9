/** Requests a reply: its stream becomes the parts of one message, and a retry replaces a failed attempt. */
import { type Entry, findEntry, findPart } from "../../chat/apply.ts";
import { newID } from "../../chat/ids.ts";
import { sameJson } from "../../chat/json.ts";
import {
  type AssistantMessage,
  type Finish,
  noTokens,
  type Part,
  type ReplyError,
  type Tokens,
  type UserMessage,
} from "../../chat/message.ts";
import { never } from "../../chat/never.ts";
import { textOf } from "../../chat/words.ts";
import { isHarmless } from "../../tools/tool.ts";
import { type Arguments, ModelError, type ModelEvent, type ModelRequest, type ProviderData } from "../model.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import { costOf } from "../setup/model-catalog.ts";
import type { Turn } from "../turn.ts";
import { isRetryable, retryDelay } from "./retry.ts";
import { Watchdog } from "./watchdog.ts";

export interface ToolCall {
  messageID: string;
  partID: string;
  callID: string;
  tool: string;
  raw: string;
  arguments: Arguments;
  provider: ProviderData | undefined;
}

export interface Reply {
  message: AssistantMessage;
  finish: Finish;
  /** Calls to run: none if the reply was cut off or refused. */
  calls: ToolCall[];
  /** Without reasoning. */
  text: string;
}

export interface ReplyOptions {
  entries: readonly Entry[];
  /** `summary` and `last`: the tools may not be called. */
  kind: "step" | "last" | "silent" | "summary";
  parent: UserMessage;
  maxTokens: number | undefined;
  /** Returns the reply's error, which is then stored with it. */
  flaw?: (text: string, finish: Finish) => ReplyError | undefined;
}

/** Retries within the limits, then tries the fallback (H5). @throws ModelError, after storing the partial reply */
export async function streamReply(turn: Turn, config: AgentConfig, options: ReplyOptions): Promise<Reply> {
  const { cwd } = turn.chat.session;
  let message: AssistantMessage = {
    id: newID("msg"),
    sessionID: turn.chat.session.id,
    createdAt: Date.now(),
    role: "assistant",
    parentID: options.parent.id,
    agent: config.agent.name,
    model: config.model,
    path: { cwd, root: cwd },
    tokens: noTokens,
    ...(options.kind === "silent" && { silent: true }),
    ...(options.kind === "summary" && { summary: true }),
  };
  turn.flush();
  turn.emit({ type: "message", message });
  const snapshot = options.kind === "summary" ? "" : turn.checkpoints.begin();
  for (let attempt = 1; ; attempt++) {
    const sink = new ReplySink({ turn, config, message, options, snapshot });
    try {
      return await tryOnce(turn, config, options, sink);
    } catch (error) {
      const failure = turn.signal.aborted ? aborted() : asModelError(error);
      if (attempt <= turn.limits.maxRetries && isRetryable(failure)) {
        await waitForNextTry(turn, message.id, attempt, failure);
        continue;
      }
      const { fallbackModel } = turn;
      if (failure.kind !== "overloaded" || !fallbackModel || sameJson(fallbackModel, message.model)) {
        sink.fail(failure);
        throw failure;
      }
      turn.log.note(`${message.model.modelID} is overloaded; ${fallbackModel.modelID} answers in its place.`);
      turn.switchToFallback();
      config = turn.resolveConfig(options.parent);
      message = { ...message, model: fallbackModel };
      turn.emit({ type: "reset", messageID: message.id });
      turn.emit({ type: "message", message });
      attempt = 0;
    }
  }
}

async function tryOnce(turn: Turn, config: AgentConfig, options: ReplyOptions, sink: ReplySink): Promise<Reply> {
  const watchdog = new Watchdog(turn, (afterMs) => turn.log.firstByte(sink.messageID, afterMs));
  try {
    const model = await turn.openModel(config.model);
    const request = requestFor(config, options, watchdog);
    for await (const event of model.stream(request)) sink.take(event);
    return sink.reply();
  } catch (error) {
    throw watchdog.stalled ?? error;
  } finally {
    watchdog.close();
  }
}

function requestFor(config: AgentConfig, options: ReplyOptions, watchdog: Watchdog): ModelRequest {
  return {
    model: config.model.modelID,
    system: config.system,
    entries: options.entries,
    tools: config.definitions,
    toolUse: options.kind === "summary" || options.kind === "last" ? "none" : "auto",
    temperature: config.temperature,
    options: config.options,
    maxTokens: options.maxTokens,
    thinking: config.thinking,
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

export function toReplyError(error: ModelError): ReplyError {
  return { code: error.kind, message: error.message, next: error.next };
}

function aborted(): ModelError {
  return new ModelError("aborted", "Stopped.", "");
}

function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  throw error;
}

interface SinkOptions {
  turn: Turn;
  config: AgentConfig;
  message: AssistantMessage;
  options: ReplyOptions;
  /** Empty when no checkpoint was taken. */
  snapshot: string;
}

class ReplySink {
  readonly #turn: Turn;
  readonly #message: AssistantMessage;
  /** Ids of open parts by the event stream's ids. */
  readonly #open = new Map<string, string>();
  readonly #calls: ToolCall[] = [];
  readonly #textOnly: boolean;
  readonly #isShown: boolean;
  readonly #flaw: ReplyOptions["flaw"];
  readonly #snapshot: string;
  readonly #tools: AgentConfig["tools"];
  #end: { finish: Finish; tokens: Tokens | undefined } | undefined;

  constructor({ turn, config, message, options: { kind, flaw }, snapshot }: SinkOptions) {
    this.#turn = turn;
    this.#message = message;
    this.#textOnly = kind === "summary";
    this.#isShown = kind === "step" || kind === "last";
    this.#flaw = flaw;
    this.#snapshot = snapshot;
    this.#tools = config.tools;
  }

  get messageID(): string {
    return this.#message.id;
  }

  take(event: ModelEvent): void {
    switch (event.type) {
      case "start":
      case "finish":
      case "tool-input-end":
        return;
      case "start-step":
        this.#put({ type: "step-start", ...(this.#snapshot !== "" && { snapshot: this.#snapshot }), ...this.#base() });
        return;
      case "text-start":
        this.#put({ type: "text", text: "", time: { start: Date.now() }, ...this.#base(event.id) });
        return;
      case "reasoning-start":
        this.#put({ type: "reasoning", text: "", time: { start: Date.now() }, ...this.#base(event.id) });
        return;
      case "text-delta":
        if (this.#isShown) this.#turn.report({ type: "stream:delta", content: event.text });
        this.#delta(event.id, event.text);
        return;
      case "reasoning-delta":
      case "tool-input-delta":
        this.#delta(event.id, event.text);
        return;
      case "text-end":
        this.#close(event.id, undefined);
        return;
      case "reasoning-end":
        this.#close(event.id, event.metadata);
        return;
      case "tool-input-start": {
        if (this.#textOnly) return;
        const { id: callID, name } = event;
        const tool = this.#tools.get(name);
        if (tool && !isHarmless(tool)) this.#turn.checkpoints.expect();
        const state = { status: "pending", input: {}, raw: "" } as const;
        this.#put({ type: "tool", callID, tool: name, state, ...this.#base(callID) });
        return;
      }
      case "tool-call":
        if (!this.#textOnly) this.#call(event);
        return;
      case "finish-step":
        this.#end = { finish: event.reason, tokens: event.tokens };
        return;
      case "skipped":
        this.#turn.log.note(`Ignored in the model's answer: ${event.what}`);
        return;
      case "error":
        throw event.error;
      default:
        never(event);
    }
  }

  /** @throws ModelError when the stream ended before the reply was complete */
  reply(): Reply {
    if (!this.#end) throw new ModelError("network", "The reply ended before it was complete.", "Try again.");
    this.#closeAll();
    const { finish: said, tokens } = this.#end;
    const runs = said === "tool-calls" || said === "stop" || said === "unknown";
    // Some servers say "stop" after a call, so the calls decide.
    const finish = this.#calls.length > 0 && runs ? "tool-calls" : this.#textOnly && runs ? "stop" : said;
    const cost = tokens && costOf(this.#message.model, tokens, this.#turn.limits.prices);
    this.#turn.budget.add(cost);
    const spent = { tokens: tokens ?? noTokens, ...(cost !== undefined && { cost }) };
    this.#put({ type: "step-finish", reason: finish, ...spent, ...this.#base() });
    const text = textOf(findEntry(this.#turn.chat, this.#message.id)?.parts ?? []);
    const error = this.#flaw?.(text, finish);
    const message = { ...this.#message, ...spent, finish, completedAt: Date.now(), ...(error && { error }) };
    this.#turn.emit({ type: "message", message });
    return { message, finish, calls: runs ? this.#calls : [], text };
  }

  fail(error: ModelError): void {
    this.#closeAll();
    const tokens = this.#end?.tokens ?? noTokens;
    const end = error.kind === "aborted" ? ({ finish: "interrupted" } as const) : { error: toReplyError(error) };
    this.#turn.emit({ type: "message", message: { ...this.#message, tokens, completedAt: Date.now(), ...end } });
  }

  #base(streamID?: string): { id: string; sessionID: string; messageID: string } {
    const id = newID("prt");
    if (streamID !== undefined) this.#open.set(streamID, id);
    return { id, sessionID: this.#message.sessionID, messageID: this.#message.id };
  }

  #put(part: Part): void {
    this.#turn.emit({ type: "part", part });
  }

  #delta(streamID: string, text: string): void {
    const partID = this.#open.get(streamID);
    if (partID && text) this.#turn.emit({ type: "delta", messageID: this.#message.id, partID, text });
  }

  #close(streamID: string, metadata: ProviderData | undefined): void {
    const partID = this.#open.get(streamID);
    this.#open.delete(streamID);
    const part = partID && findPart(this.#turn.chat, this.#message.id, partID);
    if (!part || (part.type !== "text" && part.type !== "reasoning")) return;
    const time = { start: part.time?.start ?? Date.now(), end: Date.now() };
    if (part.type === "text") this.#put({ ...part, time });
    else this.#put({ ...part, time, ...(metadata && { metadata }) });
  }

  #closeAll(): void {
    for (const streamID of [...this.#open.keys()]) this.#close(streamID, undefined);
  }

  #call(event: Extract<ModelEvent, { type: "tool-call" }>): void {
    const partID = this.#open.get(event.id) ?? newID("prt");
    this.#open.delete(event.id);
    const { id: callID, name: tool, raw } = event;
    const input = event.arguments.ok ? event.arguments.input : {};
    const { sessionID, id: messageID } = this.#message;
    const state = { status: "pending", input, raw, ...(event.provider && { provider: event.provider }) } as const;
    this.#put({ type: "tool", id: partID, sessionID, messageID, callID, tool, state });
    const call = { messageID, partID, callID, tool, raw, arguments: event.arguments, provider: event.provider };
    this.#calls.push(call);
  }
}
