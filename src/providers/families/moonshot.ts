import type { ThinkingLevel } from "../../chat/thinking.ts";
import { commonRules, effort, thoughtsPlaceholder } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";
import { plainSchema } from "./schema.ts";

export const moonshot: ProviderFamily = {
  name: "Moonshot (Kimi)",
  baseURL: "https://api.moonshot.ai/v1",
  host: /(^|\.)(moonshot\.(ai|cn)|kimi\.com)$/,
  keyVariable: "MOONSHOT_API_KEY",
  urlVariable: "MOONSHOT_BASE_URL",
  keyPage: "https://platform.moonshot.ai/console/api-keys",
  keyForms: { likely: /^sk-/ },
  defaultModel: "kimi-k3.1-pro",
  catalog: "moonshotai",
  isMaker: true,
  modelNames: /(^|\/)kimi-/i,
  chatRules(model) {
    const isK3 = /k[3-9]/.test(model);
    return {
      ...commonRules(model),
      outputLimit: { field: "max_completion_tokens" },
      thinking: (level) => (isK3 ? k3Thinking(level) : k2Thinking(model, level)),
      // Fixed by the server (sim#5716).
      takesTemperature: false,
      // K3 has no `thinking`; K2 refuses it beside an effort (nanobot#3939).
      refused: [isK3 ? "thinking" : "reasoning_effort", "temperature", "top_p"],
      // Each reply with calls needs it, not empty (llmgateway#2093); K3 keeps all (opencode-kimi-full#11).
      thoughts: { type: "reasoning_content", with: "all-replies", placeholder: thoughtsPlaceholder },
      takesPDFs: false,
      // A type everywhere, none beside `anyOf` (kimi-cli#1595), nothing beside `$ref` (kimi-cli#2061).
      schema: (schema) => plainSchema(schema, { emptyObjects: true }),
      conversation: { field: "prompt_cache_key" },
      // A system message with `tools` and no content; K2 fails with "tokenization failed" (pydantic-ai#6977).
      laterTools: isK3 ? "message" : "request",
    };
  },
};

/** Always thinks, with low, high or max (flocks#620). */
function k3Thinking(level: ThinkingLevel): Record<string, unknown> {
  return effort(level, { off: "low", low: "low", medium: "high", high: "high" });
}

/** K2.6 heeds the history's thoughts only with `keep` (oh-my-pi#1839). K2.7 and the thinking models always think. */
function k2Thinking(model: string, level: ThinkingLevel): Record<string, unknown> {
  if (!/k2\.[56]/.test(model)) return {};
  if (level === "off") return { thinking: { type: "disabled" } };
  if (/k2\.6/.test(model)) return { thinking: { type: "enabled", keep: "all" } };
  return level === "default" ? {} : { thinking: { type: "enabled" } };
}
