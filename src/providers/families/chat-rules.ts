/** Rules of a server of Chat Completions for requests. The encoder reads these rules and knows no provider. */
import { createHash } from "node:crypto";
import type { ThinkingLevel } from "../../chat/thinking.ts";
import type { Thinking } from "../../loop/model.ts";
import { gptVersion, isOpenAIModel, isOpenAIReasoning, openaiEfforts } from "./openai-responses.ts";

export interface ChatRules {
  /** The server's name of the model, if Rondo's name differs. */
  serverName?: string;
  /** Field that limits the output, and the largest number that the server takes. */
  outputLimit: { field: "max_tokens" | "max_completion_tokens"; most?: number };
  /** Returns the parameters for a level of thinking. */
  thinking: (level: ThinkingLevel, request: { thinking: Thinking; hasTools: boolean }) => Record<string, unknown>;
  takesTemperature: boolean;
  /** Parameters that the server refuses, also where the user's options name them. */
  refused: readonly string[];
  thoughts: SentThoughts;
  /** Whether a call keeps its id. `own`: the requested model wrote it. */
  keepsCallID: (callID: string, own: boolean) => boolean;
  /** Makes another id from that of the part; absent where the part's id will do. */
  makeCallID?: (partID: string, attempt: number) => string;
  /** Whether a user message may stand right after results; if not, a reply of one sentence goes between. */
  userAfterResults: boolean;
  /** A text model refuses the whole conversation for an image. */
  takesImages: boolean;
  /** Where images that a tool returned go: a user message after all results, or the result itself. */
  toolImages: "user" | "result";
  takesPDFs: boolean;
  /** Content of a reply that has calls but no text; undefined for none. */
  emptyContent: null | "" | undefined;
  schema: (schema: Record<string, unknown>) => Record<string, unknown> | undefined;
  /** Whether `tool_choice: "none"` is taken. */
  takesToolChoiceNone: boolean;
  /** Whether `tool_choice` can restrict the calls to some tools. */
  takesAllowedTools: boolean;
  /** Whether the cache needs `cache_control` marks in the content. */
  cacheMarks: boolean;
  /** Field that names the conversation to the server's cache. */
  conversation: { field?: string; header?: string };
  /** Where definitions of tools go that were added later: the request's list, or a system message at their place. */
  laterTools: "request" | "message";
  /** Whether the server reports in `usage.cost` what a reply has cost, in USD. */
  reportsCost: boolean;
  /** Further parameters of each request. */
  parameters: Record<string, unknown>;
}

/** Thoughts that go back with a reply. Those of other models never do. */
export type SentThoughts =
  | { type: "none" }
  /**
   * As they came: `reasoning_details`, parts of the content, or with calls `reasoning_content`, and what belongs to a call.
   * `placeholder` and `dummy` as below.
   */
  | { type: "as-received"; placeholder?: string; dummy?: string }
  /** As plain text; `placeholder` stands where there is none, because the server requires some. */
  | { type: "reasoning_content"; with: "calls" | "all-replies"; placeholder: string | undefined }
  /** `reasoning_details` alone; `placeholder` as above, in `reasoning_content`. */
  | { type: "reasoning_details"; placeholder: string | undefined }
  /** As parts of the content. */
  | { type: "content-parts" }
  /** The signature of a call; `dummy` at the first call of a reply that has none. */
  | { type: "call-signatures"; dummy: string };

/**
 * Stands for thoughts that another model wrote, or that are gone. Kimi takes "" for missing (llmgateway#2093), and who
 * trims would take " " for missing, too.
 */
export const thoughtsPlaceholder = "…";

/** Documented for calls of other models (ai.google.dev thought-signatures; rust-genai#115, hermes-agent#65294). */
export const dummySignature = "skip_thought_signature_validator";

/** Rules that most servers follow, for unknown ones. */
export function commonRules(model: string): ChatRules {
  return {
    outputLimit: { field: "max_tokens" },
    thinking: (level) => effort(level, { low: "low", medium: "medium", high: "high" }),
    takesTemperature: !isOpenAIReasoning(model),
    refused: [],
    thoughts: { type: "as-received" },
    // A model gets its own ids back unchanged.
    keepsCallID: (callID, own) => own || isOpenAICallID(callID),
    userAfterResults: true,
    takesImages: true,
    toolImages: "user",
    takesPDFs: true,
    emptyContent: null,
    schema: (schema) => schema,
    takesToolChoiceNone: true,
    takesAllowedTools: false,
    cacheMarks: false,
    conversation: {},
    laterTools: "request",
    reportsCost: false,
    parameters: {},
    ...modelRules(model),
  };
}

