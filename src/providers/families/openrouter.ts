import { budgetOf } from "../shared/thinking.ts";
import { commonRules, needsThoughts, thoughtsPlaceholder } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";

export const openrouter: ProviderFamily = {
  name: "OpenRouter",
  baseURL: "https://openrouter.ai/api/v1",
  host: /(^|\.)openrouter\.ai$/,
  keyVariable: "OPENROUTER_API_KEY",
  urlVariable: "OPENROUTER_BASE_URL",
  keyPage: "https://openrouter.ai/settings/keys",
  creditPage: "https://openrouter.ai/settings/credits",
  // trufflesecurity/trufflehog detectors
  keyForms: { own: /^sk-or-/ },
  chatRules: (model) => ({
    ...commonRules(model),
    thinking(level, { thinking }) {
      if (level === "default") return {};
      if (level === "off") return { reasoning: { effort: alwaysThinks.test(model) ? "low" : "none" } };
      return { reasoning: typeof thinking === "object" ? { max_tokens: budgetOf(thinking) } : { effort: level } };
    },
    // Back unchanged, and not to another model (open-webui#28240). DeepSeek and Kimi need some (pi-ai).
    thoughts: {
      type: "reasoning_details",
      placeholder: needsThoughts(model) ? thoughtsPlaceholder : undefined,
    },
    // Claude takes letters, digits, _ and -, in the ids of all servers.
    ...(!/mistral/.test(model) && {
      keepsCallID: (callID: string, own: boolean) =>
        (own && !/anthropic\//.test(model)) || /^[\w-]{1,40}$/.test(callID),
    }),
    // Object schemas need `properties` (kagent#1889).
    schema: (schema) => ({ properties: {}, ...schema }),
    // These alone are not cached unasked (docs prompt-caching).
    cacheMarks: /^~?(anthropic|qwen)\//.test(model),
    // Requests of a conversation go to the same upstream (docs prompt-caching; pi-ai).
    conversation: { header: "x-session-id" },
    reportsCost: true,
  }),
};

/** Models that refuse to be without thoughts (pi-ai `thinkingLevelMap`). */
const alwaysThinks =
  /claude-(fable|mythos|(opus|sonnet)-5\.5)|gpt-6-astra|gpt-6\.1-sol|gpt-6\.2|glm-5\.3|gemini-(3|4|pro)|kimi-k2\.7|-thinking|deepseek-r1|qwen3\.8-max/;
