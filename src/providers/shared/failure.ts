/** Converts errors of SDKs, servers and sockets to a ModelError with a message for people. */
import { msg } from "../../l10n/l10n.ts";
import { ModelError } from "../../loop/model.ts";
import { outputTooLong } from "./context-overflow.ts";
import { classify, type FailureFacts, type FailureKind, isLost, isNamed } from "./failure-kind.ts";

export interface Endpoint {
  /** The provider's name, or the host of a server that is not its own: what people know it by. */
  name: string;
  model: string;
  /** Returns the key that was sent. It is never shown, but removed from server messages. */
  usedKey(): string;
  /** Empty where no environment variable has the key. */
  keyVariable: string;
}

/** An error that a server sent in the middle of a stream. */
export class StreamedError extends Error {
  readonly error: unknown;

  constructor(error: unknown) {
    super(msg("the server sent an error"));
    this.error = error;
  }
}

/** `thrown` comes from an SDK, from its stream, or from the system. */
export function toModelError(thrown: unknown, endpoint: Endpoint): ModelError {
  if (thrown instanceof Error && /^(AbortError|APIUserAbortError)$/.test(thrown.name)) return abortedError();
  const told = causes(thrown).find((one) => one instanceof ModelError);
  if (told) return told;
  const facts = read(thrown);
  const kind = classify(facts);
  const { message, next } = words(kind, facts, endpoint);
  const isBusy = kind === "rate-limit" || kind === "overloaded";
  const retryAfterMs =
    (facts.headers && retryAfter(facts.headers)) ?? (isBusy ? waitIn(facts.text, facts.headers) : undefined);
  const shouldRetry = retryAdvice(kind, facts, retryAfterMs);
  return new ModelError(kind, message, next, {
    ...(facts.status !== undefined && { status: facts.status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(shouldRetry !== undefined && { shouldRetry }),
    ...(facts.isTold && facts.text !== "" && { said: quote(facts.text, endpoint.usedKey()) }),
  });
}

/** Returns a server's words about a parameter of the request; undefined for other errors. */
export function refusedWords(thrown: unknown): string | undefined {
  const facts = read(thrown);
  return (facts.status === 400 || facts.status === 422) && classify(facts) === "invalid" ? facts.text : undefined;
}

/**
 * Whether the server wants to be asked with the other one of OpenAI's APIs. Chat Completions names it (litellm#34569;
 * «only supported in v1/responses»); a server without Responses has no such path.
 */
export function wantsOtherApi(thrown: unknown, asked: "responses" | "chat"): boolean {
  const { status = 0, names, text } = read(thrown);
  if (asked === "chat")
    return (
      [400, 404, 405, 422].includes(status) && /\/responses\b|responses (api|endpoint)|not a chat model/i.test(text)
    );
  return [404, 405, 501].includes(status) && !/model|deployment|\bitem/i.test(`${names.join(" ")} ${text}`);
}

function retryAdvice(kind: FailureKind, facts: FailureFacts, retryAfterMs: number | undefined): boolean | undefined {
  const said = facts.headers?.get("x-should-retry");
  if (said === "true" || said === "false") return said === "true";
  // A server that names a time will take requests again.
  if (kind === "quota" && retryAfterMs !== undefined) return true;
  // More than the account's limit of a minute: waiting does not help.
  if (kind === "rate-limit" && /request too large/i.test(facts.text)) return false;
  if (isCertificate(facts.code)) return false;
  return isRiddle(facts) ? false : undefined;
}

/** Whether nothing about the error is known: it may be a bug, and a retry would fail again. */
function isRiddle({ status, names, text, isTold, code }: FailureFacts): boolean {
  if (status !== undefined || code !== undefined || names.some(isNamed)) return false;
  return isTold ? text === "" : !isLost(text);
}

/** @throws ModelError if the base URL is invalid */
export function address(baseURL: string): URL {
  if (URL.canParse(baseURL)) return new URL(baseURL);
  throw new ModelError(
    "invalid",
    msg("“{0}” is not an address.", baseURL),
    msg("Correct the base URL: it begins with http:// or https://."),
  );
}

/** A reply that ended before it was complete (E5). */
export function cutError(endpoint: Endpoint): ModelError {
  const message = msg("The reply of {0} ended before it was complete.", endpoint.name);
  return new ModelError("network", message, msg("Try again."));
}

export function abortedError(): ModelError {
  return new ModelError("aborted", msg("The reply was stopped."), msg("Send a message to go on."));
}

/** Returns all that a server said in an error, on one line and without what it repeats of the request. */
export function allWords(thrown: unknown): string {
  const { error } = record(thrown);
  const words = JSON.stringify(error ?? "", (key, value) => (key === "input" ? undefined : value));
  return words
    .replace(/(?<!\\)\\+(["n])/g, (_, char) => (char === "n" ? " " : char))
    .replace(/'input': .*?(?=, 'ctx'|\}, \{|$)/gs, "");
}

function read(thrown: unknown): FailureFacts {
  const { status, headers, message, type, error: given } = record(thrown);
  // Gemini sends a list of one.
  const [first] = [given ?? parsed(message)].flat();
  const error: unknown = first;
  // Anthropic wraps errors as {type, error: {type, message}}; the OpenAI SDK passes the inner object.
  const body = record(record(error)["error"] ?? error);
  const isTold = error !== undefined;
  const detail = typeof body["detail"] === "object" ? JSON.stringify(body["detail"]) : body["detail"];
  // An SDK's own message repeats the server's, or says that there is none.
  // Mistral tells unknown fields as an object.
  const words = typeof body["message"] === "object" ? JSON.stringify(body["message"]) : body["message"];
  const said = [
    upstreamWords(body),
    filterWords(body),
    words,
    detail,
    record(error)["error"],
    error,
    isTold ? "" : message,
  ];
  const names = [record(body["details"])["error_code"], body["code"], body["type"], type];
  const number = Number(body["code"]);
  return {
    status: typeof status === "number" ? status : number >= 400 && number < 600 ? number : undefined,
    names: names.filter((name) => typeof name === "string"),
    text:
      thrown instanceof SyntaxError
        ? msg("its answer cannot be read")
        : (said.filter((one) => typeof one === "string").find((one) => one !== "") ?? ""),
    isTold,
    headers: headers instanceof Headers ? headers : undefined,
    code: systemErrorCode(thrown),
  };
}

/** Returns Azure's words with the kinds of content that its filter found, which stand in `innererror` alone. */
function filterWords({ message, innererror }: Record<string, unknown>): unknown {
  const results = Object.entries(record(record(innererror)["content_filter_result"]));
  const found = results.filter(([, result]) => record(result)["filtered"] === true).map(([kind]) => kind);
  return typeof message === "string" && found.length > 0
    ? msg("{0} (Found: {1}.)", message, found.join(", "))
    : undefined;
}

/** Returns what the server behind OpenRouter said, where OpenRouter itself says only that there was an error. */
function upstreamWords({ metadata }: Record<string, unknown>): unknown {
  const { raw } = record(metadata);
  const inner = record(parsed(raw));
  return record(inner["error"])["message"] ?? inner["message"] ?? raw;
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
  return causes(thrown)
    .map((one) => record(one)["code"])
    .findLast((code) => typeof code === "string");
}

/** Returns the error and what it was caused by, outermost first. */
function causes(thrown: unknown): Error[] {
  return thrown instanceof Error ? [thrown, ...causes(thrown.cause)] : [];
}

function isCertificate(code: string | undefined): boolean {
  return code !== undefined && /CERT|SELF_SIGNED|ISSUER|UNABLE_TO_VERIFY/.test(code);
}

function words(kind: FailureKind, facts: FailureFacts, endpoint: Endpoint): { message: string; next: string } {
  const { name, model, keyVariable } = endpoint;
  if (kind === "network") return unreachable(facts, name);
  const said = quote(facts.text, endpoint.usedKey());
  const tooLong = outputTooLong(facts.text);
  if (kind === "invalid" && tooLong !== undefined) {
    return {
      message: msg("An answer of up to {0} tokens does not fit into the window of “{1}”: {2}", tooLong, model, said),
      next: msg("Lower max_tokens, the token limit of the reply, or give the model a larger window."),
    };
  }
  const status = facts.status ? ` (${facts.status})` : "";
  const wait = msg("Wait a little, or choose another model.");
  const all: Record<typeof kind, [message: string, next: string]> = {
    "rate-limit": [msg("{0} accepts no more requests for now: {1}", name, said), wait],
    overloaded: [msg("{0} is overloaded: {1}", name, said), wait],
    server: [msg("{0} failed{1}: {2}", name, status, said), msg("Try again.")],
    auth: [
      msg("{0} refused the API key: {1}", name, said),
      keyVariable === ""
        ? msg("Run “Rondo: Set API Key…”.")
        : msg("Run “Rondo: Set API Key…”, or set {0}.", keyVariable),
    ],
    "no-access": [
      msg("{0} does not let this account use “{1}”: {2}", name, model, said),
      msg("Choose another model, or change what the account may use there."),
    ],
    flagged: [
      msg("{0} does not accept what the message says: {1}", name, said),
      msg("Change the message, or choose another model."),
    ],
    "unknown-model": [
      msg("{0} has no model “{1}”: {2}", name, model, said),
      msg("Choose another with “Rondo: Select Model…”, or check the base URL."),
    ],
    "context-full": [
      msg("The conversation is too long for “{0}”: {1}", model, said),
      msg("Compact the conversation, or start a new session."),
    ],
    quota: [
      msg("The account at {0} has nothing left: {1}", name, said),
      msg("Add credit there, or choose another model."),
    ],
    "thoughts-refused": [msg("{0} refused thoughts of earlier replies: {1}", name, said), msg("Try again.")],
    "images-refused": [
      msg("“{0}” does not take an image or file of the conversation: {1}", model, said),
      msg("Choose a model that does, or leave it out."),
    ],
    invalid: [msg("{0} refused the request: {1}", name, said), msg("Change the message or the model, and try again.")],
  };
  const [message, next] = all[kind];
  return { message, next };
}

function unreachable({ code = "" }: FailureFacts, name: string): { message: string; next: string } {
  if (code === "ECONNREFUSED")
    return {
      message: msg("{0} does not answer.", name),
      next: msg("Check that it runs, and its address in the settings."),
    };
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return {
      message: msg("The address of {0} was not found.", name),
      next: msg("Check the network and the base URL."),
    };
  if (["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT"].includes(code))
    return { message: msg("{0} did not answer in time.", name), next: msg("Check the network, and try again.") };
  if (isCertificate(code)) {
    return {
      message: msg("The certificate of {0} was not accepted ({1}).", name, code),
      next: msg("Check the certificate."),
    };
  }
  return { message: msg("The connection to {0} was lost.", name), next: msg("Check the network, and try again.") };
}

/** Formats a server's message as one line without the key. */
function quote(text: string, apiKey: string): string {
  // A shorter key is a placeholder and may be part of the text.
  const shown = apiKey.length >= 8 ? text.replaceAll(apiKey, "…") : text;
  if (shown === "") return msg("it did not say why.");
  const line = withoutTags(shown).replace(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 299).toWellFormed()}…` : /[.!?\u2026]$/.test(line) ? line : `${line}.`;
}

/** Reduces a gateway's HTML page to its heading. */
function withoutTags(text: string): string {
  if (!/<(!doctype|html|head|body)\b/i.test(text)) return text;
  const heading = /<(title|h1)\b[^<>]*>([^<]+)</i.exec(text)?.[2]?.trim();
  return heading || msg("it answered with a web page");
}

function record(value: unknown): Record<string, unknown> {
  // Properties of any object can be read; their values stay unknown.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

// How long a server says to wait.

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

/**
 * Returns ms from the words of an error ("try again in 1m2.5s", "retry after 26 seconds"), or from the headers of OpenAI's
 * limits: when that one starts anew of which nothing remains.
 */
function waitIn(text: string, headers: Headers | undefined): number | undefined {
  const said = /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?\s?(?:ms|h|m|s)[a-z]*\s?)+)/i.exec(text)?.[1];
  if (said !== undefined) return duration(said);
  const resets = ["requests", "tokens"].flatMap((limit) => {
    const isUsedUp = headers?.get(`x-ratelimit-remaining-${limit}`) === "0";
    return (isUsedUp && duration(headers?.get(`x-ratelimit-reset-${limit}`) ?? "")) || [];
  });
  return resets.length > 0 ? Math.max(...resets) : undefined;
}

const unitsMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Returns the ms of "6m0s", "20ms" or "26 seconds"; undefined for other texts. */
function duration(text: string): number | undefined {
  const found = [...text.matchAll(/(?<!\d)(\d+(?:\.\d+)?)\s?(ms|h|m|s)/gi)];
  const sum = found.reduce((ms, [, size, unit = "s"]) => ms + Number(size) * (unitsMs[unit.toLowerCase()] ?? 0), 0);
  return found.length > 0 ? Math.ceil(sum) : undefined;
}

function number(value: string | null): number | undefined {
  return value !== null && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}
