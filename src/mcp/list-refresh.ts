/** Lists again what a server says has changed: one list at a time, and less often the more often it changes. */
import { setTimeout as sleep } from "node:timers/promises";

/** Maximum wait before a list that changes all the time is read again. */
const maxDelayMs = 30_000;

export class ListRefresh {
  readonly #delayMs: number;
  readonly #list: (signal: AbortSignal) => Promise<void>;
  #running: Promise<void> | undefined;
  #isAsked = false;

  /** `list` never rejects. */
  constructor(delayMs: number, list: (signal: AbortSignal) => Promise<void>) {
    this.#delayMs = delayMs;
    this.#list = list;
  }

  request(signal: AbortSignal): void {
    this.#isAsked = true;
    this.#running ??= this.#run(signal).finally(() => {
      this.#running = undefined;
    });
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let wait = this.#delayMs; this.#isAsked; wait = Math.min(2 * wait, maxDelayMs)) {
      this.#isAsked = false;
      await sleep(wait, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await this.#list(signal);
    }
  }
}
