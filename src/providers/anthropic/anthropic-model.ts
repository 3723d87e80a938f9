/** Anthropic's Messages API through its own SDK (E3). */
import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import type {
  MessageDeltaUsage,
  RawContentBlockDelta,
  RawContentBlockStartEvent,
  RawMessageStreamEvent,
} from "@anthropic-ai/sdk/resources/messages/messages";
import { Stream } from "@anthropic-ai/sdk/streaming";
import type { Finish, Tokens } from "../../chat/message.ts";
import type { Model, ModelEvent, ModelRequest } from "../../loop/model.ts";
import { drainLater, openConnection, watched, withBody } from "../shared/connection.ts";
import { abortedError, address, cutError, type Endpoint, toModelError } from "../shared/failure.ts";
import { fetchFor } from "../shared/local-fetch.ts";
import { parseArguments } from "../shared/parse-arguments.ts";
import { anthropicBody } from "./anthropic-request.ts";

interface AnthropicOptions {
  apiKey: string;
  /** Without `/v1/messages`. */
  baseURL?: string;
}

const home = "https://api.anthropic.com";

export function anthropicModel({ apiKey, baseURL = home }: AnthropicOptions): Model {
  const { origin, href } = address(baseURL);
  const base = href.replace(/\/+(v1\/*)?$/, "");
  // The full client is three times as large as the base class and adds nothing for this call.
  const client = new BaseAnthropic({
    apiKey,
    baseURL: base,
    maxRetries: 0,
    timeout: 30 * 60_000,
    openTelemetry: false,
    logLevel: "off",
    fetch: fetchFor(base),
    // Compatible servers support the header of earlier API versions better.
    ...(origin !== home && { defaultHeaders: { "x-api-key": apiKey } }),
  });

  return {
    providerID: "anthropic",
    stream: (request) =>
      streamMessage(client, request, { origin, model: request.model, apiKey, keyVariable: "ANTHROPIC_API_KEY" }),
  };
}

async function* streamMessage(
  client: BaseAnthropic,
  request: ModelRequest,
  endpoint: Endpoint,
): AsyncGenerator<ModelEvent> {
  const { signal, close, done } = openConnection(request.signal);
  const reply = new AnthropicReply();
  try {
    const response = await client
      .post("/v1/messages", {
        body: anthropicBody(request),
        headers: { "content-type": "application/json" },
        stream: true,
        signal,
      })
      .asResponse();
    request.onBytes();
    yield { type: "start" };
    yield { type: "start-step" };
    const tapped = withBody(response, (body) => watched(body, () => request.onBytes()));
    const stream = Stream.fromSSEResponse<RawMessageStreamEvent>(tapped, new AbortController(), client);
    const events = stream[Symbol.asyncIterator]();
    for (let next = await events.next(); !next.done; next = await events.next()) {
      yield* reply.take(next.value);
      if (!reply.stopped) continue;
      drainLater(events, close);
      break;
    }
    if (request.signal.aborted) yield { type: "error", error: abortedError() };
    else if (reply.finish === undefined || !reply.stopped) yield { type: "error", error: cutError(endpoint) };
    else yield* reply.end(reply.finish);
  } catch (thrown) {
    yield { type: "error", error: request.signal.aborted ? abortedError() : toModelError(thrown, endpoint) };
  } finally {
    if (!reply.stopped) close();
    done();
  }
}

type AnthropicBlock =
  | { type: "text"; id: string; open: boolean }
  | { type: "thinking"; id: string; signature: string }
  /** `given`: arguments that arrived with the block's start, as some compatible servers send them. */
  | { type: "call"; id: string; name: string; raw: string; given: unknown };

/** Usage of `message_start` and `message_delta`; compatible servers omit some counts. */
type Reported = { [Name in keyof MessageDeltaUsage]?: MessageDeltaUsage[Name] | null };

/** Converts the blocks of one streamed reply to the loop's events. */
class AnthropicReply {
  /** Whether `message_stop` has arrived. */
  stopped = false;
  finish: Finish | undefined;
  readonly #blocks = new Map<number, AnthropicBlock>();
  readonly #ids = new Set<string>();
  /** Calls whose arguments do not parse. Only the stop reason tells whether they were cut or badly written. */
  readonly #broken: ModelEvent[] = [];
  #usage: Reported = {};

  *take(event: RawMessageStreamEvent): Generator<ModelEvent> {
    switch (event.type) {
      case "message_start":
        this.#report(event.message.usage);
        return;
      case "content_block_start":
        return yield* this.#start(event);
      case "content_block_delta": {
        const block = this.#blocks.get(event.index);
        if (block) yield* extend(block, event.delta);
        return;
      }
      case "content_block_stop":
        return yield* this.#stop(event.index);
      case "message_delta":
        this.#report(event.usage);
        if (event.delta.stop_reason) this.finish = finishes[event.delta.stop_reason] ?? "unknown";
        return;
      case "message_stop":
        this.stopped = true;
        return;
      default:
        yield { type: "skipped", what: `the event ${typeOf(event satisfies never)}` };
    }
  }

  *end(finish: Finish): Generator<ModelEvent> {
    for (const index of [...this.#blocks.keys()]) yield* this.#stop(index);
    // A call that was cut off does not count: its arguments are incomplete (C4).
    if (finish !== "length" && finish !== "context-full") yield* this.#broken;
    yield { type: "finish-step", reason: finish, tokens: toTokens(this.#usage) };
    yield { type: "finish" };
  }

  *#start({ index, content_block: block }: RawContentBlockStartEvent): Generator<ModelEvent> {
    const id = `block-${index}`;
    switch (block.type) {
      case "text":
        this.#blocks.set(index, { type: "text", id, open: false });
        return yield* this.take({
          type: "content_block_delta",
          index,
          delta: { type: "text_delta", text: block.text },
        });
      case "thinking":
        this.#blocks.set(index, { type: "thinking", id, signature: block.signature ?? "" });
        yield { type: "reasoning-start", id };
        return yield* this.take({
          type: "content_block_delta",
          index,
          delta: { type: "thinking_delta", thinking: block.thinking },
        });
      case "redacted_thinking":
        yield { type: "reasoning-start", id };
        yield { type: "reasoning-end", id, metadata: { redacted: block.data } };
        return;
      case "tool_use": {
        // Compatible servers have sent duplicate and missing ids.
        const isUsable = block.id && !this.#ids.has(block.id);
        const id = isUsable ? block.id : `toolu_${crypto.randomUUID().replaceAll("-", "")}`;
        this.#ids.add(id);
        this.#blocks.set(index, { type: "call", id, name: block.name, raw: "", given: block.input });
        return yield { type: "tool-input-start", id, name: block.name };
      }
      default:
        // Server-side tools and unknown blocks are omitted, here and in later requests.
        yield { type: "skipped", what: `the block ${block.type}` };
        return;
    }
  }

  *#stop(index: number): Generator<ModelEvent> {
    const block = this.#blocks.get(index);
    this.#blocks.delete(index);
    if (!block) return;
    const { id } = block;
    switch (block.type) {
      case "text":
        if (block.open) yield { type: "text-end", id };
        return;
      case "thinking":
        yield { type: "reasoning-end", id, ...(block.signature && { metadata: { signature: block.signature } }) };
        return;
      case "call": {
        const raw = block.raw || (block.given ? JSON.stringify(block.given) : "");
        const call: ModelEvent = { type: "tool-call", id, name: block.name, raw, arguments: parseArguments(raw) };
        yield { type: "tool-input-end", id };
        if (call.arguments.ok) yield call;
        else this.#broken.push(call);
        return;
      }
      default:
        block satisfies never;
    }
  }

  /** Later reports override earlier ones, except for missing and null counts. */
  #report(usage: Reported | undefined): void {
    for (const [name, value] of Object.entries(usage ?? {}))
      if (value !== null) this.#usage = { ...this.#usage, [name]: value };
  }
}

function* extend(block: AnthropicBlock, delta: RawContentBlockDelta): Generator<ModelEvent> {
  if (block.type === "text" && delta.type === "text_delta" && delta.text) {
    if (!block.open) yield { type: "text-start", id: block.id };
    block.open = true;
    yield { type: "text-delta", id: block.id, text: delta.text };
  } else if (block.type === "thinking" && delta.type === "thinking_delta" && delta.thinking) {
    yield { type: "reasoning-delta", id: block.id, text: delta.thinking };
  } else if (block.type === "thinking" && delta.type === "signature_delta") {
    block.signature += delta.signature;
  } else if (block.type === "call" && delta.type === "input_json_delta" && delta.partial_json) {
    block.raw += delta.partial_json;
    yield { type: "tool-input-delta", id: block.id, text: delta.partial_json };
  }
}

const finishes: Record<string, Finish> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  refusal: "refusal",
  pause_turn: "pause",
  model_context_window_exceeded: "context-full",
};

function toTokens(usage: Reported): Tokens | undefined {
  if (usage.output_tokens === undefined && usage.input_tokens === undefined) return undefined;
  return {
    input: usage.input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
    reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite: usage.cache_creation_input_tokens ?? 0,
  };
}

/** Servers send events that are not in the SDK's types. */
function typeOf(event: unknown): string {
  return typeof event === "object" && event !== null && "type" in event ? String(event.type) : "without a type";
}
