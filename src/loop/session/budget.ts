/** Costs of a session and its budgets (spec B), for the loop, the panel and the session list. */
import type { Entry } from "../../chat/apply.ts";
import { contextSize, type ToolPart } from "../../chat/message.ts";
import type { BudgetRequest } from "../../chat/requests.ts";
import type { Ledger } from "../storage.ts";

/** USD, including subagents. `partial`: some replies are not included, because their price is unknown (B1). */
export interface Spent {
  usd: number;
  partial: boolean;
}

export function costOfSession(entries: readonly Entry[]): Spent {
  let usd = 0;
  let partial = false;
  for (const { info, parts } of entries) {
    if (info.role !== "assistant") continue;
    for (const part of parts) if (part.type === "tool") usd += childCost(part);
    if (info.cost !== undefined) usd += info.cost;
    else if (contextSize(info.tokens) > 0) partial = true;
  }
  return { usd, partial };
}

function childCost({ state }: ToolPart): number {
  return state.status === "pending" ? 0 : (state.metadata?.childCost ?? 0);
}

export type ReachedLimit = Pick<BudgetRequest, "scope" | "spentUsd" | "limitUsd" | "nextLimitUsd">;

interface BudgetOptions {
  ledger: Ledger;
  limits(): { maxBudgetUsd: number | undefined; maxDailyBudgetUsd: number | undefined };
  /** Asks the user whether to continue; undefined if nobody can answer. */
  ask: ((reached: ReachedLimit, signal: AbortSignal) => Promise<boolean>) | undefined;
}

export class Budget {
  readonly #options: BudgetOptions;
  #spent = 0;
  /** USD that the user has allowed beyond the limits. */
  #more = { session: 0, day: 0 };

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  begin(spent: number): void {
    this.#spent = spent;
  }

  add(usd: number | undefined): void {
    if (usd === undefined || usd === 0) return;
    this.#spent += usd;
    this.#options.ledger.add(usd);
  }

  /** Whether the turn may continue: asks the user when a limit is reached. Rejects with the signal's reason. */
  async allows(signal: AbortSignal): Promise<boolean> {
    const { maxBudgetUsd, maxDailyBudgetUsd } = this.#options.limits();
    return (
      (await this.#isWithin("session", this.#spent, maxBudgetUsd, signal)) &&
      (await this.#isWithin("day", this.#options.ledger.today(), maxDailyBudgetUsd, signal))
    );
  }

  /** "Continue" raises the limit to the amount spent plus the limit. */
  async #isWithin(
    scope: ReachedLimit["scope"],
    spentUsd: number,
    limitUsd: number | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (limitUsd === undefined || spentUsd < limitUsd + this.#more[scope]) return true;
    const nextLimitUsd = spentUsd + Math.max(limitUsd, 0.01);
    if (!(await this.#options.ask?.({ scope, spentUsd, limitUsd, nextLimitUsd }, signal))) return false;
    this.#more[scope] = nextLimitUsd - limitUsd;
    return true;
  }
}
