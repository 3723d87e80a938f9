/** Chat Completions through OpenAI's SDK: OpenAI itself and all compatible servers (E4). */
import type { OpenAI } from "openai/client";
import { Stream } from "openai/streaming";
import type { Model, ModelError, ModelEvent, ModelRequest } from "../../loop/model.ts";
import { learnFrom, withoutFiles } from "../families/chat-refusals.ts";
import type { ChatRules } from "../families/chat-rules.ts";
import { openConnection, streamed } from "../shared/connection.ts";
import { abortedError, allWords, cutError, type Endpoint, toModelError } from "../shared/failure.ts";
import { type OnRefusal, type OpenAIAccess, openaiClient } from "../shared/openai-client.ts";
import { SseTail } from "../shared/sse-tail.ts";
import type { ChatChunk, WholeReply } from "./chat-chunk.ts";
import { ChatReplyParser } from "./chat-reply.ts";
import { chatBody } from "./chat-request.ts";

interface ChatOptions extends OpenAIAccess {
  rules: (model: string) => ChatRules;
}

export function openaiModel({ rules: rulesOf, ...access }: ChatOptions): Model {
  const { providerID = "openai", onRefusal } = access;
  const { client, endpoint } = openaiClient(access);
  const known = new Map<string, KnownRules>();
  return {
    providerID,
    stream(request) {
      const { model } = request;
      const rules = known.get(model) ?? new KnownRules(rulesOf(model), `${providerID} ${access.baseURL} ${model}`);
      known.set(model, rules);
      return streamChat(client, request, { known: rules, providerID, endpoint: { ...endpoint, model }, onRefusal });
    },
  };
}

type RulesChange = (rules: ChatRules) => ChatRules;

/** What servers have taught since this process began, by server and model. */
const taught = new Map<string, readonly RulesChange[]>();

/** The rules of a server's model, with what the server has taught. */
class KnownRules {
  readonly #base: ChatRules;
  readonly #server: string;
  #changes: readonly RulesChange[] = [];
  #now: ChatRules;

  constructor(base: ChatRules, server: string) {
    this.#base = base;
    this.#server = server;
    this.#now = base;
  }

  /** The same object as long as nothing new is learned, so that requests continue the ones before. */
  get now(): ChatRules {
    const changes = taught.get(this.#server) ?? [];
    if (changes !== this.#changes) this.#now = changes.reduce((rules, change) => change(rules), this.#base);
    this.#changes = changes;
    return this.#now;
  }

  learn(changes: readonly RulesChange[]): void {
    if (changes.length > 0) taught.set(this.#server, [...(taught.get(this.#server) ?? []), ...changes]);
  }
}

interface ChatTarget {
  known: KnownRules;
  providerID: string;
  endpoint: Endpoint;
  onRefusal: OnRefusal | undefined;
}

/** Number of rules that the refusals of one request may teach. */
const maxLessons = 6;

/** Sends the request again by other rules where a refusal teaches some; they are kept once the server takes it. */
async function* streamChat(client: OpenAI, request: ModelRequest, target: ChatTarget): AsyncGenerator<ModelEvent> {
  const { known, endpoint, onRefusal } = target;
  const progress = { isStarted: false };
  const changes: RulesChange[] = [];
  for (let rules = known.now; ; ) {
    const thrown = yield* attempt(client, request, { ...target, rules }, progress);
    if (thrown === undefined) return known.learn(changes);
    const other = request.signal.aborted ? undefined : onRefusal?.(thrown, request);
    if (other) return yield* other;
    const error = request.signal.aborted ? abortedError() : toModelError(thrown, endpoint);
    const words = isRefusal(error) ? allWords(thrown) : "";
    const next = changes.length < maxLessons ? learnFrom(words, rules) : undefined;
    if (!next) {
      // The loop leaves the images out and tells the user; this keeps later ones out.
      if (error.kind === "images-refused") known.learn([(base) => withoutFiles(words, base)]);
      return yield { type: "error", error };
    }
    changes.push((base) => learnFrom(words, base) ?? base);
    rules = next;
  }
}

/** Whether the request as such was refused: 500 is what templates of llama.cpp answer. */
function isRefusal({ kind, status }: ModelError): boolean {
  return kind === "images-refused" || kind === "invalid" || (kind === "server" && (status ?? 500) === 500);
}

/** One try. Returns what was thrown before the reply began: by the server, the SDK or the system. */
async function* attempt(
  client: OpenAI,
  request: ModelRequest,
  { rules, providerID, endpoint }: ChatTarget & { rules: ChatRules },
  progress: { isStarted: boolean },
): AsyncGenerator<ModelEvent, unknown> {
  const { header } = rules.conversation;
  const { signal, close, done } = openConnection(request.signal);
  const reply = new ChatReplyParser(rules.reportsCost);
  const tail = new SseTail();
  try {
    const answer = await client
      .post("/chat/completions", {
        body: chatBody(request, rules, providerID),
        headers: {
          "content-type": "application/json",
          ...(header !== undefined && { [header]: request.conversationID }),
        },
        stream: true,
        signal,
      })
      .asResponse();
    const response = await streamed(answer);
    request.onBytes();
    if (!progress.isStarted) yield* [{ type: "start" }, { type: "start-step" }] satisfies ModelEvent[];
    progress.isStarted = true;
    const watched = tail.watch(response, close, () => request.onBytes());
    const isJson = /^application\/json\b/.test(response.headers.get("content-type") ?? "");
    const chunks = isJson ? readWhole(client, watched) : readStream(client, watched);
    for await (const chunk of chunks) yield* reply.take(chunk);
    if (request.signal.aborted) yield { type: "error", error: abortedError() };
    else if (tail.error) throw tail.error;
    else if (!reply.complete(tail.done)) yield { type: "error", error: cutError(endpoint) };
    else yield* reply.end();
    return undefined;
  } catch (thrown) {
    if (!reply.hasBegun) return thrown;
    yield { type: "error", error: request.signal.aborted ? abortedError() : toModelError(thrown, endpoint) };
    return undefined;
  } finally {
    if (!tail.done) close();
    done();
  }
}

/** The client's settings keep the SDK from writing to the console. */
function readStream(client: OpenAI, response: Response): Stream<ChatChunk> {
  return Stream.fromSSEResponse(response, new AbortController(), client);
}

/** Reads the whole reply of a server that does not stream. */
async function* readWhole(client: OpenAI, response: Response): AsyncGenerator<ChatChunk> {
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body ?? []) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  // Some servers give a stream this type.
  if (!/^\s*[{[]/.test(text)) return yield* readStream(client, new Response(text));
  const answer: WholeReply = JSON.parse(text);
  const choices = (answer.choices ?? []).map(({ message, ...choice }) => ({ ...choice, delta: message ?? null }));
  yield { ...answer, choices };
}
