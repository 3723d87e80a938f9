/** All strict servers of Chat Completions. */
import { cerebras } from "./cerebras.ts";
import type { StrictBody } from "./chat-rules.ts";
import { deepseek } from "./deepseek.ts";
import { gemini } from "./gemini.ts";
import { githubModels } from "./github-models.ts";
import { groq } from "./groq.ts";
import { llamaCpp, lmStudio, vllm } from "./local-servers.ts";
import { mistral } from "./mistral.ts";
import { kimiK2, kimiK3 } from "./moonshot.ts";
import { ollamaCompatible } from "./ollama.ts";
import { openrouterClaude, openrouterDeepSeek, openrouterMistral, openrouterQwen } from "./openrouter.ts";
import { qwen } from "./qwen.ts";
import type { StrictProvider } from "./strict-server.ts";
import { zai } from "./zai.ts";

export const chatProviders: readonly (() => StrictProvider<StrictBody>)[] = [
  () => deepseek,
  () => kimiK2,
  () => kimiK3,
  () => mistral,
  gemini,
  () => groq,
  () => cerebras,
  openrouterClaude,
  openrouterQwen,
  openrouterDeepSeek,
  openrouterMistral,
  () => zai,
  () => qwen,
  () => githubModels,
  () => ollamaCompatible,
  () => vllm,
  () => llamaCpp,
  () => lmStudio,
];
