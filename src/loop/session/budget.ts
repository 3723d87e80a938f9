/** Costs, tokens and budgets of a session (spec B), for the loop, the panel and the session list. */

import type { Chat } from "../../chat/apply.ts";
import type { AnswerTo, BudgetRequest } from "../../chat/requests.ts";
import { addSpent, nothingSpent, type Spent, spentOnEntries } from "../../chat/spent.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import { nameOfModel } from "../setup/model-facts.ts";
import type { Ledger } from "../storage.ts";

/** Messages that a rewind removed count too. */
export function costOfSession({ messages, setAside, charged }: Chat): Spent {
  return addSpent(charged, addSpent(spentOnEntries(messages), spentOnEntries(setAside)));
}

type WithoutIDs<R> = R extends unknown ? Omit<R, "id" | "sessionID" | "kind"> : never;
export type ReachedLimit = WithoutIDs<BudgetRequest>;

interface BudgetOptions {
  ledger: Ledger;
  limits(): {
    maxBudgetUsd: number | undefined;
    maxDailyBudgetUsd: number | undefined;
    maxBudgetTokens: number | undefined;
  };
  /** Asks the user whether to continue; undefined if nobody can answer. */
  ask: ((reached: ReachedLimit, signal: AbortSignal) => Promise<AnswerTo<BudgetRequest>>) | undefined;
}

type Scope = "session" | "day" | "tokens";

export class Budget {
  readonly #options: BudgetOptions;
  #spent = nothingSpent;
  /** USD or tokens that the user has allowed beyond the limits. */
  readonly #more: Record<Scope, number> = { session: 0, day: 0, tokens: 0 };
  /** Models that the user has allowed without a known price. */
  readonly #unpriced = new Set<string>();
  #finishes = false;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  begin(spent: Spent): void {
    this.#spent = spent;
    this.#finishes = false;
  }

  /** Whether the user lets the turn finish the step that runs: the next reply is its last one, also of its subagents. */
  get finishes(): boolean {
    return this.#finishes;
  }

  add(spent: Spent): void {
    this.#spent = addSpent(this.#spent, spent);
    if (spent.usd > 0) this.#options.ledger.add(spent.usd);
  }

  /** Whether the turn may continue: asks the user when a limit is reached. Rejects with the signal's reason. */
  async allows(signal: AbortSignal): Promise<boolean> {
    const { maxBudgetUsd, maxDailyBudgetUsd, maxBudgetTokens } = this.#options.limits();
    return (
      (await this.#isWithin("session", this.#spent.usd, maxBudgetUsd, signal)) &&
      // Without a limit the ledger, a file, is not looked at: this runs at each step.
      (maxDailyBudgetUsd === undefined ||
        (await this.#isWithin("day", this.#options.ledger.today(), maxDailyBudgetUsd, signal))) &&
      (await this.#isWithin("tokens", this.#spent.tokens, maxBudgetTokens, signal))
    );
  }

  /**
   * Whether a model may be used: a budget in USD cannot hold for a model of unknown price. Asks the user, once per model;
   * `refused` if nobody can answer.
   */
  async allowsModel(
    { model, facts }: Pick<AgentConfig, "model" | "facts">,
    signal: AbortSignal,
  ): Promise<"allowed" | "stopped" | "refused"> {
    const { maxBudgetUsd, maxDailyBudgetUsd } = this.#options.limits();
    const limitUsd = maxBudgetUsd ?? maxDailyBudgetUsd;
    const name = nameOfModel(model);
    if (limitUsd === undefined || facts.price || this.#unpriced.has(name)) return "allowed";
    const { ask } = this.#options;
    if (!ask) return "refused";
    if ((await ask({ scope: "price", model: name, limitUsd }, signal)).type !== "continue") return "stopped";
    this.#unpriced.add(name);
    return "allowed";
  }

  isLimited(): boolean {
    const { maxBudgetUsd, maxDailyBudgetUsd, maxBudgetTokens } = this.#options.limits();
    return [maxBudgetUsd, maxDailyBudgetUsd, maxBudgetTokens].some((limit) => limit !== undefined);
  }

  /** Whether a request that the user has not asked for may be sent: nobody is asked about it. */
  permits({ model, facts }: Pick<AgentConfig, "model" | "facts">): boolean {
    const { maxBudgetUsd, maxDailyBudgetUsd, maxBudgetTokens } = this.#options.limits();
    const hasLimit = maxBudgetUsd !== undefined || maxDailyBudgetUsd !== undefined;
    if (hasLimit && !facts.price && !this.#unpriced.has(nameOfModel(model))) return false;
    const isBelow = (scope: Scope, spent: number, limit = Number.POSITIVE_INFINITY) =>
      spent < limit + this.#more[scope];
    return (
      isBelow("session", this.#spent.usd, maxBudgetUsd) &&
      isBelow("day", maxDailyBudgetUsd === undefined ? 0 : this.#options.ledger.today(), maxDailyBudgetUsd) &&
      isBelow("tokens", this.#spent.tokens, maxBudgetTokens)
    );
  }

  /** Without a number, "Continue" raises the limit to the amount spent plus the limit. */
  async #isWithin(scope: Scope, spent: number, limit: number | undefined, signal: AbortSignal): Promise<boolean> {
    if (limit === undefined || this.#finishes || spent < limit + this.#more[scope]) return true;
    const next = spent + Math.max(limit, scope === "tokens" ? 1000 : 0.01);
    const reached: ReachedLimit =
      scope === "tokens"
        ? { scope, spentTokens: spent, limitTokens: limit, nextLimitTokens: next }
        : { scope, spentUsd: spent, limitUsd: limit, nextLimitUsd: next };
    const answer = await this.#options.ask?.(reached, signal);
    if (!answer || answer.type === "stop") return false;
    if (answer.type === "finish") this.#finishes = true;
    else {
      const raised = answer.limit === "none" ? Number.POSITIVE_INFINITY : (answer.limit ?? next);
      this.#more[scope] = Math.max(this.#more[scope], raised - limit);
    }
    return true;
  }
}
