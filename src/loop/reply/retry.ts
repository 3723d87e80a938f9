/** Decides which failures are retried, and when (spec H2, H3). */
import type { ModelError, ModelErrorKind } from "../model.ts";

const retryableKinds: readonly ModelErrorKind[] = ["network", "rate-limit", "overloaded", "server"];

export function isRetryable({ kind, shouldRetry }: ModelError): boolean {
  return kind !== "aborted" && (shouldRetry ?? retryableKinds.includes(kind));
}

/** Maximum delay chosen by Rondo, in ms; a server may ask for more (H3). */
const longest = 60_000;

/** Maximum delay of a timer, in ms; beyond it, timers fire at once. */
const longestTimer = 2 ** 31 - 1;

/** Returns the delay in ms after attempt number `attempt`, from 1. Jitter spreads the retries of many clients. */
export function retryDelay(attempt: number, backoff: number, error: ModelError): number {
  if (error.retryAfterMs !== undefined) return Math.min(error.retryAfterMs, longestTimer);
  return Math.min(backoff * 2 ** (attempt - 1) + Math.random() * Math.min(1000, backoff), longest);
}
