/** Long work in slices, so that what is urgent gets its turn. */
import { setImmediate } from "node:timers/promises";

/** ms */
const slice = 8;

export class Pace {
  #since = performance.now();

  /** To be awaited often: waits only when a slice is over. */
  next(): Promise<void> | undefined {
    if (performance.now() - this.#since < slice) return undefined;
    return setImmediate().then(() => {
      this.#since = performance.now();
    });
  }
}
