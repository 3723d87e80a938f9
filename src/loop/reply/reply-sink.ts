/** Turns the events of a reply into parts of its message, and accounts for what it has taken. */

import { newID } from "../../base/ids.ts";
import { never } from "../../base/never.ts";
import { type Entry, findEntry, findPart } from "../../chat/apply.ts";
import type { AssistantMessage, Finish, Part, ReplyError, Tokens, UserMessage } from "../../chat/message.ts";
import { spentOn } from "../../chat/spent.ts";
import { noTokens } from "../../chat/token-counts.ts";
import { textOf } from "../../chat/words.ts";
import { msg } from "../../l10n/l10n.ts";
import { isHarmless } from "../../tools/tool.ts";
import { estimateContext, sizeOfEntry } from "../context/context.ts";
import { judgeReported } from "../context/reported-size.ts";
import { type Arguments, ModelError, type ModelEvent, type ProviderData } from "../model.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import { costOf } from "../setup/model-facts.ts";
import type { Turn } from "../turn.ts";

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
  /** Whether the entries are not those of the conversation, so that no thought in them is bound. */
  areUnbound?: boolean;
  /** Returns the reply's error, which is then stored with it. */
  flaw?: (text: string, finish: Finish) => ReplyError | undefined;
}

type Account = Pick<AssistantMessage, "tokens" | "cost" | "estimated">;

interface SinkOptions {
  turn: Turn;
  config: AgentConfig;
  message: AssistantMessage;
  options: ReplyOptions;
  /** Empty when no checkpoint was taken. */
  snapshot: string;
}

export class ReplySink {
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
  readonly #config: AgentConfig;
  readonly #entries: readonly Entry[];
  /** Usage that was reported before the end. */
  #reported: Tokens | undefined;
  #end: { finish: Finish; tokens: Tokens | undefined; costUsd: number | undefined } | undefined;

  constructor({ turn, config, message, options: { kind, flaw, entries }, snapshot }: SinkOptions) {
    this.#turn = turn;
    this.#message = message;
    this.#textOnly = kind === "summary";
    this.#isShown = kind === "step" || kind === "last";
    this.#flaw = flaw;
    this.#snapshot = snapshot;
    this.#tools = config.tools;
    this.#config = config;
    this.#entries = entries;
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
      case "reasoning-end":
        this.#close(event.id, event);
        return;
      case "usage":
        this.#reported = event.tokens;
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
        this.#end = { finish: event.reason, tokens: event.tokens, costUsd: event.costUsd };
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
    if (!this.#end) throw new ModelError("network", msg("The reply ended before it was complete."), msg("Try again."));
    this.#closeAll();
    const { finish: said } = this.#end;
    const runs = said === "tool-calls" || said === "stop" || said === "unknown";
    // Some servers say "stop" after a call, so the calls decide.
    const finish = this.#calls.length > 0 && runs ? "tool-calls" : this.#textOnly && runs ? "stop" : said;
    const spent = { ...this.#account(), ...(this.#isCut() && { cut: true }) };
    const { estimated: _, cut: __, ...counted } = spent;
    this.#put({ type: "step-finish", reason: finish, ...counted, ...this.#base() });
    const text = textOf(findEntry(this.#turn.chat, this.#message.id)?.parts ?? []);
    const error = this.#flaw?.(text, finish);
    const message = { ...this.#message, ...spent, finish, completedAt: Date.now(), ...(error && { error }) };
    this.#turn.emit({ type: "message", message });
    return { message, finish, calls: runs ? this.#calls : [], text };
  }

  fail(error: ModelError): void {
    this.#closeAll();
    const spent = this.#accountFailed(error) ?? { tokens: noTokens };
    const end = error.kind === "aborted" ? ({ finish: "interrupted" } as const) : { error: toReplyError(error) };
    this.#turn.emit({ type: "message", message: { ...this.#message, ...spent, completedAt: Date.now(), ...end } });
  }

  /** Charges a reply that is about to be dropped for another attempt. */
  drop(error: ModelError): void {
    const spent = this.#accountFailed(error);
    if (spent) this.#turn.emit({ type: "charged", model: this.#message.model, ...spent });
  }

  /** Undefined when the request was refused, or did not reach the server. */
  #accountFailed({ kind }: ModelError): Account | undefined {
    const parts = findEntry(this.#turn.chat, this.#message.id)?.parts ?? [];
    const hasBegun = parts.some(({ type }) => type === "text" || type === "reasoning" || type === "tool");
    if (!this.#end && !this.#reported && !hasBegun && kind !== "aborted") return undefined;
    return this.#account();
  }

  /** Charges the reply: by what was reported, else by an estimate of what was sent and received. */
  #account(): Account {
    const reported = this.#end?.tokens ?? this.#reported;
    const tokens = reported ?? this.#estimate();
    const cost = this.#end?.costUsd ?? costOf(this.#config.facts.price, tokens);
    const account = { tokens, ...(cost !== undefined && { cost }), ...(!reported && { estimated: true }) };
    this.#turn.budget.add(spentOn(account));
    return account;
  }

  /** Learns from the reported tokens of the request, and tells the user if the server has cut it. */
  #isCut(): boolean {
    const tokens = this.#end?.tokens;
    if (!tokens) return false;
    const { facts } = this.#turn;
    const { model } = this.#message;
    const size = judgeReported(this.#entries, this.#config, tokens);
    if (size.type === "scale") facts.observeScale(model, size.scale);
    if (size.type !== "cut") return false;
    // The reply before may have been the first that was cut, by too little to be noticed.
    facts.observeScale(model, 1);
    const remedy = facts.observeWindow(model, size.window);
    const window = size.window.toLocaleString("en-US");
    if (remedy !== undefined) {
      const what = msg(
        "The server has left out part of the conversation without saying so: its window has only about {0} tokens.",
        window,
      );
      this.#turn.notifyUser(this.#message.id, `${what} ${remedy}`);
    }
    return true;
  }

  #estimate(): Tokens {
    const received = findEntry(this.#turn.chat, this.#message.id);
    return {
      ...noTokens,
      input: estimateContext(this.#entries, this.#config),
      output: received ? sizeOfEntry(received) : 0,
    };
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

  #close(streamID: string, { text, metadata }: { text?: string; metadata?: ProviderData }): void {
    const partID = this.#open.get(streamID);
    this.#open.delete(streamID);
    const part = partID && findPart(this.#turn.chat, this.#message.id, partID);
    if (!part || (part.type !== "text" && part.type !== "reasoning")) return;
    const time = { start: part.time?.start ?? Date.now(), end: Date.now() };
    this.#put({ ...part, time, ...(text !== undefined && { text }), ...(metadata && { metadata }) });
  }

  #closeAll(): void {
    for (const streamID of [...this.#open.keys()]) this.#close(streamID, {});
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

export function toReplyError(error: ModelError): ReplyError {
  return { code: error.kind, message: error.message, next: error.next };
}
