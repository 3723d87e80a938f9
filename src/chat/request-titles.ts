import { never } from "../base/never.ts";
import { formatted, localizedTitle, t } from "../l10n/l10n.ts";
import type { BudgetRequest, UserRequest } from "./requests.ts";

export const loopTitle = t("The model repeats itself. Continue?");
export const planTitle = t("The plan is ready.");

const money = (usd: number) => formatted(Number(usd.toFixed(2)), { style: "currency", currency: "USD" });

export function budgetTitle(request: BudgetRequest): string {
  switch (request.scope) {
    case "session":
      return t("This session has cost {0}. Continue?", money(request.spentUsd));
    case "day":
      return t("Today's sessions have cost {0}. Continue?", money(request.spentUsd));
    case "tokens":
      return t("This session has used {0} tokens. Continue?", formatted(request.spentTokens));
    case "price":
      return t("The price of {0} is unknown. Continue without a budget?", request.model);
    default:
      return never(request);
  }
}

export function titleOf(request: UserRequest): string {
  switch (request.kind) {
    case "permission":
      return localizedTitle(request.title);
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
  return questions.length === 1
    ? questions.join()
    : t("Rondo asks {0} things. {1}", questions.length, questions.join(" "));
}
