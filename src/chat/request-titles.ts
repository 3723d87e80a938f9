import { never } from "./never.ts";
import type { BudgetRequest, UserRequest } from "./requests.ts";

export const loopTitle = "The model repeats itself. Continue?";
export const planTitle = "The plan is ready.";

export function budgetTitle(request: BudgetRequest): string {
  switch (request.scope) {
    case "session":
      return `This session has cost $${request.spentUsd.toFixed(2)}. Continue?`;
    case "day":
      return `Today's sessions have cost $${request.spentUsd.toFixed(2)}. Continue?`;
    case "tokens":
      return `This session has used ${request.spentTokens.toLocaleString("en")} tokens. Continue?`;
    case "price":
      return `The price of ${request.model} is unknown. Continue without a budget?`;
    default:
      return never(request);
  }
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
