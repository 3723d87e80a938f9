/** Anthropic's Messages API through its own SDK (E3). */

import { BaseAnthropic, type ClientOptions } from "@anthropic-ai/sdk/client";
import { APIError } from "@anthropic-ai/sdk/error";
import type {
  MessageDeltaUsage,
  RawContentBlockDelta,
  RawContentBlockStartEvent,
  RawMessageStreamEvent,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { ErrorResponse } from "@anthropic-ai/sdk/resources/shared";
import { Stream } from "@anthropic-ai/sdk/streaming";
import * as z from "zod/mini";
import { attempt } from "../../base/attempt.ts";
import type { Finish, Tokens } from "../../chat/message.ts";
import { english } from "../../l10n/l10n.ts";
import type { Model, ModelEvent, ModelRequest } from "../../loop/model.ts";
import {
  betaHeader,
  type MessagesRules,
  type MessagesServer,
  messagesServer,
  withoutRefused,
} from "../families/messages-rules.ts";
import {
  type ApiKey,
  drainLater,
  openConnection,
  rememberKey,
  splitQuery,
  streamed,
  watched,
  withBody,
} from "../shared/connection.ts";
import { count } from "../shared/count.ts";
import { abortedError, address, cutError, type Endpoint, refusedWords, toModelError } from "../shared/failure.ts";
import { fetchFor } from "../shared/local-fetch.ts";
import { parseArguments } from "../shared/parse-arguments.ts";
import { withoutSdkVariables } from "../shared/sdk-environment.ts";
import { anthropicBody } from "./anthropic-request.ts";

interface AnthropicOptions {
  apiKey: ApiKey;
  /** Without `/v1/messages`. */
  baseURL?: string;
  providerID?: string;
  /** The server's name in messages; without one, its host. */
  name?: string;
  /** Environment variable of the key, which errors name. */
  keyVariable?: string;
  server?: MessagesServer;
  headers?: Readonly<Record<string, string>>;
  /** Returns which model a name stands for. */
  modelOf?: (name: string) => string;
}

const home = "https://api.anthropic.com";

export function anthropicModel({
  apiKey: given,
  baseURL = home,
  providerID = "anthropic",
  name,
  keyVariable = "ANTHROPIC_API_KEY",
  server = messagesServer,
  headers = {},
  modelOf = (name) => name,
}: AnthropicOptions): Model {
  const { origin, host, href } = address(baseURL);
  const { apiKey, last } = rememberKey(given);
  const { baseURL: whole, query } = splitQuery(href);
  const base = whole.replace(/(?<!\/)\/+v1$/, "");
  const options: ClientOptions = {
    apiKey,
    baseURL: base,
    defaultQuery: query,
    maxRetries: 0,
    timeout: 30 * 60_000,
    openTelemetry: false,
    logLevel: "off",
    fetch: fetchFor(base),
    defaultHeaders: {
      ...headers,
      ...server.headers,
      // Compatible servers support the header of earlier API versions better.
      ...(origin !== home && server.takesKeyHeader && typeof apiKey === "string" && { "x-api-key": apiKey }),
    },
  };
  // The full client is three times as large as the base class and adds nothing for this call.
  const client = withoutSdkVariables(() => new BaseAnthropic(options));

  const rules = new Map<string, MessagesRules>();
  return {
    providerID,
    stream(request) {
      const { model } = request;
      const learn = (less: MessagesRules) => rules.set(model, less);
      const target = { providerID, server, rules: rules.get(model) ?? server.rules(modelOf(model)), learn };
      const endpoint = { name: name ?? host, model, keyVariable, usedKey: last };
      return streamMessage(client, request, target, endpoint);
    },
  };
}

interface MessagesTarget {
  providerID: string;
  server: MessagesServer;
  rules: MessagesRules;
  /** Takes the rules for later requests. */
  learn: (rules: MessagesRules) => void;
}

async function* streamMessage(
  client: BaseAnthropic,
  request: ModelRequest,
  target: MessagesTarget,
  endpoint: Endpoint,
): AsyncGenerator<ModelEvent> {
  const { signal, close, done } = openConnection(request.signal);
  const reply = new AnthropicReply();
  try {
    const response = await send(client, request, target, signal);
    request.onBytes();
    yield { type: "start" };
    yield { type: "start-step" };
    const tapped = withBody(response, (body) => watched(body, () => request.onBytes()));
    const events = messageEvents(tapped);
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

/**
 * Reads the events of a stream. The SDK's own reader drops events without an `event:` line, which some gateways leave
 * out: https://html.spec.whatwg.org/multipage/server-sent-events.html makes the line optional, and the type is in the
 * data as well.
 */
async function* messageEvents(response: Response): AsyncGenerator<RawMessageStreamEvent> {
  for await (const { event, data } of Stream.rawEvents(response)) {
    // `[DONE]` ends the streams of gateways that speak OpenAI's API as well.
    if (event === "ping" || data === "" || data === "[DONE]") continue;
    if (event === "error")
      throw streamedError(
        response,
        attempt(() => JSON.parse(data), data),
      );
    const message: RawMessageStreamEvent | ErrorResponse = JSON.parse(data);
    if (message.type === "error") throw streamedError(response, message);
    yield message;
  }
}

/** Returns the error that the SDK makes of such an event. */
function streamedError(response: Response, body: object | string): APIError {
  return new APIError(undefined, body, undefined, response.headers);
}

/** Attempts of one request: each leaves out what the server refused in the one before. */
const maxAttempts = 8;

/** Asks again without what the server does not take, and remembers it. */
async function send(
  client: BaseAnthropic,
  request: ModelRequest,
  { providerID, server, rules: first, learn }: MessagesTarget,
  signal: AbortSignal,
): Promise<Response> {
  let rules = first;
  for (let attempt = 1; ; attempt++) {
    const betas = betaHeader(rules);
    const body = anthropicBody(request, { rules, providerID, head: server.head(request.model) });
    const headers = { "content-type": "application/json", ...(betas && { "anthropic-beta": betas }) };
    try {
      const path = server.path(request.model);
      return await streamed(await client.post(path, { body, headers, stream: true, signal }).asResponse());
    } catch (thrown) {
      const words = refusedWords(thrown);
      const fewer = words === undefined ? undefined : withoutRefused(rules, words);
      if (!fewer || attempt === maxAttempts) throw thrown;
      rules = fewer;
      learn(rules);
    }
  }
}

type AnthropicBlock =
  | { type: "text"; id: string; open: boolean }
  | { type: "thinking"; id: string; signature: string }
  /** `given`: arguments that arrived with the block's start, as some compatible servers send them. */
  | { type: "call"; id: string; name: string; raw: string; given: unknown };

/** Usage of `message_start` and `message_delta`; compatible servers omit some counts. */
type Reported = { [Name in keyof MessageDeltaUsage]?: MessageDeltaUsage[Name] | string | null } & {
  /** Reported when the message starts. */
  cache_creation?: { ephemeral_1h_input_tokens?: number | string } | null;
};

const Changes = z.array(z.object({ type: z.string(), path: z.optional(z.string()), reason: z.optional(z.string()) }));

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
  #dropped: string[] = [];

  *take(event: RawMessageStreamEvent): Generator<ModelEvent> {
    switch (event.type) {
      case "message_start": {
        this.#report(event.message?.usage);
        this.#noteChanges(event.message ?? {});
        const tokens = toTokens(this.#usage);
        // So that a reply that is stopped counts what it has cost.
        if (tokens) yield { type: "usage", tokens };
        return;
      }
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
        this.#noteChanges(event);
        if (event.delta?.stop_reason) this.finish = finishes[event.delta.stop_reason] ?? "unknown";
        return;
      case "message_stop":
        this.stopped = true;
        return;
      default:
        yield { type: "skipped", what: english(`the event ${typeOf(event satisfies never)}`) };
    }
  }

  *end(finish: Finish): Generator<ModelEvent> {
    for (const index of [...this.#blocks.keys()]) yield* this.#stop(index);
    // A call that was cut off does not count: its arguments are incomplete (C4).
    if (finish !== "length" && finish !== "context-full") yield* this.#broken;
    if (this.#dropped.length > 0)
      yield { type: "skipped", what: english(`thoughts that the server left out: ${this.#dropped.join(", ")}`) };
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
        yield { type: "skipped", what: english(`the block ${block.type}`) };
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

  /** Remembers which thoughts of the request did not fit to what stood before them. */
  #noteChanges(event: object): void {
    if (!("input_transformations" in event)) return;
    const { data } = Changes.safeParse(event.input_transformations);
    const dropped = data?.filter(({ type }) => type === "thinking_dropped");
    this.#dropped = dropped?.map(({ path = "?", reason = "?" }) => `${path} (${reason})`) ?? this.#dropped;
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
    block.signature += delta.signature ?? "";
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
  const hour = count(usage.cache_creation?.ephemeral_1h_input_tokens);
  const details = usage.output_tokens_details;
  return {
    input: count(usage.input_tokens),
    output: count(usage.output_tokens),
    reasoning: typeof details === "object" ? count(details?.thinking_tokens) : 0,
    cacheRead: count(usage.cache_read_input_tokens),
    cacheWrite: count(usage.cache_creation_input_tokens),
    ...(hour > 0 && { cacheWriteHour: hour }),
  };
}

/** Servers send events that are not in the SDK's types. */
function typeOf(event: unknown): string {
  return typeof event === "object" && event !== null && "type" in event
    ? String(event.type)
    : english("without a type");
}
