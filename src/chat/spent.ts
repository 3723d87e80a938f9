/** Sums up the cost of replies, including those that are no longer in the conversation. */
import type { Message, Part, Tokens } from "./message.ts";

export interface Spent {
  usd: number;
  /** Of all kinds, subagents included. */
  tokens: number;
  /** Whether something is left out because its price is not known (B1). */
  partial: boolean;
  /** Whether some of it is an estimate: a server did not say what a reply took. */
  estimated: boolean;
}

export const nothingSpent: Spent = { usd: 0, tokens: 0, partial: false, estimated: false };

export function addSpent(a: Spent, b: Spent): Spent {
  return {
    usd: a.usd + b.usd,
    tokens: a.tokens + b.tokens,
    partial: a.partial || b.partial,
    estimated: a.estimated || b.estimated,
  };
}

export interface Charge {
  tokens: Tokens;
  cost?: number | undefined;
  estimated?: boolean | undefined;
}

export function spentOn({ tokens: { input, output, cacheRead, cacheWrite }, cost, estimated = false }: Charge): Spent {
  const tokens = input + output + cacheRead + cacheWrite;
  return { usd: cost ?? 0, tokens, partial: cost === undefined && tokens > 0, estimated };
}

export function spentOnEntries(entries: readonly { info: Message; parts: readonly Part[] }[]): Spent {
  let spent = nothingSpent;
  for (const { info, parts } of entries) {
    if (info.role !== "assistant") continue;
    spent = parts.reduce((sum, part) => addSpent(sum, spentByChild(part)), addSpent(spent, spentOn(info)));
  }
  return spent;
}

function spentByChild(part: Part): Spent {
  if (part.type !== "tool" || part.state.status === "pending") return nothingSpent;
  const { childCost = 0, childTokens = 0, childPartial = false } = part.state.metadata ?? {};
  return { usd: childCost, tokens: childTokens, partial: childPartial, estimated: false };
}
