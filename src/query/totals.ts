/** Sums up a query or one of its prompts: tokens, cost and replies (spec B1, K2, K3). */
import type { AssistantMessage, ModelRef, Tokens } from "../chat/message.ts";
import { addSpent, type Charge, nothingSpent, spentOn } from "../chat/spent.ts";
import { noTokens } from "../chat/token-counts.ts";
import type { FactSource } from "../loop/setup/model-facts.ts";
import type { KnownCost, ModelUsage, TokenUsage } from "./query-types.ts";
import { toUsage } from "./stream-events.ts";

export class Totals {
  /** Replies of the model to the session's own agent, without those to subagents. */
  turns = 0;
  apiMs = 0;
  #tokens = noTokens;
  #isPriced = true;
  #spent = nothingSpent;
  readonly #models = new Map<string, { tokens: Tokens; cost: number | undefined; contextWindow: number }>();

  add({ createdAt, completedAt = createdAt, ...message }: AssistantMessage, facts: FactSource): void {
    this.apiMs += completedAt - createdAt;
    this.charge(message, facts);
  }

  charge({ model, ...charge }: Charge & { model: ModelRef }, facts: FactSource): void {
    const { tokens, cost } = charge;
    this.#tokens = addTokens(this.#tokens, tokens);
    this.#spent = addSpent(this.#spent, spentOn(charge));
    if (cost === undefined) this.#isPriced = false;
    const before = this.#models.get(model.modelID);
    this.#models.set(model.modelID, {
      tokens: addTokens(before?.tokens ?? noTokens, tokens),
      cost: addCost(before ? before.cost : 0, cost),
      contextWindow: facts.of(model).contextWindow,
    });
  }

  get usage(): TokenUsage {
    return toUsage(this.#tokens);
  }

  /** USD; null when a price is not known. */
  get costUsd(): number | null {
    return this.#isPriced ? this.#spent.usd : null;
  }

  /** Also where a price is not known: then of the rest. */
  get knownCost(): KnownCost {
    const { usd, partial, estimated } = this.#spent;
    return { usd, partial, estimated };
  }

  get modelUsage(): Record<string, ModelUsage> {
    const entries = [...this.#models].map(([id, { tokens, cost, contextWindow }]): [string, ModelUsage] => [
      id,
      {
        inputTokens: tokens.input,
        outputTokens: tokens.output,
        cacheReadInputTokens: tokens.cacheRead,
        cacheCreationInputTokens: tokens.cacheWrite,
        webSearchRequests: 0,
        costUSD: cost ?? null,
        contextWindow,
      },
    ]);
    return Object.fromEntries(entries);
  }
}

function addCost(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}
