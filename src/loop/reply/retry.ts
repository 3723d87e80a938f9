/** Decides which failures are tried again, and when (spec H2, H3). */
import type { ModelError, ModelErrorKind } from "../model.ts";

const retryableKinds: readonly ModelErrorKind[] = ["network", "rate-limit", "overloaded", "server"];

export function isRetryable({ kind, shouldRetry }: ModelError): boolean {
  return kind !== "aborted" && (shouldRetry ?? retryableKinds.includes(kind));
}

/** Longest wait that Rondo chooses by itself, in ms; a server may ask for more (H3). */
const longest = 60_000;

/** Longest time that a timer can take, in ms; beyond it, timers fire at once. */
const longestTimer = 2 ** 31 - 1;

/** ms until try number `attempt` + 1, counting from 1. The jitter keeps many clients from returning at once. */
export function retryDelay(attempt: number, backoff: number, error: ModelError): number {
  if (error.retryAfterMs !== undefined) return Math.min(error.retryAfterMs, longestTimer);
  return Math.min(backoff * 2 ** (attempt - 1) + Math.random() * Math.min(1000, backoff), longest);
}
