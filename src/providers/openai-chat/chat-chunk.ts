/** A chunk of a Chat Completions stream as servers really send it: every field may be missing. */
import type { Tokens } from "../../chat/message.ts";

export interface ChatChunk {
  object?: string;
  choices?: ChunkChoice[] | null;
  usage?: ChatUsage | null;
  x_groq?: { usage?: ChatUsage | null } | null;
  /** Present in a bare error object, as vLLM sends it. */
  message?: unknown;
}

interface ChunkChoice {
  index?: number;
  delta?: ChunkDelta | null;
  finish_reason?: string | null;
  /** Moonshot reports it here. */
  usage?: ChatUsage | null;
  error?: unknown;
}

interface ChunkDelta {
  content?: DeltaContent | null;
  refusal?: string | null;
  reasoning?: string | null;
  reasoning_content?: string | null;
  reasoning_details?: ReasoningDetail[] | null;
  tool_calls?: CallFragment[] | null;
  /** The predecessor of `tool_calls`: one call per reply, without an id. */
  function_call?: CallFragment["function"];
}

export type DeltaContent = string | { text?: string; thinking?: { text?: string }[] }[];

export interface ReasoningDetail {
  type?: string;
  index?: number | null;
  text?: string | null;
  summary?: string | null;
  data?: string | null;
}

export interface CallFragment {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: string | object | null } | null;
  extra_content?: unknown;
}

export interface ChatUsage {
  prompt_tokens?: number | null;
  completion_tokens?: number | null;
  prompt_tokens_details?: { cached_tokens?: number | null; cache_write_tokens?: number | null } | null;
  completion_tokens_details?: { reasoning_tokens?: number | null } | null;
  /** DeepSeek. */
  prompt_cache_hit_tokens?: number | null;
  /** Moonshot. */
  cached_tokens?: number | null;
}

/** Separates cached tokens from `prompt_tokens`. Only xAI does not include reasoning in `completion_tokens`. */
export function toTokens(usage: ChatUsage): Tokens {
  const { prompt_tokens_details: read } = usage;
  const cacheRead = read?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ?? 0;
  const cacheWrite = read?.cache_write_tokens ?? 0;
  return {
    input: Math.max(0, (usage.prompt_tokens ?? 0) - cacheRead - cacheWrite),
    output: usage.completion_tokens ?? 0,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    cacheRead,
    cacheWrite,
  };
}
