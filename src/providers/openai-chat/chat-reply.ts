/** Converts the Chat Completions chunks of one reply, as servers really send them, to the loop's events (E4). */

import type { Finish } from "../../chat/message.ts";
import { msg } from "../../l10n/l10n.ts";
import type { ModelEvent } from "../../loop/model.ts";
import { StreamedError } from "../shared/failure.ts";
import { parseArguments } from "../shared/parse-arguments.ts";
import {
  type CallFragment,
  type ChatChunk,
  type ChatUsage,
  type DeltaContent,
  type ReasoningDetail,
  toTokens,
} from "./chat-chunk.ts";

interface StreamedCall {
  /** The server's id; "" for none. */
  given: string;
  /** Unique within the reply. */
  id: string;
  name: string | undefined;
  raw: string;
  extra: unknown;
}

export class ChatReplyParser {
  readonly #reportsCost: boolean;
  #finish: string | undefined;
  #usage: ChatUsage | undefined;
  #chunks = 0;
  #blocks = 0;
  #open: { type: "text" | "reasoning"; id: string } | undefined;
  /** Reasoning details that are not yet in a part. */
  #details: ReasoningDetail[] = [];
  /** The field that contained the reasoning; some servers expect it back there. */
  #field = "";
  readonly #calls: StreamedCall[] = [];
  readonly #byIndex = new Map<number, StreamedCall>();

  /** `reportsCost`: the server's `usage.cost` is the price of the reply in USD. */
  constructor(reportsCost: boolean) {
    this.#reportsCost = reportsCost;
  }

  /** Whether anything of a reply has come. */
  get hasBegun(): boolean {
    return this.#blocks > 0 || this.#calls.length > 0;
  }

  /** @throws StreamedError if the chunk is an error */
  *take(chunk: ChatChunk): Generator<ModelEvent> {
    if (chunk.object === "error" || (!chunk.choices && typeof chunk.message === "string"))
      throw new StreamedError(chunk);
    this.#chunks++;
    const choice = chunk.choices?.find(({ index }) => (index ?? 0) === 0);
    const usage = chunk.usage ?? choice?.usage ?? chunk.x_groq?.usage;
    if (usage) {
      this.#usage = usage;
      // What a reply has cost that is stopped later.
      yield { type: "usage", tokens: toTokens(usage) };
    }
    if (!choice) return;
    const { content, refusal, reasoning, reasoning_content, reasoning_details, tool_calls, function_call } =
      choice.delta ?? {};
    if (reasoning_details) this.#keep(reasoning_details);
    if (reasoning_content) yield* this.#reason(reasoning_content, "reasoning_content");
    else if (reasoning) yield* this.#reason(reasoning, "reasoning");
    else
      for (const detail of reasoning_details ?? []) yield* this.#reason(detail.text ?? detail.summary ?? "", "details");
    if (content) yield* this.#say(content);
    if (refusal) yield* this.#write("text", refusal);
    for (const [position, fragment] of (tool_calls ?? []).entries()) {
      yield* this.#call(fragment, (tool_calls ?? []).length > 1 ? position : undefined);
    }
    if (function_call) yield* this.#call({ index: 0, function: function_call }, undefined);
    if (choice.error) throw new StreamedError(choice.error);
    // Mistral, OpenRouter, GLM and DeepSeek report failed replies by these reasons.
    if (/^(error|network_error|insufficient_system_resource)$/.test(choice.finish_reason ?? ""))
      throw new StreamedError({
        type: "server_error",
        message: msg("the reply ended with “{0}”", choice.finish_reason ?? ""),
      });
    this.#finish = choice.finish_reason || this.#finish;
  }

  /** Whether the reply is complete. Servers send a finish reason, `[DONE]`, or both. */
  complete(done: boolean): boolean {
    return this.#finish !== undefined || (done && this.#chunks > 0);
  }

