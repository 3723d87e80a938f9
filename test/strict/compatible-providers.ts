/** Strict servers of Chat Completions with the names of models under which others serve them, too. */
import { cerebras } from "./cerebras.ts";
import type { StrictBody } from "./chat-rules.ts";
import { deepseek } from "./deepseek.ts";
import { gemini } from "./gemini.ts";
import { githubModels } from "./github-models.ts";
import { groq } from "./groq.ts";
import { llamaCpp, vllm } from "./local-servers.ts";
import { mistral } from "./mistral.ts";
import { kimiK2, kimiK3 } from "./moonshot.ts";
import { openaiChat } from "./openai.ts";
import { openrouterClaude, openrouterDeepSeek, openrouterMistral, openrouterQwen } from "./openrouter.ts";
import { qwen } from "./qwen.ts";
import type { StrictProvider } from "./strict-server.ts";
import { xaiChat } from "./xai.ts";
import { zai } from "./zai.ts";

const openai = ["gpt-4.1", "gpt-5", "gpt-5.5", "gpt-5.6-terra"].map((name) => [() => openaiChat(name), name] as const);

export const compatibleProviders: readonly (readonly [() => StrictProvider<StrictBody>, model: string])[] = [
  [() => kimiK2, "kimi-k2.6"],
  [() => kimiK2, "kimi-k2.5"],
  [() => kimiK3, "kimi-k3"],
  [() => kimiK3, "moonshotai/kimi-k3"],
  [() => deepseek, "deepseek-chat"],
  [() => deepseek, "deepseek-reasoner"],
  [() => deepseek, "deepseek-v4"],
  [() => deepseek, "deepseek-v4-flash"],
  [() => zai, "glm-5.3"],
  [() => zai, "z-ai/glm-5.3"],
  [() => qwen, "qwen3.5-plus"],
  [() => qwen, "qwen3-coder-plus"],
  [() => mistral, "mistral-large-2512"],
  [() => mistral, "devstral-2512"],
  [() => mistral, "codestral-latest"],
  [() => mistral, "magistral-medium-latest"],
  [gemini, "gemini-3-pro"],
  [gemini, "models/gemini-3-flash-preview"],
  [xaiChat, "grok-4"],
  [() => groq, "llama-3.3-70b-versatile"],
  [() => groq, "openai/gpt-oss-120b"],
  [() => groq, "qwen/qwen3-32b"],
  [() => groq, "moonshotai/kimi-k2-instruct-0905"],
  [() => cerebras, "zai-glm-4.7"],
  [() => cerebras, "gpt-oss-120b"],
  [() => cerebras, "qwen-3-235b-a22b-instruct-2507"],
  ...openai,
  [() => githubModels, "openai/gpt-5"],
  [openrouterClaude, "anthropic/claude-sonnet-5.5"],
  [openrouterQwen, "qwen/qwen3.8-max"],
  [openrouterDeepSeek, "deepseek/deepseek-v4-pro"],
  [openrouterMistral, "mistralai/mistral-medium-3-5"],
  [() => vllm, "Qwen/Qwen3.8-27B"],
  [() => llamaCpp, "Devstral-Small-2-24B-Q4_K_M.gguf"],
];

/** As `--provider openai --base-url http://127.0.0.1:PORT/v1 --model …` addresses it. */
export function asCompatible(provider: StrictProvider<StrictBody>, model: string): StrictProvider<StrictBody> {
  return { ...provider, providerID: "openai", basePath: "/v1", model };
}
