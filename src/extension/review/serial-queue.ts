/** Runs tasks one after another. */
import { deferred } from "../../loop/session/deferred.ts";

export class SerialQueue {
  /** Ends with the last task; undefined: none runs. */
  #last: Promise<void> | undefined;

  /** Runs a task after those before it, whether or not they fail: at once if there is none. */
  async run<T>(task: () => T | Promise<T>): Promise<T> {
    const earlier = this.#last;
    const { promise, resolve } = deferred<void>();
    this.#last = promise;
    try {
      if (earlier) await earlier;
      return await task();
    } finally {
      if (this.#last === promise) this.#last = undefined;
      resolve();
    }
  }
}