  *end(): Generator<ModelEvent> {
    yield* this.#close();
    if (this.#details.length > 0) {
      // Details without reasoning, or after it, must be sent back, too.
      const id = `reasoning-${this.#blocks}`;
      yield { type: "reasoning-start", id };
      yield { type: "reasoning-end", id, metadata: { reasoning_details: this.#details } };
    }
    const finish = finishes[this.#finish ?? ""] ?? (this.#calls.length > 0 ? "tool-calls" : "stop");
    for (const call of this.#calls) {
      const { id, raw, extra } = call;
      if (call.name === undefined) yield* nameCall(call, "unnamed");
      yield { type: "tool-input-end", id };
      const parsed = parseArguments(raw);
      // A call that was cut off is no call: its arguments are not what the model meant (C4).
      if (finish === "length" && !parsed.ok) continue;
      const provider = extra === undefined ? {} : { provider: { extra_content: extra } };
      yield { type: "tool-call", id, name: call.name ?? "unnamed", raw, arguments: parsed, ...provider };
    }
    const reason = finish === "stop" && this.#calls.length > 0 ? "tool-calls" : finish;
    const cost = this.#reportsCost ? Number(this.#usage?.cost ?? Number.NaN) : Number.NaN;
    const costUsd = Number.isFinite(cost) ? { costUsd: cost } : {};
    yield { type: "finish-step", reason, tokens: this.#usage && toTokens(this.#usage), ...costUsd };
    yield { type: "finish" };
  }

  *#say(content: DeltaContent): Generator<ModelEvent> {
    if (typeof content === "string") return yield* this.#write("text", content);
    // Mistral's reasoning models send a list that contains their thinking as a list.
    for (const part of content) {
      if (part.text) yield* this.#write("text", part.text);
      for (const thought of part.thinking ?? []) yield* this.#reason(thought.text ?? "", "content");
    }
  }

  *#reason(text: string, field: string): Generator<ModelEvent> {
    if (!text) return;
    yield* this.#write("reasoning", text);
    this.#field = field;
  }

  *#write(type: "text" | "reasoning", text: string): Generator<ModelEvent> {
    if (this.#open?.type !== type) {
      yield* this.#close();
      this.#open = { type, id: `${type}-${this.#blocks++}` };
      yield { type: `${type}-start`, id: this.#open.id };
    }
    yield { type: `${type}-delta`, id: this.#open.id, text };
  }

  *#close(): Generator<ModelEvent> {
    const block = this.#open;
    this.#open = undefined;
    if (block?.type === "text") yield { type: "text-end", id: block.id };
    if (block?.type !== "reasoning") return;
    const details = this.#details;
    this.#details = [];
    const metadata = { field: this.#field, ...(details.length > 0 && { reasoning_details: details }) };
    yield { type: "reasoning-end", id: block.id, metadata };
  }

  /** Joins the pieces of a detail; fields other than text are kept unchanged. */
  #keep(details: readonly ReasoningDetail[]): void {
    for (const detail of details) {
      const last = this.#details.at(-1);
      const same = last && last.type === detail.type && last.index === detail.index && detail.data === undefined;
      if (!same) {
        this.#details.push({ ...detail });
        continue;
      }
      const grown = {
        ...(detail.text && { text: (last.text ?? "") + detail.text }),
        ...(detail.summary && { summary: (last.summary ?? "") + detail.summary }),
      };
      const told = Object.entries(detail).filter(
        ([key, value]) => value !== null && key !== "text" && key !== "summary",
      );
      Object.assign(last, Object.fromEntries(told), grown);
    }
  }

  *#call(fragment: CallFragment, position: number | undefined): Generator<ModelEvent> {
    yield* this.#close();
    const call = this.#find(fragment, position);
    call.extra = fragment.extra_content ?? call.extra;
    const { name: called, arguments: given } = fragment.function ?? {};
    if (called && call.name === undefined) yield* nameCall(call, called);
    // Ollama and others have sent arguments as an object.
    const text = typeof given === "string" ? given : given ? JSON.stringify(given) : "";
    call.raw += text;
    if (text && call.name !== undefined) yield { type: "tool-input-delta", id: call.id, text };
  }

  /** Returns the call of a fragment: by index if there is one, else by id, else the newest. */
  #find(fragment: CallFragment, position: number | undefined): StreamedCall {
    const { id, function: called } = fragment;
    const index = fragment.index ?? (id ? undefined : position);
    const known = index === undefined ? this.#lookUp(fragment) : this.#byIndex.get(index);
    // Some servers send index 0 for every call: a new id with a name starts a new call.
    if (known && !(id && known.given && id !== known.given && called?.name)) return known;
    const call: StreamedCall = { given: id ?? "", id: this.#uniqueID(id), name: undefined, raw: "", extra: undefined };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }

  #lookUp({ id, function: called }: CallFragment): StreamedCall | undefined {
    if (id) return this.#calls.find(({ given }) => given === id);
    return called?.name ? undefined : this.#calls.at(-1);
  }

  #uniqueID(id: string | null | undefined): string {
    return id && !this.#calls.some((call) => call.id === id) ? id : `call_${crypto.randomUUID().replaceAll("-", "")}`;
  }
}

function* nameCall(call: StreamedCall, called: string): Generator<ModelEvent> {
  call.name = called;
  yield { type: "tool-input-start", id: call.id, name: called };
  if (call.raw) yield { type: "tool-input-delta", id: call.id, text: call.raw };
}

/** Other reasons (TGI's `eos`) count as calls if there are some, else as the end. */
const finishes: Record<string, Finish> = {
  stop: "stop",
  length: "length",
  model_length: "length",
  max_tokens: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
  sensitive: "content-filter",
};
