/** Long work in small steps: done at once, or in slices between which other work runs. */

/** Work that yields after each small step. */
export type Steps<T> = Generator<undefined, T>;

const sliceMs = 20;
/** The clock is not asked more often. */
const stepsPerLook = 8;

/** Runs all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Runs the steps in slices. Rejects with the signal's reason when it aborts; the steps are then closed. */
export async function runInSlices<T>(steps: Steps<T>, signal: AbortSignal): Promise<T> {
  try {
    for (;;) {
      const end = performance.now() + sliceMs;
      do {
        for (let at = 0; at < stepsPerLook; at++) {
          const { done, value } = steps.next();
          if (done) return value;
        }
      } while (performance.now() < end);
      await new Promise((resume) => setTimeout(resume));
      signal.throwIfAborted();
    }
  } finally {
    // Types do not tell that closing steps early gives no result.
    steps.return(undefined as never);
  }
}
