/** Time in a turn: working time, and delays before retries. */

import { english } from "../../l10n/l10n.ts";

/** Maximum delay of a timer, in ms; beyond it, timers fire at once. */
const longestTimer = 2 ** 31 - 1;

/** The limit of working time was reached: the reason with which the turn's signal is aborted (L1). */
export class OverTime extends Error {
  override readonly name = "OverTime";
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(english("The turn reached its time limit"));
    this.limitMs = limitMs;
  }
}

interface WorkingClock {
  untimed<T>(wait: () => Promise<T>): Promise<T>;
  stop(): void;
}

/** Counts time without waits for the user; concurrent waits count once. Calls `onLimit` once when `limitMs` are over. */
export function workingClock(limitMs: number, onLimit: () => void): WorkingClock {
  let worked = 0;
  let waits = 0;
  let from = Date.now();
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const run = () => {
    from = Date.now();
    timer = setTimeout(onLimit, Math.min(Math.max(0, limitMs - worked), longestTimer));
  };
  const hold = () => {
    clearTimeout(timer);
    worked += Date.now() - from;
  };
  run();
  return {
    async untimed(wait) {
      if (waits++ === 0) hold();
      try {
        return await wait();
      } finally {
        if (--waits === 0 && !isOver) run();
      }
    },
    stop() {
      isOver = true;
      clearTimeout(timer);
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