/** For servers that hand `chat_template_kwargs` to the model's template, which ignores what it does not know (pi-ai). */
export function templateRules(model: string): ChatRules {
  const common = commonRules(model);
  return {
    ...common,
    thinking: (level, request) => ({
      ...common.thinking(level, request),
      ...(level === "off" && { chat_template_kwargs: { enable_thinking: false } }),
    }),
    takesPDFs: false,
  };
}

/** Longer ids are refused (openai chat/create), also those that a gateway before OpenAI has made. */
export function isOpenAICallID(callID: string): boolean {
  return callID.length <= 40;
}

/** Returns `reasoning_effort` for the levels that the model has. */
export function effort(level: ThinkingLevel, efforts: Partial<Record<ThinkingLevel, string>>): Record<string, unknown> {
  const found = efforts[level];
  return found === undefined ? {} : { reasoning_effort: found };
}

/**
 * Rules that come with a model's chat template, wherever it runs.
 * Mistral: hermes-agent#20154 (NIM). Kimi, DeepSeek: pi-ai's `requiresReasoningContentOnAssistantMessages` for other
 * hosts.
 */
function modelRules(model: string): Partial<ChatRules> {
  if (mistralNames.test(model)) return mistralTemplate;
  if (needsThoughts(model)) return { thoughts: plainThoughts };
  if (isOpenAIReasoning(model)) {
    return {
      // `max_tokens` is refused for o-series and gpt-5 on, behind gateways, too (litellm#13432).
      outputLimit: { field: "max_completion_tokens" },
      thinking: (level, { hasTools }) => openaiEffort(model, level, hasTools),
      keepsCallID: isOpenAICallID,
    };
  }
  // "Unrecognized request argument supplied: reasoning_effort" (community.openai.com).
  if (/(^|\/)(gpt-[34]|chatgpt)/.test(model)) return { thinking: () => ({}) };
  // Claude takes letters, digits, _ and -, in the ids of all servers (opencode#1680).
  if (/claude-/.test(model)) return { keepsCallID: (callID) => /^[\w-]{1,40}$/.test(callID) };
  return {};
}

const plainThoughts: SentThoughts = {
  type: "reasoning_content",
  with: "all-replies",
  placeholder: thoughtsPlaceholder,
};

export const mistralNames = /mi[sx]tral|codestral|devstral|magistral|pixtral|leanstral/i;

/** Kimi and DeepSeek of the generations that think. */
export function needsThoughts(model: string): boolean {
  return /kimi-(k2[.p-]?[5-9]|k2-thinking|k[3-9])|deepseek-(chat|flash|pro|reasoner|v(3[.p][2-9]|[4-9]))/i.test(model);
}

/** Ids of nine letters and digits (code 3280: opencode#1680), no `user` right after `tool` (3230: hermes-agent#84944). */
export const mistralTemplate = {
  keepsCallID: (callID) => /^[a-zA-Z0-9]{9}$/.test(callID),
  makeCallID: nineCharacters,
  userAfterResults: false,
  emptyContent: "",
} satisfies Partial<ChatRules>;

/** Returns nine letters and digits, the same for the same arguments. */
function nineCharacters(partID: string, attempt: number): string {
  const hash = createHash("sha256").update(`${partID} ${attempt}`).digest("base64");
  return hash.replace(/[^a-zA-Z0-9]/g, "").slice(0, 9);
}

/**
 * With tools, 5.2 to 5.4 refuse any effort but none (openai-openapi#541), and later ones even a missing one
 * (litellm#34569; of 5.5 by one report, Aether#1026). Models that do not think have no effort.
 */
export function openaiEffort(model: string, level: ThinkingLevel, hasTools: boolean): Record<string, unknown> {
  const version = gptVersion(model) ?? 0;
  const efforts: readonly string[] = isOpenAIModel(model) && !isOpenAIReasoning(model) ? [] : openaiEfforts(model);
  const [least] = efforts;
  if (hasTools && version >= 5.5) return least === "none" ? { reasoning_effort: least } : {};
  if (least === undefined || level === "default" || (hasTools && version >= 5.2)) return {};
  return { reasoning_effort: efforts.includes(level) ? level : least };
}
