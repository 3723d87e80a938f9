import { commonRules, effort } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";
import { xaiResponses } from "./xai-responses.ts";

export const xai: ProviderFamily = {
  name: "xAI (Grok)",
  baseURL: "https://api.x.ai/v1",
  host: /(^|\.)x\.ai$/,
  keyVariable: "XAI_API_KEY",
  urlVariable: "XAI_BASE_URL",
  keyPage: "https://console.x.ai",
  // trufflesecurity/trufflehog detectors
  keyForms: { own: /^xai-/ },
  defaultModel: "grok-4.7",
  catalog: { models: "xai", prices: "x-ai" },
  isMaker: true,
  modelNames: /(^|\/)grok-/i,
  // Chat Completions is deprecated there and loses all thoughts (docs.x.ai best-practices).
  chatRules: (model) => ({
    ...commonRules(model),
    // Refused by grok-4, code-fast and build, taken from 4.3 on (hermes-agent#23435).
    thinking: (level) =>
      /grok-(4\.[3-9]|[5-9])/.test(model) ? effort(level, { low: "low", medium: "medium", high: "high" }) : {},
    // docs.x.ai reasoning; open-webui#21266.
    refused: ["presence_penalty", "frequency_penalty", "stop"],
    thoughts: { type: "none" },
    takesPDFs: false,
    conversation: { header: "x-grok-conv-id" },
  }),
  responses: { path: /^/, rules: xaiResponses },
};
