import type { Thinking } from "../../loop/model.ts";

/** In tokens. */
const budgets = { low: 4_000, medium: 12_000, high: 24_000 };

export function effortOf(thinking: Thinking): keyof typeof budgets | undefined {
  if (thinking === "default" || thinking === "off") return undefined;
  if (typeof thinking === "string") return thinking;
  if (thinking.budgetTokens < budgets.medium) return "low";
  return thinking.budgetTokens < budgets.high ? "medium" : "high";
}

/** Undefined if no thinking is requested. */
export function budgetOf(thinking: Thinking): number | undefined {
  if (thinking === "default" || thinking === "off") return undefined;
  return typeof thinking === "string" ? budgets[thinking] : thinking.budgetTokens;
}
