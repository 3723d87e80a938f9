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

/** What a server answers that does not stream. */
export interface WholeReply extends Omit<ChatChunk, "choices"> {
  choices?: (ChunkChoice & { message?: ChunkDelta | null })[] | null;
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

/** Some gateways send numbers as strings. */
type Count = number | string | null;

export interface ChatUsage {
  prompt_tokens?: Count;
  completion_tokens?: Count;
  prompt_tokens_details?: { cached_tokens?: Count; cache_write_tokens?: Count } | null;
  completion_tokens_details?: { reasoning_tokens?: Count } | null;
  /** DeepSeek. */
  prompt_cache_hit_tokens?: Count;
  /** Moonshot. */
  cached_tokens?: Count;
  /** OpenRouter: USD. Others have put other things here. */
  cost?: unknown;
}

/** Separates cached tokens from `prompt_tokens`. Only xAI does not include reasoning in `completion_tokens`. */
export function toTokens(usage: ChatUsage): Tokens {
  const { prompt_tokens_details: read } = usage;
  const cacheRead = toNumber(read?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens);
  const cacheWrite = toNumber(read?.cache_write_tokens);
  return {
    input: Math.max(0, toNumber(usage.prompt_tokens) - cacheRead - cacheWrite),
    output: toNumber(usage.completion_tokens),
    reasoning: toNumber(usage.completion_tokens_details?.reasoning_tokens),
    cacheRead,
    cacheWrite,
  };
}

function toNumber(count: Count | undefined): number {
  const value = Number(count ?? 0);
  return Number.isFinite(value) ? value : 0;
}
