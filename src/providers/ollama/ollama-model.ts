/** Ollama's own API, /api/chat: it alone can set the window that a model is loaded with, as `num_ctx`. */

import type { Tokens } from "../../chat/message.ts";
import { english, msg } from "../../l10n/l10n.ts";
import { type Model, ModelError, type ModelEvent, type ModelRequest } from "../../loop/model.ts";
import type { ServerFacts } from "../catalog/server-facts.ts";
import type { NativeServer } from "../native-apis.ts";
import { fields, list, size, text } from "../shared/answer-fields.ts";
import { drainLater, openConnection, rememberKey } from "../shared/connection.ts";
import { abortedError, address, cutError, type Endpoint, StreamedError, toModelError } from "../shared/failure.ts";
import { fetchFor } from "../shared/local-fetch.ts";
import { parseArguments } from "../shared/parse-arguments.ts";
import { ollamaBody } from "./ollama-request.ts";

export function ollamaModel(options: NativeServer): Model {
  address(options.baseURL);
  return new OllamaModel(options);
}

class OllamaModel implements Model {
  readonly providerID: string;
  readonly #options: NativeServer;
  readonly #url: string;
  readonly #key: ReturnType<typeof rememberKey>;
  /** Asked once, so that each request has the same window: another one loads the model anew. */
  readonly #facts = new Map<string, Promise<ServerFacts>>();
  readonly #withoutThink = new Set<string>();
  #compatible: Model | undefined;

  constructor(options: NativeServer) {
    const { providerID, baseURL } = options;
    this.providerID = providerID;
    this.#options = options;
    this.#url = `${baseURL.replace(/(?<!\/)\/+$/, "").replace(/\/v1$/, "")}/api/chat`;
    this.#key = rememberKey(options.apiKey);
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    if (this.#compatible) return yield* this.#compatible.stream(request);
    const { keyVariable } = this.#options;
    const endpoint = { name: this.#options.name, model: request.model, usedKey: () => this.#key.last(), keyVariable };
    const { signal, close, done } = openConnection(request.signal);
    let isComplete = false;
    try {
      const response = await this.#send(request, signal);
      const refusal = response.ok ? undefined : await readRefusal(response);
      if (refusal === "unknown path" || isEventStream(response)) {
        close();
        this.#compatible = await this.#options.openCompatible();
        return yield* this.#compatible.stream(request);
      }
      if (refusal) throw refusal;
      request.onBytes();
      yield { type: "start" };
      yield { type: "start-step" };
      const reply = new OllamaReplyParser();
      const lines = readLines(response, () => request.onBytes());
      while (!reply.isDone) {
        const next = await lines.next();
        if (next.done) break;
        yield* reply.take(next.value);
      }
      if (request.signal.aborted) yield { type: "error", error: abortedError() };
      else if (!reply.isDone) yield { type: "error", error: cutError(endpoint) };
      else {
        isComplete = true;
        drainLater(lines, close);
        yield* reply.end();
      }
    } catch (thrown) {
      yield { type: "error", error: request.signal.aborted ? abortedError() : failure(thrown, endpoint) };
    } finally {
      if (!isComplete) close();
      done();
    }
  }

  /** Sends the request, once more without `think` where the model refuses it. */
  async #send(request: ModelRequest, signal: AbortSignal): Promise<Response> {
    const { model } = request;
    const { apiKey } = this.#key;
    const key = typeof apiKey === "string" ? apiKey : await apiKey();
    const facts = await this.#ask(model, signal);
    const contextWindow = request.contextWindow ?? facts.contextWindow;
    const takesThink = !this.#withoutThink.has(model);
    const response = await fetchFor(this.#url)(this.#url, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: ollamaBody(request, this.providerID, {
        rules: this.#options.rules,
        contextWindow,
        takesThink,
        takesImages: facts.images !== false,
      }),
      redirect: "error",
      signal,
    });
    if (response.status !== 400 || !takesThink) return response;
    const words = await response.text();
    if (!refusedThink.test(words)) return new Response(words, response);
    this.#withoutThink.add(model);
    return await this.#send(request, signal);
  }

  async #ask(model: string, signal: AbortSignal): Promise<ServerFacts> {
    const asked = this.#facts.get(model) ?? this.#options.ask(model);
    this.#facts.set(model, asked);
    const stopped = new Promise<ServerFacts>((resolve) => {
      signal.addEventListener("abort", () => resolve({}), { once: true });
    });
    const facts = await Promise.race([asked, stopped]);
    // A server that was busy or away can be asked again.
    if (facts.contextWindow === undefined) this.#facts.delete(model);
    return facts;
  }
}

/** openclaude#1371; crush#2623. */
const refusedThink = /does not support thinking|think value .{0,40} is not supported/i;

/** A refusal in the form in which SDKs throw theirs. */
class RefusedRequest extends Error {
  readonly status: number;
  readonly headers: Headers;
  readonly error: unknown;

  constructor({ status, headers }: Response, error: unknown) {
    super(english(`status ${status}`));
    this.status = status;
    this.headers = headers;
    this.error = error;
  }
}

/** A model that is missing is a 404, too, but with an error as JSON. */
async function readRefusal(response: Response): Promise<RefusedRequest | "unknown path"> {
  const words = await response.text();
  try {
    const { error } = fields(JSON.parse(words));
    if (error !== undefined) return new RefusedRequest(response, innerError(error));
  } catch {
    // Not Ollama's form.
  }
  return response.status === 404 || response.status === 405 ? "unknown path" : new RefusedRequest(response, words);
}

