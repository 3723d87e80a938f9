/** Written by scripts/provider-docs.mjs from src/providers/families. Do not edit; run `npm run docs`. */

/** Variables from which providers read their keys. */
export const keyVariables = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "AZURE_OPENAI_API_KEY",
  "AWS_BEARER_TOKEN_BEDROCK",
  "VERTEX_ACCESS_TOKEN",
  "GEMINI_API_KEY",
  "OPENROUTER_API_KEY",
  "XAI_API_KEY",
  "DEEPSEEK_API_KEY",
  "MOONSHOT_API_KEY",
  "ZAI_API_KEY",
  "DASHSCOPE_API_KEY",
  "MISTRAL_API_KEY",
  "GROQ_API_KEY",
  "CEREBRAS_API_KEY",
  "GITHUB_MODELS_TOKEN",
  "OLLAMA_API_KEY",
  "LM_STUDIO_API_KEY",
  "LLAMA_CPP_API_KEY",
  "VLLM_API_KEY",
  "JAN_API_KEY",
] as const;
export type KeyVariable = (typeof keyVariables)[number];

/** Variables in which other programs keep keys of the same providers. */
export const otherKeyVariables = [
  "CLAUDE_CODE_OAUTH_TOKEN",
  "GOOGLE_API_KEY",
];

/** Those whose value commands have under a name of their own, too. */
export const accountTokens = [
  "VERTEX_ACCESS_TOKEN",
  "GITHUB_MODELS_TOKEN",
];
