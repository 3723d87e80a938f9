import type { Thinking } from "../../loop/model.ts";

/** Tokens to think with, for the models that want a number. */
const budgets = { low: 4_000, medium: 12_000, high: 24_000 };

/** A level, for the models that want one; undefined when nothing is asked for. A number becomes the level it suffices for. */
export function effortOf(thinking: Thinking): keyof typeof budgets | undefined {
  if (thinking === "default" || thinking === "off") return undefined;
  if (typeof thinking === "string") return thinking;
  if (thinking.budgetTokens < budgets.medium) return "low";
  return thinking.budgetTokens < budgets.high ? "medium" : "high";
}

/** A number, for the models that want one; undefined when nothing is asked for. */
export function budgetOf(thinking: Thinking): number | undefined {
  if (thinking === "default" || thinking === "off") return undefined;
  return typeof thinking === "string" ? budgets[thinking] : thinking.budgetTokens;
}
