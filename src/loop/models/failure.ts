/** Turns what an SDK, a server or a socket says of a failure into one ModelError with words for people. */
import { ModelError, type ModelErrorKind } from "../model.ts";
import { never } from "../never.ts";

/** The kinds that a request can fail with; the other two are known without asking a server. */
type Kind = Exclude<ModelErrorKind, "no-key" | "aborted">;

/** Where a request went, for the words of an error. */
export interface Endpoint {
  /** Scheme, host and port: "https://api.anthropic.com". */
  origin: string;
  model: string;
  /** Never shown: it is cut out of whatever a server says. */
  apiKey: string;
  /** The environment variable that holds the key. */
  keyVariable: string;
}

/** What can be known of a failure, whichever SDK or server it came from. */
interface Facts {
  status: number | undefined;
  /** The server's own name for the error: "overloaded_error", "context_length_exceeded". */
  name: string;
  /** The server's or the system's words. */
  text: string;
  headers: Headers | undefined;
  /** The system's code of a failed connection: "ECONNREFUSED". */
  code: string | undefined;
}

const names: Record<string, Kind> = {
  overloaded_error: "overloaded",
  rate_limit_error: "rate-limit",
  rate_limit_exceeded: "rate-limit",
  insufficient_quota: "rate-limit",
  authentication_error: "auth",
  permission_error: "auth",
  invalid_api_key: "auth",
  not_found_error: "unknown-model",
  model_not_found: "unknown-model",
  // Groq: the model wrote a call that its own server could not parse. Asking again often helps.
  tool_use_failed: "server",
  invalid_request_error: "invalid",
  request_too_large: "invalid",
};

