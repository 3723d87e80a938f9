/** What a page and its worker tell each other. The worker does one job at a time. */

export interface WorkerJob<Input> {
  id: number;
  input: Input;
}

/** `failed`: with a sentence for people. */
export type WorkerAnswer<Output> =
  | { type: "ready" }
  | { type: "done"; id: number; output: Output }
  | { type: "failed"; id: number; message: string };

/** Thrown with a sentence for people. */
export class JobError extends Error {
  override readonly name = "JobError";
}

/**
 * Answers jobs in this worker. A library may throw anything; what is no `JobError` is answered with `otherwise`, since
 * its message may be long and about the library's inside.
 */
export function serve<Input, Output>(work: (input: Input) => Output, otherwise: (error: unknown) => string): void {
  const post = (answer: WorkerAnswer<Output>) => globalThis.postMessage(answer);
  globalThis.addEventListener("message", ({ data: { id, input } }: MessageEvent<WorkerJob<Input>>) => {
    try {
      post({ type: "done", id, output: work(input) });
    } catch (error) {
      post({ type: "failed", id, message: error instanceof JobError ? error.message : otherwise(error) });
    }
  });
  post({ type: "ready" });
}
