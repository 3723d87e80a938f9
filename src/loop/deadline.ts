/** The end of a call's time: with the turn, or when its own limit is reached (spec T4, L11). */

/** ms that a tool has to come back with what it did, once its signal is aborted; after that nobody waits for it. */
const grace = 1_000;

export class Deadline {
  readonly #controller = new AbortController();
  readonly #turn: AbortSignal;
  readonly #stop = () => this.#controller.abort(this.#turn.reason);
  #timer: NodeJS.Timeout | undefined;

  constructor(turn: AbortSignal) {
    this.#turn = turn;
    turn.addEventListener("abort", this.#stop, { once: true });
    if (turn.aborted) this.#stop();
  }

  /** For the tool: aborted with the turn, or when time is up. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on the call has `ms`; `sentence` is what it then fails with. */
  limit(ms: number, sentence: Error): void {
    this.#timer = setTimeout(() => this.#controller.abort(sentence), ms);
  }

  /** Settles with `work`; soon after the abort in any case. @throws the signal's reason */
  async guard<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    let timer: NodeJS.Timeout | undefined;
    let giveUp = () => {};
    const given = new Promise<never>((_, reject) => {
      giveUp = () => {
        timer = setTimeout(() => reject(signal.reason), grace);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      if (signal.aborted) giveUp();
    });
    try {
      return await Promise.race([work, given]);
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
