/** The model with which a provider is used until the user chooses another; `npm run check` sees that none is outdated. */
export const defaultModels: Readonly<Record<string, string>> = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-6.1-terra",
  bedrock: "anthropic.claude-sonnet-5-5",
  vertex: "gemini-4-argon",
  gemini: "gemini-4-argon",
  xai: "grok-4.7",
  deepseek: "deepseek-v4-pro",
  moonshot: "kimi-k3.1-pro",
  zai: "glm-5.3",
  qwen: "qwen3.8-max",
  mistral: "mistral-large-4",
  groq: "openai/gpt-oss-120b",
  cerebras: "gpt-oss-120b",
};
