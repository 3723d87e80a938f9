/** Converts errors of SDKs, servers and sockets to a ModelError with a message for people. */
import { ModelError, type ModelErrorKind } from "../../loop/model.ts";
import { isOverflow, outputTooLong } from "./context-overflow.ts";
import { retryAfter, waitIn } from "./retry-after.ts";

type FailureKind = Exclude<ModelErrorKind, "no-key" | "aborted">;

export interface Endpoint {
  /** Scheme, host and port: "https://api.anthropic.com". */
  origin: string;
  model: string;
  /** Returns the key that was sent. It is never shown, but removed from server messages. */
  usedKey(): string;
  /** Empty where no environment variable has the key. */
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
  server_is_overloaded: "overloaded",
  slow_down: "overloaded",
  rate_limit_error: "rate-limit",
  rate_limit_exceeded: "rate-limit",
  too_many_requests: "rate-limit",
  insufficient_quota: "quota",
  billing_error: "quota",
  billing_hard_limit_reached: "quota",
  budget_exceeded: "quota",
  enforced_spend_limit_reached: "quota",
  usage_not_included: "quota",
  invalid_encrypted_content: "thoughts-refused",
  authentication_error: "auth",
  permission_error: "auth",
  invalid_api_key: "auth",
  not_found_error: "unknown-model",
  model_not_found: "unknown-model",
  // Groq: its server could not parse the model's call. A retry often helps.
  tool_use_failed: "server",
  invalid_request_error: "invalid",
  invalid_prompt: "invalid",
  // 32 MiB at Anthropic: more than the text of any window.
  request_too_large: "images-refused",
};

/** Codes of Responses for images that it cannot use (`ResponseError` in the SDK). */
const imageCode = /image/;

/**
 * Thoughts that do not fit what is before them, belong to another model or account, or stand without what belongs to them.
 * OpenAI: codex#17541, bifrost#5410, mux#59; Anthropic: platform.claude.com preserved-thinking/prefix-checks.
 */
const refusedThoughts =
  /encrypted content .{0,80}could not be|items are not persisted|provided without its required '?(reasoning|following)|invalid `?signature`? in `?thinking|bound to a different conversation|corrupted thought signature|`?(redacted_)?thinking`? .{0,60}cannot be modified|expected `?thinking/i;
/**
 * OpenAI, Mistral, LM Studio, DeepSeek (rikkahub#1433), Groq (vercel/ai#2837), vLLM (vllm#23402), llama.cpp
 * (llama.cpp#15377, #12947), Ollama (ollama#17301), OpenRouter (hermes-agent#23411).
 */
