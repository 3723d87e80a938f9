/** Events of a Responses stream as servers really send them: every field may be missing. */
import type { Tokens } from "../../chat/message.ts";
import { count } from "../shared/count.ts";

export interface ResponsesEvent {
  type?: string;
  output_index?: number | null;
  item_id?: string | null;
  summary_index?: number | null;
  content_index?: number | null;
  delta?: string | null;
  /** In `….done`: the whole text, arguments, or input of a freeform tool. */
  text?: string | null;
  arguments?: string | null;
  input?: string | null;
  item?: OutputItem | null;
  response?: ResponseSnapshot | null;
  /** An error: at the top level as the reference has it; `error` itself is thrown by the SDK. */
  object?: string;
  code?: unknown;
  message?: unknown;
}

/** An item of a reply. Its fields go back to the server as they came. */
export interface OutputItem {
  type?: string;
  id?: string | null;
  status?: string | null;
  /** Of a message. */
  phase?: string | null;
  content?: ItemContent[] | null;
  /** Of thoughts. */
  summary?: ItemContent[] | null;
  encrypted_content?: string | null;
  /** Of a call. */
  call_id?: string | null;
  name?: string | null;
  namespace?: string | null;
  arguments?: string | object | null;
  input?: string | null;
}

interface ItemContent {
  type?: string;
  text?: string | null;
  refusal?: string | null;
}

export interface ResponseSnapshot {
  status?: string | null;
  error?: unknown;
  incomplete_details?: { reason?: string | null } | null;
  output?: OutputItem[] | null;
  usage?: ResponsesUsage | null;
  /** Changes that the server made to the input, such as thoughts that it left out. */
  input_transformations?: { type?: string; reason?: string }[] | null;
}

/** Some servers send numbers as strings. */
type TokenCount = number | string | null;

interface ResponsesUsage {
  input_tokens?: TokenCount;
  output_tokens?: TokenCount;
  input_tokens_details?: { cached_tokens?: TokenCount; cache_write_tokens?: TokenCount } | null;
  output_tokens_details?: { reasoning_tokens?: TokenCount } | null;
  /** USD: OpenRouter. */
  cost?: TokenCount;
}

/** Separates cached tokens from `input_tokens`, which include them. */
export function toTokens(usage: ResponsesUsage): Tokens {
  const cacheRead = count(usage.input_tokens_details?.cached_tokens);
  const cacheWrite = count(usage.input_tokens_details?.cache_write_tokens);
  return {
    input: Math.max(0, count(usage.input_tokens) - cacheRead - cacheWrite),
    output: count(usage.output_tokens),
    reasoning: count(usage.output_tokens_details?.reasoning_tokens),
    cacheRead,
    cacheWrite,
  };
}

export function toCost({ cost }: ResponsesUsage): number | undefined {
  return cost === undefined || cost === null ? undefined : count(cost);
}

/** Returns the text of a message, with refusals as they are worded. */
export function messageText({ content }: OutputItem): string {
  return (content ?? []).map((part) => part.text ?? part.refusal ?? "").join("");
}

export function isRefusal({ content }: OutputItem): boolean {
  return (content ?? []).some(({ type }) => type === "refusal");
}

/** Returns the summary of thoughts, or the thoughts themselves where a server sends them. */
export function thoughtText({ summary, content }: OutputItem): string {
  const texts = [summary, content].map((parts) => (parts ?? []).map(({ text }) => text ?? "").filter(Boolean));
  return (texts.find(({ length }) => length > 0) ?? []).join("\n\n");
}
