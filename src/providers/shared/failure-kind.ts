/** What an error of a server, a socket or an SDK is about: by its codes, its status and its words. */
import type { ModelErrorKind } from "../../loop/model.ts";
import { isOverflow, outputTooLong } from "./context-overflow.ts";

export type FailureKind = Exclude<ModelErrorKind, "no-key" | "aborted">;

export interface FailureFacts {
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
  invalid_api_key: "auth",
  // Anthropic, Groq, Moonshot: the key is known, and may not do this.
  permission_error: "no-access",
  permissions_error: "no-access",
  permission_denied_error: "no-access",
  model_permission_blocked_org: "no-access",
  model_permission_blocked_project: "no-access",
  team_model_access_denied: "no-access",
  key_model_access_denied: "no-access",
  no_access: "no-access",
  unsupported_country_region_territory: "no-access",
  request_forbidden: "no-access",
  ip_not_authorized: "no-access",
  // Azure and OpenAI.
  content_filter: "flagged",
  content_policy_violation: "flagged",
  // OpenCode Zen, with 401.
  CreditsError: "quota",
  exceeded_current_quota_error: "quota",
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
/**
 * The key itself is at fault, whatever the status: Gemini tells of leaked keys with 403, GitHub and gateways of bad tokens.
 */
const badKey =
  /\b(api[ _-]?key|token|credentials?)\b[^.]{0,40}\b(invalid|incorrect|wrong|missing|expired|revoked|disabled|leaked|not valid|not found|required)\b|\b(invalid|incorrect|wrong|bad|missing|expired|revoked|no|unknown)\b[^.]{0,20}\b(api[ _-]?key|token|credentials?)\b/i;
/** OpenRouter's moderation (403, with `metadata.reasons`), Azure's filter, DashScope's and Z.ai's inspection (400). */
const flagged =
  /requires moderation|was flagged|content management policy|content (filter|policy)|data may contain inappropriate content|sensitive content/i;
/**
 * The account may not use the model, or not from here: OpenAI tells of unverified organizations with 404 (LibreChat#7323)
 * and 400 (continue#8209), Gemini of locations with 400, OpenRouter of the user's own privacy settings with 404.
 */
const noAccess =
  /organization must be verified|(country|region|territory|location)[^.]{0,30}not supported|not available in (your|this) (country|region)|does not have access to|not allowed to access model|data policy|has not been used in project|blocked at the (organization|project) level/i;
/** xAI (continue#12670, #10373), SiliconFlow, Moonshot, DeepSeek, OpenRouter's limit of a key. */
const noCredit =
  /(n't|not|no) have any credits|used all available credits|insufficient (account )?(balance|credits?|funds)|balance is (insufficient|not enough)|suspended[^.]{0,60}(balance|billing)|key limit exceeded/i;
/** Anthropic: credit that is used up, and limits of a month, which come as 400 or as 429 (docs/en/api/errors). */
const noMoney = /credit balance is too low|\b(monthly (spend|usage|rate)?|spend(ing)?|specified API usage) ?limits?\b/i;
const noSuchModel =
  /model[^.]{0,80}(not found|does not exist|is not (a valid|available|supported|found))|not a valid model|invalid model|unknown model|no such model/i;

/** Messages of fetch and the SDKs about failed connections without a code. */
const lost = /connection|terminated|fetch failed|socket|network|timed? ?out|aborted|premature|\bEOF\b|hang up/i;

/** Whether the words of fetch or an SDK tell of a failed connection. */
export function isLost(text: string): boolean {
  return lost.test(text);
}

/** Whether the server's code is a known one. */
export function isNamed(name: string): boolean {
  return Object.hasOwn(kinds, name);
}

export function classify({ status, names, text, isTold, code }: FailureFacts): FailureKind {
  if (status !== 401 && status !== 403 && status !== 429 && isOverflow(`${names.join(" ")} ${text}`)) {
    return outputTooLong(text) === undefined ? "context-full" : "invalid";
  }
  if (status === undefined || status === 400) {
    if (wrongKey.test(text)) return "auth";
    if (names.some((name) => imageCode.test(name))) return "images-refused";
  }
  const named = names.map((name) => (Object.hasOwn(kinds, name) ? kinds[name] : undefined)).find((kind) => kind);
  if (named === "quota" || status === 402 || noMoney.test(text) || noCredit.test(text)) return "quota";
  if (status === undefined || (status < 500 && status !== 429)) {
    if (named === "thoughts-refused" || refusedThoughts.test(text)) return "thoughts-refused";
  }
  // llama.cpp says so with 500.
  if (status !== 401 && status !== 403 && status !== 429 && refusedImages.some((told) => told.test(text)))
    return "images-refused";
  if (status === undefined) return named ?? (!isTold && (code !== undefined || lost.test(text)) ? "network" : "server");
  const refused = refusal(status, named, text);
  if (refused) return refused;
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

/**
 * Returns what a refusal is about. 401 says that the key is not accepted, 403 that the key is known but not what it asks
 * for; some servers use either for both, so their codes and words come first.
 */
function refusal(status: number, named: FailureKind | undefined, text: string): FailureKind | undefined {
  if (status >= 500 || status === 429 || status === 408) return undefined;
  if (named === "flagged" || (status !== 401 && status !== 404 && flagged.test(text))) return "flagged";
  if (named === "no-access" || noAccess.test(text)) return "no-access";
  if (status === 401) return "auth";
  if (status === 403) return named === "auth" || badKey.test(text) ? "auth" : "no-access";
  return undefined;
}
