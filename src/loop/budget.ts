/** Money: what a session has cost, and where it ends (spec B). One answer for the loop, the panel and the list. */
import type { Entry } from "../chat/apply.ts";
import { contextSize, type ToolPart } from "../chat/message.ts";
import type { Ledger } from "./storage.ts";

/** USD, subagents included. `partial`: at least one reply is left out, since its price is not known (B1). */
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

interface BudgetOptions {
  ledger: Ledger;
  limits(): { maxBudgetUsd: number | undefined; maxDailyBudgetUsd: number | undefined };
  /** Asks the user whether to go on; `undefined` where nobody can answer. */
  ask: ((question: string, signal: AbortSignal) => Promise<boolean>) | undefined;
}

/** The purse of a session and all its subagents (B2). */
export class Budget {
  readonly #options: BudgetOptions;
  #spent = 0;
  /** What the user has allowed beyond the limits, USD. */
  #more = { session: 0, day: 0 };

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** A turn begins in a session that has cost so much, in USD. */
  begin(spent: number): void {
    this.#spent = spent;
  }

  add(usd: number | undefined): void {
    if (usd === undefined || usd === 0) return;
    this.#spent += usd;
    this.#options.ledger.add(usd);
  }

  /** Whether the turn may go on: asks the user when a limit is reached and somebody is there. Rejects on abort. */
  async allows(signal: AbortSignal): Promise<boolean> {
    const { maxBudgetUsd, maxDailyBudgetUsd } = this.#options.limits();
    if (maxBudgetUsd !== undefined && this.#spent >= maxBudgetUsd + this.#more.session) {
      const question = `This session has cost $${this.#spent.toFixed(2)}; its budget is $${maxBudgetUsd.toFixed(2)}.`;
      if (!(await this.#ask(question, signal))) return false;
      this.#more.session = this.#spent - maxBudgetUsd + Math.max(maxBudgetUsd, 0.01);
    }
    if (maxDailyBudgetUsd === undefined) return true;
    const today = this.#options.ledger.today();
    if (today < maxDailyBudgetUsd + this.#more.day) return true;
    const question = `Today's sessions have cost $${today.toFixed(2)}; the budget of a day is $${maxDailyBudgetUsd.toFixed(2)}.`;
    if (!(await this.#ask(question, signal))) return false;
    this.#more.day = today - maxDailyBudgetUsd + Math.max(maxDailyBudgetUsd, 0.01);
    return true;
  }

  async #ask(question: string, signal: AbortSignal): Promise<boolean> {
    return (await this.#options.ask?.(question, signal)) ?? false;
  }
}
