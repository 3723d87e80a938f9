/** Splits long work into slices, so that urgent work runs in between. */
import { setImmediate } from "node:timers/promises";

const sliceMs = 8;

export class TimeSlices {
  #since = performance.now();

  /** Lets other work run if the current slice is over. Await it often. */
  yieldIfDue(): Promise<void> | undefined {
    if (performance.now() - this.#since < sliceMs) return undefined;
    return setImmediate().then(() => {
      this.#since = performance.now();
    });
  }
}
