/** What a query, or one prompt of it, took: tokens, money and replies (spec B1, K2, K3). */

import { type AssistantMessage, noTokens, type Tokens } from "../chat/message.ts";
import { windowOf } from "../loop/setup/model-catalog.ts";
import type { Limits } from "../loop/turn.ts";
import { toUsage } from "./stream-events.ts";
import type { ModelUsage, Usage } from "./types.ts";

export class Totals {
  /** Replies to the session's own agent. */
  turns = 0;
  /** ms that models were waited for. */
  apiMs = 0;
  #tokens = noTokens;
  #cost: number | undefined = 0;
  readonly #models = new Map<string, { tokens: Tokens; cost: number | undefined; contextWindow: number }>();

  /** `limits` say what the model's window is where it is not known. */
  add({ model, tokens, cost, createdAt, completedAt = createdAt }: AssistantMessage, limits: Limits): void {
    this.apiMs += completedAt - createdAt;
    this.#tokens = plus(this.#tokens, tokens);
    this.#cost = sum(this.#cost, cost);
    const before = this.#models.get(model.modelID);
    this.#models.set(model.modelID, {
      tokens: plus(before?.tokens ?? noTokens, tokens),
      cost: sum(before ? before.cost : 0, cost),
      contextWindow: windowOf(model, limits),
    });
  }

  get usage(): Usage {
    return toUsage(this.#tokens);
  }

  /** USD; null: a price is not known. */
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

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

function plus(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}