/** Wordings of Anthropic, OpenAI, vLLM, llama.cpp, Ollama, OpenRouter, Groq, Mistral, LM Studio and Bedrock. */
const contextFull =
  /prompt is too long|context_length_exceeded|context_window_exceeded|maximum context length|exceeds? (the |this |its )?(available |maximum |model('s)? )*context|context (size|length|window|limit)( of [^.]*)? (has been |was |is )?exceed|exceed context limit|input is too long|too many (input )?tokens|reduce the length of|(prompt|input).{0,40}(too large|too long|larger than|longer than).{0,40}(context|model)/i;
const noSuchModel =
  /model[^.]{0,80}(not found|does not exist|is not (a valid|available|supported|found))|not a valid model|invalid model|unknown model|no such model/i;

/** An error object that a server sent in the middle of a stream. */
export class ServerSaid extends Error {
  readonly error: unknown;

  constructor(error: unknown) {
    super("the server sent an error");
    this.error = error;
  }
}

/** `thrown` comes from an SDK, from its stream, or from the system. */
export function toModelError(thrown: unknown, endpoint: Endpoint): ModelError {
  const facts = read(thrown);
  const kind = classify(facts);
  const { message, next } = words(kind, facts, endpoint);
  const retryAfterMs = facts.headers && retryAfter(facts.headers);
  const shouldRetry = facts.headers?.get("x-should-retry") ?? (facts.name === "insufficient_quota" ? "false" : null);
  return new ModelError(kind, message, next, {
    ...(facts.status !== undefined && { status: facts.status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(shouldRetry !== null && { shouldRetry: shouldRetry === "true" }),
  });
}

/** @throws ModelError when the base URL of the settings is no address */
export function address(baseURL: string): URL {
  if (URL.canParse(baseURL)) return new URL(baseURL);
  throw new ModelError(
    "invalid",
    `“${baseURL}” is not an address.`,
    "Correct the base URL: it begins with http:// or https://.",
  );
}

/** A reply that ended before it was complete (E5). */
export function cutError(endpoint: Endpoint): ModelError {
  const message = `The reply of ${endpoint.origin} ended before it was complete.`;
  return new ModelError("network", message, "Try again.");
}

export function abortedError(): ModelError {
  return new ModelError("aborted", "The reply was stopped.", "Send a message to go on.");
}

function read(thrown: unknown): Facts {
  const { status, headers, error, message } = record(thrown);
  // Anthropic wraps its errors as {type, error: {type, message}}; the OpenAI SDK hands over the inner object.
  const body = record(record(error)["error"] ?? error);
  const said = [body["message"], body["detail"], error, message].find((it) => typeof it === "string" && it !== "");
  const number = Number(body["code"]);
  return {
    status: typeof status === "number" ? status : number >= 400 && number < 600 ? number : undefined,
    name: [body["code"], body["type"], record(thrown)["type"]].find((it) => typeof it === "string") ?? "",
    text:
      thrown instanceof SyntaxError ? "its answer cannot be read" : typeof said === "string" ? said : String(thrown),
    headers: headers instanceof Headers ? headers : undefined,
    code: systemCode(thrown),
  };
}

/** The code nearest to the system: SDKs and fetch wrap the socket's error, some more than once. */
function systemCode(thrown: unknown): string | undefined {
  let code: string | undefined;
  for (let at: unknown = thrown; at instanceof Error; at = at.cause) {
    const { code: found } = record(at);
    if (typeof found === "string") code = found;
  }
  return code;
}

function classify({ status, name, text, code }: Facts): Kind {
  if (status !== 401 && status !== 403 && status !== 429 && contextFull.test(`${name} ${text}`)) return "context-full";
  const named = names[name];
  if (status === undefined) return named ?? (code === undefined && !lost.test(text) ? "server" : "network");
  if (status === 401 || status === 403) return "auth";
  if (status === 404) return "unknown-model";
  if (status === 408) return "network";
  if (status === 429) return "rate-limit";
  if (status === 503 || status === 529) return "overloaded";
  if (status >= 500) return named === "overloaded" ? named : "server";
  if (named === "server") return named;
  return noSuchModel.test(text) ? "unknown-model" : "invalid";
}

/** How fetch and the SDKs word a connection that failed without a code. */
const lost = /connection error|terminated|fetch failed|socket|network|timed? ?out|aborted|premature/i;

function words(kind: Kind, facts: Facts, endpoint: Endpoint): { message: string; next: string } {
  const { origin, model, keyVariable } = endpoint;
  const said = quote(facts.text, endpoint.apiKey);
  switch (kind) {
    case "network":
      return unreachable(facts, origin);
    case "rate-limit":
      return {
        message: `${origin} takes no more requests for now: ${said}`,
        next: "Wait a little, or choose another model.",
      };
    case "overloaded":
      return { message: `${origin} is overloaded: ${said}`, next: "Wait a little, or choose another model." };
    case "server":
      return { message: `${origin} failed${facts.status ? ` (${facts.status})` : ""}: ${said}`, next: "Try again." };
    case "auth":
      return {
        message: `${origin} refused the API key: ${said}`,
        next: `Run “Rondo: Set API Key…”, or set ${keyVariable}.`,
      };
    case "unknown-model":
      return {
        message: `${origin} has no model “${model}”: ${said}`,
        next: "Choose another with “Rondo: Select Model…”, or check the base URL.",
      };
    case "context-full":
      return {
        message: `The conversation is too long for “${model}”: ${said}`,
        next: "Compact the conversation, or start a new session.",
      };
    case "invalid":
      return {
        message: `${origin} refused the request: ${said}`,
        next: "Change the message or the model, and try again.",
      };
    default:
      return never(kind);
  }
}

function unreachable({ code }: Facts, origin: string): { message: string; next: string } {
  switch (code) {
    case "ECONNREFUSED":
      return { message: `Nothing answers at ${origin}.`, next: "Start the server there, or check the base URL." };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return { message: `The address of ${origin} was not found.`, next: "Check the network and the base URL." };
    case "ETIMEDOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
    case "UND_ERR_HEADERS_TIMEOUT":
      return { message: `${origin} did not answer in time.`, next: "Check the network, and try again." };
  }
  if (code && /CERT|SELF_SIGNED|ISSUER/.test(code)) {
    return { message: `The certificate of ${origin} was not accepted (${code}).`, next: "Check the certificate." };
  }
  return { message: `The connection to ${origin} was lost.`, next: "Check the network, and try again." };
}

/** One line of a server's words, without the key and without an end mark too many. */
function quote(text: string, apiKey: string): string {
  // A shorter "key" is a placeholder, and may be a word of the text.
  const shown = apiKey.length >= 8 ? text.replaceAll(apiKey, "…") : text;
  const line = shown
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : /[.!?…]$/.test(line) ? line : `${line}.`;
}

/** In ms, from `retry-after-ms`, or `retry-after` in seconds or as a date (H3). */
function retryAfter(headers: Headers): number | undefined {
  const ms = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (ms >= 0) return ms;
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const seconds = Number(value);
  const wait = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

function record(value: unknown): Record<string, unknown> {
  // Any object can be read by name; what is read stays unknown.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