const refusedImages = [
  /unknown variant .?(image|file|document)|content must be a string|image_url is only supported|not a multimodal model/i,
  /unsupported content.{0,20}(image|file|\[\]\.type)|no endpoints found that support (image|file)/i,
  // GitHub Models; DashScope; Gemini; vLLM.
  /invalid value: .?(file|image_url|input_(image|file))|unexpected item type in content|invalid content part type/i,
  /unknown part type: ?(file|image)/i,
  /(not|n't) (support|accept|take|allow|process)[^.]{0,30}\b(images?|vision|multimodal|files?|pdfs?)\b/i,
  /\b(input_image|image|vision|multimodal).{0,20}( is| are)? not (supported|enabled|available)/i,
  // Anthropic: too large, too many, damaged, and PDFs with too many pages (docs/en/build-with-claude/vision).
  /image exceeds .{0,20}maximum|image dimensions exceed|too many images|could not process (image|pdf)/i,
  /maximum of \d+ (images|pdf pages|documents)|image.{0,40}(too large|too small|invalid|corrupt)/i,
];
/** xAI (continue#10778) and Gemini answer a wrong key with 400. */
const wrongKey = /(incorrect|invalid) api[ _-]?key|api[ _-]?key (is )?(not valid|invalid|incorrect|expired)/i;
/** Anthropic: credit that is used up, and limits of a month, which come as 400 or as 429 (docs/en/api/errors). */
const noMoney = /credit balance is too low|\b(monthly (spend|usage|rate)?|spend(ing)?|specified API usage) ?limits?\b/i;
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
        ? "its answer cannot be read"
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
  return typeof message === "string" && found.length > 0 ? `${message} (Found: ${found.join(", ")}.)` : undefined;
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

function classify({ status, names, text, isTold, code }: FailureFacts): FailureKind {
  if (status !== 401 && status !== 403 && status !== 429 && isOverflow(`${names.join(" ")} ${text}`)) {
    return outputTooLong(text) === undefined ? "context-full" : "invalid";
  }
  if (status === undefined || status === 400) {
    if (wrongKey.test(text)) return "auth";
    if (names.some((name) => imageCode.test(name))) return "images-refused";
  }
  const named = names.map((name) => (Object.hasOwn(kinds, name) ? kinds[name] : undefined)).find((kind) => kind);
  if (named === "quota" || status === 402 || noMoney.test(text)) return "quota";
  if (status === undefined || (status < 500 && status !== 429)) {
    if (named === "thoughts-refused" || refusedThoughts.test(text)) return "thoughts-refused";
  }
  // llama.cpp says so with 500.
  if (status !== 401 && status !== 403 && status !== 429 && refusedImages.some((told) => told.test(text)))
    return "images-refused";
  if (status === undefined) return named ?? (!isTold && (code !== undefined || lost.test(text)) ? "network" : "server");
  if (status === 401 || status === 403) return "auth";
  if (status === 404) return "unknown-model";
  // 499: a proxy assumes that the client disconnected.
  if (status === 408 || status === 499) return "network";
  if (status === 429) return "rate-limit";
  if (status === 503 || status === 529) return "overloaded";
  // 409: another request holds a lock; the SDKs retry, too.
  if (status >= 500 || status === 409) return named === "overloaded" ? named : "server";
  if (named === "server" || named === "images-refused") return named;
  return noSuchModel.test(text) ? "unknown-model" : "invalid";
}

/** Messages of fetch and the SDKs about failed connections without a code. */
const lost = /connection|terminated|fetch failed|socket|network|timed? ?out|aborted|premature|\bEOF\b|hang up/i;

function isCertificate(code: string | undefined): boolean {
  return code !== undefined && /CERT|SELF_SIGNED|ISSUER|UNABLE_TO_VERIFY/.test(code);
}

function words(kind: FailureKind, facts: FailureFacts, endpoint: Endpoint): { message: string; next: string } {
  const { origin, model, keyVariable } = endpoint;
  if (kind === "network") return unreachable(facts, origin);
  const said = quote(facts.text, endpoint.usedKey());
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
    auth: [
      `${origin} refused the API key: ${said}`,
      `Run “Rondo: Set API Key…”${keyVariable && `, or set ${keyVariable}`}.`,
    ],
    "unknown-model": [
      `${origin} has no model “${model}”: ${said}`,
      "Choose another with “Rondo: Select Model…”, or check the base URL.",
    ],
    "context-full": [
      `The conversation is too long for “${model}”: ${said}`,
      "Compact the conversation, or start a new session.",
    ],
    quota: [`The account at ${origin} has nothing left: ${said}`, "Add credit there, or choose another model."],
    "thoughts-refused": [`${origin} refused thoughts of earlier replies: ${said}`, "Try again."],
    "images-refused": [
      `“${model}” does not take an image or file of the conversation: ${said}`,
      "Choose a model that does, or leave it out.",
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
  const heading = /<(title|h1)\b[^<>]*>([^<]+)</i.exec(text)?.[2]?.trim();
  return heading || "it answered with a web page";
}

function record(value: unknown): Record<string, unknown> {
  // Properties of any object can be read; their values stay unknown.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
