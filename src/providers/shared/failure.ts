/** Converts errors of SDKs, servers and sockets to a ModelError with a message for people. */
import { ModelError, type ModelErrorKind } from "../../loop/model.ts";
import { isOverflow, outputTooLong } from "./context-overflow.ts";

type FailureKind = Exclude<ModelErrorKind, "no-key" | "aborted">;

export interface Endpoint {
  /** Scheme, host and port: "https://api.anthropic.com". */
  origin: string;
  model: string;
  /** Never shown: it is removed from server messages. */
  apiKey: string;
  keyVariable: string;
}

interface FailureFacts {
  status: number | undefined;
  /** The server's error codes, most specific first: "overloaded_error", "context_length_exceeded". */
  names: string[];
  text: string;
  /** Whether the error comes from a server, not from the system or an SDK. */
  isTold: boolean;
  headers: Headers | undefined;
  /** The system's code of a failed connection: "ECONNREFUSED". */
  code: string | undefined;
}

const kinds: Record<string, FailureKind> = {
  overloaded_error: "overloaded",
  rate_limit_error: "rate-limit",
  rate_limit_exceeded: "rate-limit",
  insufficient_quota: "rate-limit",
  budget_exceeded: "rate-limit",
  authentication_error: "auth",
  permission_error: "auth",
  invalid_api_key: "auth",
  not_found_error: "unknown-model",
  model_not_found: "unknown-model",
  // Groq: its server could not parse the model's call. A retry often helps.
  tool_use_failed: "server",
  invalid_request_error: "invalid",
  invalid_prompt: "invalid",
  request_too_large: "invalid",
};

/** Exhausted budgets, which waiting does not restore. */
const spent =
  /^(insufficient_quota|billing_hard_limit_reached|budget_exceeded|enforced_spend_limit_reached|usage_not_included)$/;
const noSuchModel =
  /model[^.]{0,80}(not found|does not exist|is not (a valid|available|supported|found))|not a valid model|invalid model|unknown model|no such model/i;

/** An error that a server sent in the middle of a stream. */
export class StreamedError extends Error {
  readonly error: unknown;

  constructor(error: unknown) {
    super("the server sent an error");
    this.error = error;
  }
}

