/** Ends a call with the turn, or at its own time limit (spec T4, L11). */
import { deferred } from "../session/deferred.ts";

/** Time in ms for an aborted tool to return: less in a subagent, whose calls end before the parent's. */
const grace = 1_000;
const graceLessPerDepth = 100;

export class Deadline {
  readonly #controller = new AbortController();
  readonly #turn: AbortSignal;
  readonly #stop = () => this.#controller.abort(this.#turn.reason);
  readonly #grace: number;
  #timer: NodeJS.Timeout | undefined;

  /** `depth`: 0 for the session's own agent. */
  constructor(turn: AbortSignal, depth: number) {
    this.#turn = turn;
    this.#grace = grace - depth * graceLessPerDepth;
    turn.addEventListener("abort", this.#stop);
    if (turn.aborted) this.#stop();
  }

  /** Aborted with the turn, or when time is up. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Gives the call `ms`, after which it fails with the message `sentence`. */
  limit(ms: number, sentence: Error): void {
    this.#timer = setTimeout(() => this.#controller.abort(sentence), ms);
  }

  /** Settles with `work`; soon after the abort in any case. @throws the signal's reason */
  async guard<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    const given = deferred<never>();
    let timer: NodeJS.Timeout | undefined;
    const giveUp = () => {
      timer = setTimeout(() => given.reject(signal.reason), this.#grace);
    };
    signal.addEventListener("abort", giveUp);
    if (signal.aborted) giveUp();
    try {
      return await Promise.race([work, given.promise]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#turn.removeEventListener("abort", this.#stop);
  }
}
