/** The Responses API through OpenAI's SDK: OpenAI, Azure, xAI, and servers that are told to speak it (E4). */
import type { OpenAI } from "openai/client";
import { APIError } from "openai/error";
import { Stream } from "openai/streaming";
import type { Model, ModelEvent, ModelRequest } from "../../loop/model.ts";
import { openConnection, streamed } from "../shared/connection.ts";
import { abortedError, cutError, type Endpoint, toModelError } from "../shared/failure.ts";
import { type OnRefusal, type OpenAIAccess, openaiClient } from "../shared/openai-client.ts";
import { SseTail } from "../shared/sse-tail.ts";
import type { ResponsesEvent } from "./responses-event.ts";
import { ResponsesReplyParser } from "./responses-reply.ts";
import { ResponsesEncoder } from "./responses-request.ts";
import type { ResponsesRulesOf } from "./responses-rules.ts";

interface ResponsesOptions extends OpenAIAccess {
  rules: ResponsesRulesOf;
}

export function responsesModel({ rules, ...access }: ResponsesOptions): Model {
  const { providerID = "openai", onRefusal } = access;
  const { client, endpoint } = openaiClient(access);
  const encoders = new Map<string, ResponsesEncoder>();
  return {
    providerID,
    stream: (request) => {
      const { model } = request;
      const encoder = encoders.get(model) ?? new ResponsesEncoder(rules(model), providerID);
      encoders.set(model, encoder);
      return streamReply(client, encoder, request, { ...endpoint, model }, onRefusal);
    },
  };
}

/** Parameters without which a request means nearly the same. */
const optional =
  /^(include|reasoning|reasoning\.(effort|summary)|text|text\.verbosity|parallel_tool_calls|prompt_cache_key|temperature|store)\b/;

/** Returns the parameter that the server refuses, if the request can do without it. */
function refusedParameter(thrown: unknown): string | undefined {
  if (!(thrown instanceof APIError) || (thrown.status !== 400 && thrown.status !== 422)) return undefined;
  const said = thrown.param ?? /(?:parameter|field|argument)s?:? ['"`]?([a-z_.]+)/i.exec(thrown.message)?.[1];
  return optional.exec(said ?? "")?.[0];
}

async function* streamReply(
  client: OpenAI,
  encoder: ResponsesEncoder,
  request: ModelRequest,
  endpoint: Endpoint,
  onRefusal: OnRefusal | undefined,
): AsyncGenerator<ModelEvent> {
  const { signal, close, done } = openConnection(request.signal);
  const reply = new ResponsesReplyParser(request.tools, encoder.asksForThoughts);
  const tail = new SseTail();
  try {
    const response = await send(client, encoder, request, signal);
    request.onBytes();
    yield { type: "start" };
    yield { type: "start-step" };
    const events = Stream.fromSSEResponse<ResponsesEvent>(
      tail.watch(response, close, () => request.onBytes()),
      new AbortController(),
      client,
    );
    for await (const event of events) {
      yield* reply.take(event);
      if (!reply.isComplete) continue;
      tail.done = true;
      break;
    }
    if (request.signal.aborted) yield { type: "error", error: abortedError() };
    else if (reply.isComplete) yield* reply.end();
    else yield { type: "error", error: tail.error ? toModelError(tail.error, endpoint) : cutError(endpoint) };
  } catch (thrown) {
    const other = request.signal.aborted ? undefined : onRefusal?.(thrown, request);
    if (other) yield* other;
    else yield { type: "error", error: request.signal.aborted ? abortedError() : toModelError(thrown, endpoint) };
  } finally {
    if (!reply.isComplete) close();
    done();
  }
}

/** Asks again without a parameter that the server does not know, and remembers it. */
async function send(client: OpenAI, encoder: ResponsesEncoder, request: ModelRequest, signal: AbortSignal) {
  for (;;) {
    try {
      const body = encoder.encode(request);
      const headers = { "content-type": "application/json" };
      return await streamed(await client.post("/responses", { body, headers, stream: true, signal }).asResponse());
    } catch (thrown) {
      const refused = refusedParameter(thrown);
      if (refused === undefined || encoder.refused.has(refused)) throw thrown;
      encoder.refused.add(refused);
    }
  }
}
