/** Money: what a session has cost, and where it ends (spec B). One answer for the loop, the panel and the list. */
import type { Entry } from "./apply.ts";
import type { Ledger } from "./store.ts";

/** USD. `partial`: at least one reply is left out, since its price is not known (B1). */
export interface Spent {
  usd: number;
  partial: boolean;
}

export function costOfSession(entries: readonly Entry[]): Spent {
  let usd = 0;
  let partial = false;
  for (const { info } of entries) {
    if (info.role !== "assistant") continue;
    if (info.cost !== undefined) usd += info.cost;
    else if (info.tokens.input + info.tokens.output + info.tokens.cacheRead + info.tokens.cacheWrite > 0)
      partial = true;
  }
  return { usd, partial };
}

interface BudgetOptions {
  /** What the session had cost when it was opened, its subagents included. */
  before: number;
  ledger: Ledger;
  limits(): { maxBudgetUsd: number | undefined; maxDailyBudgetUsd: number | undefined };
  /** Asks the user whether to go on; `undefined` where nobody can answer. */
  ask: ((question: string, signal: AbortSignal) => Promise<boolean>) | undefined;
}

/** The purse of a session and all its subagents (B2). */
export class Budget {
  readonly #options: BudgetOptions;
  #spent: number;
  /** What the user has allowed beyond the limits, USD. */
  #more = { session: 0, day: 0 };

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#spent = options.before;
  }

  get spent(): number {
    return this.#spent;
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
