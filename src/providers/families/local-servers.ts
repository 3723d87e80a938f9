/** Servers that run on the user's machine: Ollama, LM Studio, llama.cpp, vLLM and Jan. */
import { type ChatRules, commonRules } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";
import { plainSchema } from "./schema.ts";

const local = { host: undefined, keyPage: undefined };

export const ollama: ProviderFamily = {
  ...local,
  name: "Ollama",
  baseURL: "http://localhost:11434/v1",
  keyVariable: "OLLAMA_API_KEY",
  urlVariable: "OLLAMA_BASE_URL",
  // /v1 takes no window and cuts what is beyond it (docs/api/openai-compatibility; vscode#255164).
  native: "ollama",
  chatRules: (model) => ({
    ...commonRules(model),
    takesPDFs: false,
    // Keywords that its types do not have are dropped, references among them (ollama#11444); others are a 400 (#18051).
    schema: (schema) => plainSchema(schema, { emptyObjects: true }),
  }),
};

export const lmStudio: ProviderFamily = {
  ...local,
  name: "LM Studio",
  baseURL: "http://localhost:1234/v1",
  keyVariable: "LM_STUDIO_API_KEY",
  urlVariable: "LM_STUDIO_BASE_URL",
  chatRules: (model) => ({ ...commonRules(model), takesPDFs: false }),
};

export const llamaCpp: ProviderFamily = {
  ...local,
  name: "llama.cpp",
  baseURL: "http://localhost:8080/v1",
  keyVariable: "LLAMA_CPP_API_KEY",
  urlVariable: "LLAMA_CPP_BASE_URL",
  chatRules: templateRules,
};

export const vllm: ProviderFamily = {
  ...local,
  name: "vLLM",
  baseURL: "http://localhost:8000/v1",
  keyVariable: "VLLM_API_KEY",
  urlVariable: "VLLM_BASE_URL",
  chatRules: templateRules,
};

/** Serves models through llama.cpp. Its key is one that the user has made up (jan.ai/docs/local-api). */
export const jan: ProviderFamily = {
  ...local,
  name: "Jan",
  baseURL: "http://localhost:1337/v1",
  keyVariable: "JAN_API_KEY",
  urlVariable: "JAN_BASE_URL",
  chatRules: templateRules,
};

/** These hand `chat_template_kwargs` to the model's template, which ignores what it does not know (pi-ai). */
function templateRules(model: string): ChatRules {
  const common = commonRules(model);
  return {
    ...common,
    thinking: (level, request) => ({
      ...common.thinking(level, request),
      ...(level === "off" && { chat_template_kwargs: { enable_thinking: false } }),
    }),
    takesPDFs: false,
  };
}
