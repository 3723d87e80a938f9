/** Limits the bytes and messages that a server may send within a few seconds. */

const periodMs = 10_000;
const defaultLimits = { bytes: 128 * 1024 * 1024, messages: 50_000 };

export class FloodLimit {
  readonly #limits: typeof defaultLimits;
  #since = Date.now();
  #bytes = 0;
  #messages = 0;

  constructor(limits = defaultLimits) {
    this.#limits = limits;
  }

  /** Counts what was received. @returns whether the limit is exceeded */
  exceeds(bytes: number, messages: number): boolean {
    const now = Date.now();
    if (now - this.#since > periodMs) {
      this.#since = now;
      this.#bytes = 0;
      this.#messages = 0;
    }
    this.#bytes += bytes;
    this.#messages += messages;
    return this.#bytes > this.#limits.bytes || this.#messages > this.#limits.messages;
  }
}
