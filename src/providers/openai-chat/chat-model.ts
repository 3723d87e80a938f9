/** Chat Completions through OpenAI's SDK: OpenAI itself and all compatible servers (E4). */
import { OpenAI } from "openai/client";
import type { APIError } from "openai/error";
import { Stream } from "openai/streaming";
import type { Model, ModelEvent, ModelRequest } from "../../loop/model.ts";
import { openConnection } from "../shared/connection.ts";
import { abortedError, address, cutError, type Endpoint, toModelError } from "../shared/failure.ts";
import { fetchFor } from "../shared/local-fetch.ts";
import { SseTail } from "../shared/sse-tail.ts";
import type { ChatChunk } from "./chat-chunk.ts";
import { ChatReplyParser } from "./chat-reply.ts";
import { chatBody } from "./chat-request.ts";

interface OpenAIOptions {
  apiKey: string;
  /** Without `/chat/completions`. */
  baseURL?: string;
}

const home = "https://api.openai.com";

/** The SDK reads messages only from `error`; FastAPI uses `detail`, and older vLLM `message`. */
class ChatClient extends OpenAI {
  protected override makeStatusError(
    status: number,
    body: object,
    text: string | undefined,
    headers: Headers,
  ): APIError {
    const isBare = typeof body === "object" && body !== null && !("error" in body);
    return super.makeStatusError(status, isBare ? { error: body } : body, text, headers);
  }
}

export function openaiModel({ apiKey, baseURL = `${home}/v1` }: OpenAIOptions): Model {
  const { origin } = address(baseURL);
  const client = new ChatClient({
    apiKey,
    baseURL,
    maxRetries: 0,
    timeout: 30 * 60_000,
    logLevel: "off",
    fetch: fetchFor(baseURL),
  });
  return {
    providerID: "openai",
    stream: (request) =>
      streamChat(client, request, { origin, model: request.model, apiKey, keyVariable: "OPENAI_API_KEY" }),
  };
}

async function* streamChat(client: OpenAI, request: ModelRequest, endpoint: Endpoint): AsyncGenerator<ModelEvent> {
  const { signal, close, done } = openConnection(request.signal);
  const reply = new ChatReplyParser();
  const tail = new SseTail();
  try {
    const response = await client
      .post("/chat/completions", {
        body: chatBody(request, endpoint.origin === home),
        headers: { "content-type": "application/json" },
        stream: true,
        signal,
      })
      .asResponse();
    request.onBytes();
    yield { type: "start" };
    yield { type: "start-step" };
    const chunks = Stream.fromSSEResponse<ChatChunk>(
      tail.watch(response, close, () => request.onBytes()),
      new AbortController(),
      client,
    );
    for await (const chunk of chunks) yield* reply.take(chunk);
    if (request.signal.aborted) yield { type: "error", error: abortedError() };
    else if (tail.error) yield { type: "error", error: toModelError(tail.error, endpoint) };
    else if (!reply.complete(tail.done)) yield { type: "error", error: cutError(endpoint) };
    else yield* reply.end();
  } catch (thrown) {
    yield { type: "error", error: request.signal.aborted ? abortedError() : toModelError(thrown, endpoint) };
  } finally {
    if (!tail.done) close();
    done();
  }
}
