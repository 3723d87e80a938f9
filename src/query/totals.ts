/** Sums up a query or one of its prompts: tokens, cost and replies (spec B1, K2, K3). */
import { type AssistantMessage, noTokens, type Tokens } from "../chat/message.ts";
import type { Limits } from "../loop/limits.ts";
import { windowOf } from "../loop/setup/model-catalog.ts";
import type { ModelUsage, TokenUsage } from "./query-types.ts";
import { toUsage } from "./stream-events.ts";

export class Totals {
  /** Replies of the model to the session's own agent, without those to subagents. */
  turns = 0;
  apiMs = 0;
  #tokens = noTokens;
  #cost: number | undefined = 0;
  readonly #models = new Map<string, { tokens: Tokens; cost: number | undefined; contextWindow: number }>();

  /** `limits` give the context window of models that are not in the catalogue. */
  add({ model, tokens, cost, createdAt, completedAt = createdAt }: AssistantMessage, limits: Limits): void {
    this.apiMs += completedAt - createdAt;
    this.#tokens = addTokens(this.#tokens, tokens);
    this.#cost = addCost(this.#cost, cost);
    const before = this.#models.get(model.modelID);
    this.#models.set(model.modelID, {
      tokens: addTokens(before?.tokens ?? noTokens, tokens),
      cost: addCost(before ? before.cost : 0, cost),
      contextWindow: windowOf(model, limits),
    });
  }

  get usage(): TokenUsage {
    return toUsage(this.#tokens);
  }

  /** USD; null when a price is not known. */
  get costUsd(): number | null {
    return this.#cost ?? null;
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
