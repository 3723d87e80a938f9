import type { Part } from "../../chat/message.ts";
import type { ThinkingLevel } from "../../chat/thinking.ts";
import type { ModelRequest, Thinking } from "../../loop/model.ts";
import { effortName } from "../../loop/setup/topics.ts";

/** In tokens. */
const budgets = { low: 4_000, medium: 12_000, high: 24_000 };

export function levelOf(thinking: Thinking): ThinkingLevel {
  return typeof thinking === "string" ? thinking : (effortOf(thinking) ?? "default");
}

export function effortOf(thinking: Thinking): keyof typeof budgets | undefined {
  if (thinking === "default" || thinking === "off") return undefined;
  if (typeof thinking === "string") return thinking;
  if (thinking.budgetTokens < budgets.medium) return "low";
  return thinking.budgetTokens < budgets.high ? "medium" : "high";
}

/** Returns the thinking that a part tells of, for models that take its changes within the conversation. */
export function toldThinking(part: Part): Thinking | undefined {
  const told = part.type === "text" ? part.told?.[effortName] : undefined;
  if (told === undefined) return undefined;
  if (told === "") return "default";
  if (told === "off" || told === "low" || told === "medium" || told === "high") return told;
  return { budgetTokens: Number(told) };
}

/** Whether thinking was told within the conversation: it holds from there on, and in the head it would cost the cache. */
export function tellsThinking({ entries }: Pick<ModelRequest, "entries">): boolean {
  return entries.some(({ parts }) => parts.some((part) => toldThinking(part) !== undefined));
}

/** Undefined if no thinking is requested. */
export function budgetOf(thinking: Thinking): number | undefined {
  if (thinking === "default" || thinking === "off") return undefined;
  return typeof thinking === "string" ? budgets[thinking] : thinking.budgetTokens;
}