/** llama.cpp has /api/chat, too, but speaks Chat Completions there (llama.cpp tools/server). */
function isEventStream({ headers }: Response): boolean {
  return /event-stream/.test(headers.get("content-type") ?? "");
}

function failure(thrown: unknown, endpoint: Endpoint): ModelError {
  const error = toModelError(thrown, endpoint);
  if (!/does not support tools/i.test(error.message)) return error;
  return new ModelError(
    "invalid",
    msg("“{0}” cannot call tools, and Rondo works with tools.", endpoint.model),
    msg("Choose another model: “ollama show” lists tools among the capabilities of those that can."),
    { shouldRetry: false, ...(error.status !== undefined && { status: error.status }) },
  );
}

/** A line holds a call with its whole arguments. */
const maxLineLength = 64 * 2 ** 20;

/** Splits a body into lines, without empty ones and one that was cut. @throws Error when a line is too long */
async function* readLines({ body }: Response, onBytes: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body ?? []) {
    onBytes();
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = pieces.pop() ?? "";
    if (rest.length > maxLineLength) throw new Error("a line of the answer is too long");
    for (const line of pieces) if (line.trim() !== "") yield line;
  }
  rest += decoder.decode();
  if (isJson(rest)) yield rest;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// Converts the lines of a reply of Ollama's /api/chat to the loop's events. Fields: ollama docs/api.md, docs/api/usage.

class OllamaReplyParser {
  readonly #calls: { id: string; name: string; raw: string }[] = [];
  #open: { type: "text" | "reasoning"; id: string } | undefined;
  #blocks = 0;
  #last: Record<string, unknown> | undefined;

  /** Whether the reply is complete. */
  get isDone(): boolean {
    return this.#last !== undefined;
  }

  /** Takes a line. @throws StreamedError if it is an error; SyntaxError if it is no JSON */
  *take(line: string): Generator<ModelEvent> {
    const chunk = fields(JSON.parse(line));
    const error = chunk["error"];
    if (error !== undefined && error !== null) throw new StreamedError(innerError(error));
    const message = fields(chunk["message"]);
    yield* this.#write("reasoning", text(message["thinking"]));
    yield* this.#write("text", text(message["content"]));
    for (const call of list(message["tool_calls"])) yield* this.#call(call);
    if (chunk["done"] === true) this.#last = chunk;
  }

  *end(): Generator<ModelEvent> {
    yield* this.#close();
    const reason = text(this.#last?.["done_reason"]);
    for (const { id, name, raw } of this.#calls) {
      yield { type: "tool-input-end", id };
      const parsed = parseArguments(raw);
      // A call that was cut off is no call: its arguments are not what the model meant (C4).
      if (reason === "length" && !parsed.ok) continue;
      yield { type: "tool-call", id, name, raw, arguments: parsed };
    }
    const hasCalls = this.#calls.length > 0;
    yield {
      type: "finish-step",
      reason: reason === "length" ? "length" : hasCalls ? "tool-calls" : "stop",
      tokens: toTokens(this.#last ?? {}),
    };
    yield { type: "finish" };
  }

  *#write(type: "text" | "reasoning", said: string | undefined): Generator<ModelEvent> {
    if (said === undefined) return;
    if (this.#open?.type !== type) {
      yield* this.#close();
      this.#open = { type, id: `${type}-${this.#blocks++}` };
      yield { type: `${type}-start`, id: this.#open.id };
    }
    yield { type: `${type}-delta`, id: this.#open.id, text: said };
  }

  *#close(): Generator<ModelEvent> {
    if (this.#open) yield { type: `${this.#open.type}-end`, id: this.#open.id };
    this.#open = undefined;
  }

  /** Calls come whole. */
  *#call({ id: given, function: called }: Record<string, unknown>): Generator<ModelEvent> {
    yield* this.#close();
    const { name: told, arguments: input = {} } = fields(called);
    const [name, told_id] = [text(told) ?? "unnamed", text(given)];
    const isTaken = told_id === undefined || this.#calls.some(({ id }) => id === told_id);
    const id = isTaken ? `call_${crypto.randomUUID().replaceAll("-", "")}` : told_id;
    const raw = typeof input === "string" ? input : JSON.stringify(input);
    this.#calls.push({ id, name, raw });
    yield { type: "tool-input-start", id, name };
    yield { type: "tool-input-delta", id, text: raw };
  }
}

/** Ollama passes on what its runner answered, as JSON within a string. */
function innerError(error: unknown): unknown {
  if (typeof error !== "string" || !error.startsWith("{")) return { error };
  try {
    return JSON.parse(error);
  } catch {
    return { error };
  }
}

/** `prompt_eval_count` has the cached tokens in it. Undefined when nothing is counted. */
function toTokens({
  prompt_eval_count,
  prompt_eval_cached_count,
  eval_count,
}: Record<string, unknown>): Tokens | undefined {
  const [prompt = 0, cached = 0, output = 0] = [prompt_eval_count, prompt_eval_cached_count, eval_count].map(size);
  if (prompt === 0 && output === 0) return undefined;
  const cacheRead = Math.min(cached, prompt);
  return { input: prompt - cacheRead, output, reasoning: 0, cacheRead, cacheWrite: 0 };
}
