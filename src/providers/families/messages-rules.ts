/** Rules of Anthropic's Messages API for requests, by model. The encoder reads these rules and knows no model. */
import { mergeDeep } from "../../base/json.ts";

export interface MessagesRules {
  /**
   * How the model is told to think. `budget`: tokens, or not at all; `adaptive`: as it finds fit, with an effort;
   * `asked-budget`: a budget that was asked for in tokens, and nothing else.
   */
  thinking: "none" | "asked-budget" | "budget" | "adaptive" | "adaptive-or-budget";
  /** Parameters for the least thinking. */
  off: "nothing" | "disabled" | "between_tools" | "low-effort";
  /** Whether each thought is bound to all before it, tools and system prompt included. */
  checksPrefix: boolean;
  /** Whether the server is asked to leave out thoughts that no longer fit. */
  bindsThoughts: boolean;
  takesTemperature: boolean;
  /** Whether messages of the role "system" may stand within the conversation. */
  systemMessages: boolean;
  /** Whether tools are added and removed there, too; else they join the request's list. */
  toolChanges: boolean;
  /** Whether the effort changes there, too; else in the request's head, at the cost of the cache. */
  effortChanges: boolean;
  /** Effort of the model when none is named. */
  effort: "medium" | "high";
  /** Whether the request's head may name an effort. */
  headEffort: boolean;
  /** Whether the text of thinking is asked for: newer models leave it out by default. */
  display: boolean;
  /** Whether the request may ask for a mark at its end, rather than set it. */
  endMark: boolean;
}

/**
 * Thinking: docs/en/build-with-claude/adaptive-thinking and thinking-troubleshooting on platform.claude.com, and
 * inspect_ai#5176. Binding: …/preserved-thinking/prefix-checks. Later messages: …/mid-conversation-system-messages,
 * which names Opus 4.8 and 5, Fable and Mythos 5, and 5.5, but not Sonnet 5. Which model takes which of them agrees with
 * the data of @earendil-works/pi-ai 1.5.2.
 */
export function messagesRules(name: string): MessagesRules {
  const model = name.toLowerCase();
  const { line, version } = claudeVersion(model);
  const isLarge = line === "fable" || line === "mythos";
  const isNewest = version >= 5.5 || (isLarge && version >= 5.1);
  const systemMessages = isNewest || (isLarge && version >= 5) || (line === "opus" && version >= 4.8);
  return {
    thinking: thinkingOf(version, model),
    off: leastThinking(line, version),
    checksPrefix: isNewest,
    bindsThoughts: isNewest,
    takesTemperature: version <= 4.6 && !isAlias(model, version),
    systemMessages,
    toolChanges: systemMessages,
    effortChanges: isNewest || (line === "opus" && version >= 5),
    // …/opus-5-5/overview
    effort: line === "opus" && version >= 5.5 ? "medium" : "high",
    headEffort: true,
    display: true,
    endMark: true,
  };
}

/** Whether the name is that of a Claude whose version it does not tell: it is asked for nothing that any may refuse. */
function isAlias(model: string, version: number): boolean {
  return version === 0 && model.includes("claude");
}

/**
 * What a server refuses in these words, and what is sent instead: gateways and clouds lag behind Anthropic's own address
 * (…/preserved-thinking/prefix-checks, thinking-troubleshooting; pi-ai 1.5.2).
 */
