/** OpenAI's SDK, as both of its APIs use it. */
import { type ClientOptions, OpenAI } from "openai/client";
import type { APIError } from "openai/error";
import type { ModelEvent, ModelRequest } from "../../loop/model.ts";
import { type ApiKey, rememberKey, splitQuery } from "./connection.ts";
import { address, type Endpoint } from "./failure.ts";
import { fetchFor } from "./local-fetch.ts";
import { withoutSdkVariables } from "./sdk-environment.ts";

/** Called before an error is reported: returns the reply if another API has to be tried. */
export type OnRefusal = (thrown: unknown, request: ModelRequest) => AsyncIterable<ModelEvent> | undefined;

/** The SDK reads messages only from `error`; FastAPI uses `detail`, and older vLLM `message`. */
class BareErrorClient extends OpenAI {
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

export interface OpenAIAccess {
  apiKey: ApiKey;
  /** Without `/chat/completions` or `/responses`; with the query of each request, if there is one. */
  baseURL: string;
  providerID?: string;
  /** The server's name in messages; without one, its host. */
  name?: string;
  /** Environment variable of the key, which errors name. */
  keyVariable?: string;
  /** Header of a key that does not go as `authorization: Bearer`. */
  keyHeader?: string;
  headers?: Readonly<Record<string, string>>;
  onRefusal?: OnRefusal;
}

/** @throws ModelError if the address is invalid */
export function openaiClient({ keyVariable = "OPENAI_API_KEY", keyHeader, ...access }: OpenAIAccess): {
  client: OpenAI;
  endpoint: Omit<Endpoint, "model">;
} {
  const { host } = address(access.baseURL);
  const { baseURL, query } = splitQuery(access.baseURL);
  const { apiKey, last } = rememberKey(access.apiKey);
  // Tokens go as Bearer everywhere, also those that somebody has pasted.
  const isKey = typeof apiKey === "string" && !/^ey[\w-]+\.[\w-]+\./.test(apiKey);
  const options: ClientOptions = {
    apiKey,
    baseURL,
    defaultQuery: query,
    maxRetries: 0,
    timeout: 30 * 60_000,
    logLevel: "off",
    fetch: fetchFor(baseURL),
    defaultHeaders: { ...access.headers, ...(keyHeader && isKey && { [keyHeader]: apiKey, authorization: null }) },
  };
  const client = withoutSdkVariables(() => new BareErrorClient(options));
  return { client, endpoint: { name: access.name ?? host, keyVariable, usedKey: last } };
}
