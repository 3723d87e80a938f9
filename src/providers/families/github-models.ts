import { commonRules, isOpenAICallID, openaiEffort } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";
import { isOpenAIReasoning } from "./openai-responses.ts";

export const githubModels: ProviderFamily = {
  name: "GitHub Models",
  baseURL: "https://models.github.ai/inference",
  host: /^(models\.github\.ai|models\.inference\.ai\.azure\.com)$/,
  // Not GITHUB_TOKEN, which many environments set for other purposes.
  keyVariable: "GITHUB_MODELS_TOKEN",
  urlVariable: "GITHUB_MODELS_BASE_URL",
  keyPage: "https://github.com/settings/personal-access-tokens",
  hasAccountToken: true,
  // github.com/gitleaks/gitleaks config
  keyForms: { own: /^(github_pat_|gh[pousr]_)/ },
  // docs.github.com/rest/models/catalog
  modelList: (baseURL) => baseURL.replace(/(\/orgs\/[^/]+)?\/inference\/*$/, "/catalog/models"),
  chatRules: (model) => ({
    ...commonRules(model),
    // Azure behind it refuses `max_tokens` for OpenAI's reasoning models (opencode#37964).
    outputLimit: { field: isOpenAIReasoning(model) ? "max_completion_tokens" : "max_tokens" },
    thinking: (level, { hasTools }) => (/^openai\//.test(model) ? openaiEffort(model, level, hasTools) : {}),
    thoughts: { type: "none" },
    keepsCallID: isOpenAICallID,
    schema: (schema) => ({ properties: {}, ...schema }),
    takesPDFs: false,
  }),
};
