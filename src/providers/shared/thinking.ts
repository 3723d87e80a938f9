import type { Thinking } from "../../loop/model.ts";

/** Thinking budgets in tokens, for models that expect a number. */
const budgets = { low: 4_000, medium: 12_000, high: 24_000 };

/** Returns the effort level, for models that expect one; undefined if none is requested. */
export function effortOf(thinking: Thinking): keyof typeof budgets | undefined {
  if (thinking === "default" || thinking === "off") return undefined;
  if (typeof thinking === "string") return thinking;
  if (thinking.budgetTokens < budgets.medium) return "low";
  return thinking.budgetTokens < budgets.high ? "medium" : "high";
}

/** Returns the budget in tokens, for models that expect one; undefined if none is requested. */
export function budgetOf(thinking: Thinking): number | undefined {
  if (thinking === "default" || thinking === "off") return undefined;
  return typeof thinking === "string" ? budgets[thinking] : thinking.budgetTokens;
}
