/** OpenAI's own address, for models that are asked through Chat Completions. */
import { type ChatRules, commonRules, isOpenAICallID, openaiEffort } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";
import { openaiResponses } from "./openai-responses.ts";
import { objectSchema } from "./schema.ts";

export const openai: ProviderFamily = {
  name: "OpenAI",
  baseURL: "https://api.openai.com/v1",
  host: /^(.+\.)?api\.openai\.com$/,
  keyVariable: "OPENAI_API_KEY",
  urlVariable: "OPENAI_BASE_URL",
  keyPage: "https://platform.openai.com/api-keys",
  creditPage: "https://platform.openai.com/settings/organization/billing/overview",
  // github.com/gitleaks/gitleaks config; others than OpenAI have keys of the older form, too.
  keyForms: { own: /^sk-(proj|svcacct|admin|None)-|^sk-\w+T3BlbkFJ/, possible: /^sk-/ },
  defaultModel: "gpt-6.1-terra",
  catalog: "openai",
  isMaker: true,
  documented: { as: "OpenAI, or a compatible server" },
  chatRules: openaiChatRules,
  responses: { path: /^/, rules: openaiResponses },
};

export function openaiChatRules(model: string): ChatRules {
  return {
    ...commonRules(model),
    // `max_tokens` is refused for o-series and gpt-5 on (litellm#13432).
    outputLimit: { field: "max_completion_tokens" },
    thinking: (level, { hasTools }) => openaiEffort(model, level, hasTools),
    thoughts: { type: "none" },
    keepsCallID: isOpenAICallID,
    // Object schemas need `properties` (kagent#1889).
    schema: (schema) => ({ properties: {}, ...objectSchema(schema) }),
    takesAllowedTools: true,
    // At most 64 characters (guides/prompt-caching).
    conversation: { field: "prompt_cache_key" },
  };
}
