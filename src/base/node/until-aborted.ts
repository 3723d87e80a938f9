/** Waits that an abort ends early. */
import { once } from "node:events";

/** Resolves when `work` has ended or `signal` is aborted. Rejects if `work` does. */
export async function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const ended = new AbortController();
  const aborted = once(signal, "abort", { signal: ended.signal }).catch(() => {});
  await Promise.race([work, aborted]).finally(() => ended.abort());
}

/** Returns the result of `work`. @throws the signal's reason as soon as it is aborted */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  await untilAborted(work, signal);
  signal.throwIfAborted();
  return await work;
}
