import { commonRules, effort, mistralNames, mistralTemplate } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";
import { plainSchema } from "./schema.ts";

export const mistral: ProviderFamily = {
  name: "Mistral",
  baseURL: "https://api.mistral.ai/v1",
  host: /(^|\.)mistral\.ai$/,
  keyVariable: "MISTRAL_API_KEY",
  urlVariable: "MISTRAL_BASE_URL",
  keyPage: "https://console.mistral.ai/api-keys",
  keyForms: { likely: /^[A-Za-z0-9]{32}$/ },
  defaultModel: "mistral-large-4",
  catalog: { models: "mistral", prices: "mistral", takes: /^(?!voxtral|pixtral|open-)/ },
  isMaker: true,
  modelNames: mistralNames,
  // Any unknown field is a 422 `extra_forbidden`, also in messages (eca#231, litellm#30835).
  chatRules: (model) => ({
    ...commonRules(model),
    ...mistralTemplate,
    outputLimit: { field: "max_tokens" },
    // None and high on most, low to high on Large 4, low, high and max on models of others (pi-ai).
    thinking(level) {
      if (/large-4/.test(model)) return effort(level, { off: "low", low: "low", medium: "medium", high: "high" });
      if (/glm-5-3/.test(model)) return effort(level, { off: "low", low: "low", medium: "high", high: "high" });
      if (!/magistral|medium-(2604|3\.5|latest)|small-(26|latest)|leanstral|glm-|deepseek/.test(model)) return {};
      return effort(level, { off: "none", low: "high", medium: "high", high: "high" });
    },
    refused: ["max_completion_tokens", "reasoning", "thinking", "stream_options"],
    // As they came (@ai-sdk/mistral 3.0.52).
    thoughts: { type: "content-parts" },
    // `image_url` parts of the result itself, since no user message may follow it (pi-ai).
    toolImages: "result",
    takesPDFs: false,
    schema: (schema) => plainSchema(schema, { emptyObjects: true }) ?? { type: "object", properties: {} },
    // strands-agents docs.
    conversation: { field: "prompt_cache_key" },
  }),
};
