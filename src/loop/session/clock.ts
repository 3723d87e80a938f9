/** Time in a turn: working time, and delays before retries. */

/** Counts time without waits for the user; concurrent waits count once. */
export function workingClock(): { elapsed(): number; untimed<T>(wait: () => Promise<T>): Promise<T> } {
  const started = Date.now();
  let waited = 0;
  let waits = 0;
  let from = 0;
  return {
    elapsed: () => Date.now() - started - waited - (waits > 0 ? Date.now() - from : 0),
    async untimed(wait) {
      if (waits++ === 0) from = Date.now();
      try {
        return await wait();
      } finally {
        if (--waits === 0) waited += Date.now() - from;
      }
    },
  };
}

/** `wake` ends the current pause, if any. */
export interface Sleeper {
  wake: (() => void) | undefined;
}

/** Resolves after `ms`, or when it is woken. Rejects with the signal's reason on abort. */
export function pause(ms: number, sleeper: Sleeper, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (complete: () => void) => () => {
      clearTimeout(timer);
      sleeper.wake = undefined;
      signal.removeEventListener("abort", stop);
      complete();
    };
    const stop = done(() => reject(signal.reason));
    const wake = done(resolve);
    const timer = setTimeout(wake, ms);
    sleeper.wake = wake;
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}
