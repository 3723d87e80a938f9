import { commonRules, effort } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";

export const cerebras: ProviderFamily = {
  name: "Cerebras",
  baseURL: "https://api.cerebras.ai/v1",
  host: /(^|\.)cerebras\.ai$/,
  keyVariable: "CEREBRAS_API_KEY",
  urlVariable: "CEREBRAS_BASE_URL",
  keyPage: "https://cloud.cerebras.ai/platform/apikeys",
  // trufflesecurity/trufflehog detectors
  keyForms: { own: /^csk-/ },
  defaultModel: "gpt-oss-120b",
  catalog: "cerebras",
  chatRules: (model) => ({
    ...commonRules(model),
    outputLimit: { field: "max_completion_tokens" },
    // From pi-ai; GLM and Llama have none.
    thinking(level) {
      const off = /qwen/.test(model) ? "none" : "low";
      return /gpt-oss|qwen-3\.[8-9]/.test(model)
        ? effort(level, { off, low: "low", medium: "medium", high: "high" })
        : {};
    },
    // Each is a 400 (req_llm guide; docs.getbifrost.ai for the cache's key).
    refused: [
      "frequency_penalty",
      "presence_penalty",
      "logit_bias",
      "parallel_tool_calls",
      "service_tier",
      "prompt_cache_key",
    ],
    // "property 'messages.2.assistant.reasoning_content' is unsupported" (kilocode#10375).
    thoughts: { type: "none" },
    takesPDFs: false,
  }),
};
