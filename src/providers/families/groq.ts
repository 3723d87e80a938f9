import type { ThinkingLevel } from "../../chat/thinking.ts";
import { commonRules, effort } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";

export const groq: ProviderFamily = {
  name: "Groq",
  baseURL: "https://api.groq.com/openai/v1",
  host: /(^|\.)groq\.com$/,
  keyVariable: "GROQ_API_KEY",
  urlVariable: "GROQ_BASE_URL",
  keyPage: "https://console.groq.com/keys",
  // trufflesecurity/trufflehog detectors
  keyForms: { own: /^gsk_/ },
  defaultModel: "openai/gpt-oss-120b",
  catalog: "groq",
  chatRules: (model) => ({
    ...commonRules(model),
    outputLimit: { field: "max_completion_tokens" },
    thinking: (level) => effort(level, efforts(model)),
    // `reasoning_content` is refused (jan#8136), `reasoning` has been (gptel#774).
    thoughts: { type: "none" },
    takesPDFs: false,
  }),
};

/** From pi-ai; models that do not think refuse the parameter. */
function efforts(model: string): Partial<Record<ThinkingLevel, string>> {
  if (/gpt-oss/.test(model)) return { off: "low", low: "low", medium: "medium", high: "high" };
  if (/qwen3\.8/.test(model)) return { off: "none", low: "low", medium: "medium", high: "high" };
  return /qwen3/.test(model) ? { off: "none", low: "default", medium: "default", high: "default" } : {};
}
