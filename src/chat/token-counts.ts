/** Sums of token counts. */
import type { Tokens } from "./message.ts";

export const noTokens: Tokens = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };

/** Returns all tokens of a reply in the context window; reasoning is counted in `output`. */
export function contextSize({ input, output, cacheRead, cacheWrite }: Tokens): number {
  return input + output + cacheRead + cacheWrite;
}