/** `thrown` comes from an SDK, from its stream, or from the system. */
export function toModelError(thrown: unknown, endpoint: Endpoint): ModelError {
  if (thrown instanceof Error && /^(AbortError|APIUserAbortError)$/.test(thrown.name)) return abortedError();
  const facts = read(thrown);
  const kind = classify(facts);
  const { message, next } = words(kind, facts, endpoint);
  const retryAfterMs = facts.headers && retryAfter(facts.headers);
  const shouldRetry = retryAdvice(facts, retryAfterMs);
  return new ModelError(kind, message, next, {
    ...(facts.status !== undefined && { status: facts.status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(shouldRetry !== undefined && { shouldRetry }),
  });
}

function retryAdvice(facts: FailureFacts, retryAfterMs: number | undefined): boolean | undefined {
  const said = facts.headers?.get("x-should-retry");
  if (said === "true" || said === "false") return said === "true";
  if (retryAfterMs === undefined && facts.names.some((name) => spent.test(name))) return false;
  if (isCertificate(facts.code)) return false;
  return isRiddle(facts) ? false : undefined;
}

/** Whether nothing about the error is known: it may be a bug, and a retry would fail again. */
function isRiddle({ status, names, text, isTold, code }: FailureFacts): boolean {
  if (status !== undefined || code !== undefined || names.some((name) => Object.hasOwn(kinds, name))) return false;
  return isTold ? text === "" : !lost.test(text);
}

/** @throws ModelError if the base URL is invalid */
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

function read(thrown: unknown): FailureFacts {
  const { status, headers, message, type, error: given } = record(thrown);
  const error = given ?? parsed(message);
  // Anthropic wraps errors as {type, error: {type, message}}; the OpenAI SDK passes the inner object.
  const body = record(record(error)["error"] ?? error);
  const isTold = error !== undefined;
  const detail = typeof body["detail"] === "object" ? JSON.stringify(body["detail"]) : body["detail"];
  // An SDK's own message repeats the server's, or says that there is none.
  const said = [body["message"], detail, error, isTold ? "" : message];
  const names = [record(body["details"])["error_code"], body["code"], body["type"], type];
  const number = Number(body["code"]);
  return {
    status: typeof status === "number" ? status : number >= 400 && number < 600 ? number : undefined,
    names: names.filter((name) => typeof name === "string"),
    text:
      thrown instanceof SyntaxError
        ? "its answer cannot be read"
        : (said.filter((one) => typeof one === "string").find((one) => one !== "") ?? ""),
    isTold,
    headers: headers instanceof Headers ? headers : undefined,
    code: systemErrorCode(thrown),
  };
}

/** Returns the server's error if a gateway or an SDK wrapped it in another error's text. */
function parsed(message: unknown): unknown {
  if (typeof message !== "string" || !message.startsWith("{")) return undefined;
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
}

/** Returns the innermost error code: SDKs and fetch wrap the socket's error, sometimes repeatedly. */
function systemErrorCode(thrown: unknown): string | undefined {
  let code: string | undefined;
  for (let at: unknown = thrown; at instanceof Error; at = at.cause) {
    const { code: found } = record(at);
    if (typeof found === "string") code = found;
  }
  return code;
}

function classify({ status, names, text, isTold, code }: FailureFacts): FailureKind {
  if (status !== 401 && status !== 403 && status !== 429 && isOverflow(`${names.join(" ")} ${text}`)) {
    return outputTooLong(text) === undefined ? "context-full" : "invalid";
  }
  const named = names.map((name) => (Object.hasOwn(kinds, name) ? kinds[name] : undefined)).find((kind) => kind);
  if (status === undefined) return named ?? (!isTold && (code !== undefined || lost.test(text)) ? "network" : "server");
  if (status === 401 || status === 403) return "auth";
  if (status === 404) return "unknown-model";
  // 499: a proxy assumes that the client disconnected.
  if (status === 408 || status === 499) return "network";
  if (status === 429) return "rate-limit";
  if (status === 503 || status === 529) return "overloaded";
  // 409: another request holds a lock; the SDKs retry, too.
  if (status >= 500 || status === 409) return named === "overloaded" ? named : "server";
  if (named === "server") return named;
  return noSuchModel.test(text) ? "unknown-model" : "invalid";
}

/** Messages of fetch and the SDKs about failed connections without a code. */
const lost = /connection|terminated|fetch failed|socket|network|timed? ?out|aborted|premature|\bEOF\b|hang up/i;

function isCertificate(code: string | undefined): boolean {
  return code !== undefined && /CERT|SELF_SIGNED|ISSUER/.test(code);
}

function words(kind: FailureKind, facts: FailureFacts, endpoint: Endpoint): { message: string; next: string } {
  const { origin, model, keyVariable } = endpoint;
  if (kind === "network") return unreachable(facts, origin);
  const said = quote(facts.text, endpoint.apiKey);
  const tooLong = outputTooLong(facts.text);
  if (kind === "invalid" && tooLong !== undefined) {
    return {
      message: `An answer of up to ${tooLong} tokens does not fit into the window of “${model}”: ${said}`,
      next: "Lower max_tokens, the token limit of the reply, or give the model a larger window.",
    };
  }
  const status = facts.status ? ` (${facts.status})` : "";
  const wait = "Wait a little, or choose another model.";
  const all: Record<typeof kind, [message: string, next: string]> = {
    "rate-limit": [`${origin} accepts no more requests for now: ${said}`, wait],
    overloaded: [`${origin} is overloaded: ${said}`, wait],
    server: [`${origin} failed${status}: ${said}`, "Try again."],
    auth: [`${origin} refused the API key: ${said}`, `Run “Rondo: Set API Key…”, or set ${keyVariable}.`],
    "unknown-model": [
      `${origin} has no model “${model}”: ${said}`,
      "Choose another with “Rondo: Select Model…”, or check the base URL.",
    ],
    "context-full": [
      `The conversation is too long for “${model}”: ${said}`,
      "Compact the conversation, or start a new session.",
    ],
    invalid: [`${origin} refused the request: ${said}`, "Change the message or the model, and try again."],
  };
  const [message, next] = all[kind];
  return { message, next };
}

function unreachable({ code = "" }: FailureFacts, origin: string): { message: string; next: string } {
  if (code === "ECONNREFUSED")
    return { message: `Nothing answers at ${origin}.`, next: "Start the server there, or check the base URL." };
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return { message: `The address of ${origin} was not found.`, next: "Check the network and the base URL." };
  if (["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT"].includes(code))
    return { message: `${origin} did not answer in time.`, next: "Check the network, and try again." };
  if (isCertificate(code)) {
    return { message: `The certificate of ${origin} was not accepted (${code}).`, next: "Check the certificate." };
  }
  return { message: `The connection to ${origin} was lost.`, next: "Check the network, and try again." };
}

/** Formats a server's message as one line without the key. */
function quote(text: string, apiKey: string): string {
  // A shorter key is a placeholder and may be part of the text.
  const shown = apiKey.length >= 8 ? text.replaceAll(apiKey, "…") : text;
  if (shown === "") return "it did not say why.";
  const line = withoutTags(shown).replace(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 299).toWellFormed()}…` : /[.!?…]$/.test(line) ? line : `${line}.`;
}

/** Reduces a gateway's HTML page to its heading. */
function withoutTags(text: string): string {
  if (!/<(!doctype|html|head|body)\b/i.test(text)) return text;
  const heading = /<(title|h1)\b[^>]*>([^<]+)</i.exec(text)?.[2]?.trim();
  return heading || "it answered with a web page";
}

/** Returns ms from `retry-after-ms`, or `retry-after` in seconds or as a date (H3); undefined if invalid. */
function retryAfter(headers: Headers): number | undefined {
  const ms = number(headers.get("retry-after-ms"));
  if (ms !== undefined) return ms;
  const value = headers.get("retry-after");
  const seconds = number(value);
  if (seconds !== undefined) return seconds * 1000;
  // Only complete dates: `Date.parse` accepts nearly any text with a number.
  const wait = value !== null && /:\d\d/.test(value) ? Date.parse(value) - Date.now() : Number.NaN;
  return wait > 0 ? wait : undefined;
}

function number(value: string | null): number | undefined {
  return value !== null && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

function record(value: unknown): Record<string, unknown> {
  // Properties of any object can be read; their values stay unknown.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
