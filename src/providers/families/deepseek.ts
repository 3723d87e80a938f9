import type { ThinkingLevel } from "../../chat/thinking.ts";
import { commonRules } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";

export const deepseek: ProviderFamily = {
  name: "DeepSeek",
  baseURL: "https://api.deepseek.com/v1",
  host: /(^|\.)deepseek\.com$/,
  keyVariable: "DEEPSEEK_API_KEY",
  urlVariable: "DEEPSEEK_BASE_URL",
  keyPage: "https://platform.deepseek.com/api_keys",
  creditPage: "https://platform.deepseek.com/top_up",
  keyForms: { likely: /^sk-/ },
  defaultModel: "deepseek-v4-pro",
  catalog: "deepseek",
  isMaker: true,
  modelNames: /(^|\/)deepseek-/i,
  chatRules: (model) => ({
    ...commonRules(model),
    outputLimit: { field: "max_tokens", most: 384_000 },
    thinking: (level) => thinking(model, level),
    // After calls `reasoning_content` must go back in all later turns (api-docs thinking_mode), by hermes-agent#15228
    // with each reply; without calls it is ignored.
    thoughts: { type: "reasoning_content", with: "all-replies", placeholder: "…" },
    takesPDFs: false,
  }),
};

/** Efforts: low, high and max, Pro from high on (pi-ai; api-docs thinking_mode). */
function thinking(model: string, level: ThinkingLevel): Record<string, unknown> {
  if (level === "default") return {};
  if (level === "off") return { thinking: { type: "disabled" } };
  return { thinking: { type: "enabled" }, reasoning_effort: level === "low" && /flash/.test(model) ? "low" : "high" };
}