const refusals: readonly [RegExp, Partial<MessagesRules>][] = [
  [/block_binding|thinking-binding-controls/i, { bindsThoughts: false }],
  [/tool_(addition|removal|definition)|inline-tools|defer_loading/i, { toolChanges: false }],
  [/mid-conversation-output-config|messages\.[^ ]{0,100}output_config/i, { effortChanges: false }],
  [
    /messages\.\d+\.role|role:? .?system|unexpected role|should be .user. or .assistant./i,
    { systemMessages: false, toolChanges: false, effortChanges: false },
  ],
  [/\bdisplay\b/i, { display: false }],
  [/between_tools/i, { off: "low-effort" }],
  [/adaptive/i, { thinking: "budget", bindsThoughts: false, headEffort: false }],
  [/thinking\.type\.(enabled|disabled)/i, { thinking: "adaptive", off: "low-effort", takesTemperature: false }],
  [/output_config|\beffort\b/i, { headEffort: false, effortChanges: false }],
  [/\btemperature\b/i, { takesTemperature: false }],
  [/(^|["\s])cache_control: extra/i, { endMark: false }],
  // A server that names the betas that it does not know.
  [/anthropic[-_]beta|beta (header|flag|feature)/i, { bindsThoughts: false, toolChanges: false, effortChanges: false }],
];

/** Returns the rules without what the server has refused in these words; undefined if they are about something else. */
export function withoutRefused(rules: MessagesRules, words: string): MessagesRules | undefined {
  for (const [told, less] of refusals) {
    if (!told.test(words)) continue;
    const fewer = { ...rules, ...less };
    if (JSON.stringify(fewer) !== JSON.stringify(rules)) return fewer;
  }
  return undefined;
}

function thinkingOf(version: number, model: string): MessagesRules["thinking"] {
  if (isAlias(model, version)) return "none";
  // Compatible servers with models of their own.
  if (version === 0) return "asked-budget";
  if (version < 3.7) return "none";
  if (version < 4.6) return "budget";
  return version === 4.6 ? "adaptive-or-budget" : "adaptive";
}

function leastThinking(line: string, version: number): MessagesRules["off"] {
  if (version < 5) return "nothing";
  if (line === "sonnet") return version < 5.5 ? "disabled" : "between_tools";
  return line === "opus" && version < 5.5 ? "disabled" : "low-effort";
}

/** Returns opus and 4.6 for "claude-opus-4-6-20260205", sonnet and 3.7 for "claude-3-7-sonnet-latest", 0 if unknown. */
function claudeVersion(model: string): { line: string; version: number } {
  if (/claude-mythos-preview/.test(model)) return { line: "mythos", version: 5 };
  const newer = /claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model);
  const older = /claude-(\d)(?:[-.](\d))?-([a-z]+)/.exec(model);
  const [line = "", major = "0", minor = "0"] = newer?.slice(1) ?? [older?.[3], older?.[1], older?.[2]];
  return { line, version: Number(`${major}.${minor}`) };
}

/** Betas of …/preserved-thinking/fix-bound-to-a-different-conversation, and of the changes within a conversation. */
const betas = {
  bindsThoughts: "thinking-binding-controls-2026-08-01",
  toolChanges: "inline-tools-2026-09-15",
  effortChanges: "mid-conversation-output-config-2026-07-01",
} as const;

/** Returns the header `anthropic-beta`; undefined for none. They are the same for each request of a model. */
export function betaHeader(rules: MessagesRules): string | undefined {
  const names = (["bindsThoughts", "toolChanges", "effortChanges"] as const).filter((name) => rules[name]);
  return names.length === 0 ? undefined : names.map((name) => betas[name]).join(",");
}

/**
 * Never offered. Where tools change later, a tool that is not loaded must be declared from the first request on, or
 * the first change loses the cache (measured by pi-ai).
 */
export const unloadedTool = {
  name: "reserved",
  description: "Reserved. It cannot be called.",
  input_schema: { type: "object", properties: {} },
  defer_loading: true,
} as const;

/** How requests to a server of the Messages API differ from Anthropic's. */
export interface MessagesServer {
  rules: (model: string) => MessagesRules;
  /** Path of a request below the base URL. */
  path: (name: string) => string;
  /** First fields of each body. */
  head: (name: string) => Record<string, unknown>;
  /** Whether keys are sent as `x-api-key`, too. */
  takesKeyHeader: boolean;
  /** Other than the SDK's; null for none. */
  headers: Record<string, string | null>;
}

export const messagesServer: MessagesServer = {
  rules: messagesRules,
  path: () => "/v1/messages",
  head: (model) => ({ model }),
  takesKeyHeader: true,
  // The SDK's own, 2026-10-21, refuses sampling parameters for all models (platform.claude.com docs/en/api/versioning).
  headers: { "anthropic-version": "2023-06-01" },
};

/**
 * Clouds know few of Anthropic's betas and refuse requests with any other (oh-my-pi#5614, claude-code#12429), so nothing is
 * asked for that needs one: what is told later goes into the user's messages, and later tools into the request's list.
 */
export function cloudRules(model: string): MessagesRules {
  const none = { bindsThoughts: false, systemMessages: false, toolChanges: false, effortChanges: false };
  return { ...messagesRules(model), ...none };
}

/** Puts an effort, which other APIs name otherwise, where this one has it. [docs/en/build-with-claude/effort] */
export function renamedOptions({ reasoning_effort: effort, ...options }: Readonly<Record<string, unknown>>) {
  return effort === undefined ? options : mergeDeep(options, { output_config: { effort } });
}
