import { never } from "./never.ts";
import type { BudgetRequest, UserRequest } from "./requests.ts";

export const loopTitle = "The model repeats itself. Continue?";
export const planTitle = "The plan is ready.";

export function budgetTitle({ scope, spentUsd }: Pick<BudgetRequest, "scope" | "spentUsd">): string {
  const spender = scope === "session" ? "This session has" : "Today's sessions have";
  return `${spender} cost $${spentUsd.toFixed(2)}. Continue?`;
}

export function titleOf(request: UserRequest): string {
  switch (request.kind) {
    case "permission":
      return request.title;
    case "choices":
      return questionsTitle(request.questions.map(({ question }) => question));
    case "plan":
      return planTitle;
    case "budget":
      return budgetTitle(request);
    case "loop":
      return loopTitle;
    default:
      return never(request);
  }
}

function questionsTitle(questions: readonly string[]): string {
  return questions.length === 1 ? questions.join() : `Rondo asks ${questions.length} things. ${questions.join(" ")}`;
}
