/** More than anybody could want to read: bytes and messages within a few seconds. */

/** ms */
const period = 10_000;
const usual = { bytes: 128 * 1024 * 1024, messages: 50_000 };

export class Flood {
  readonly #most: typeof usual;
  #since = Date.now();
  #bytes = 0;
  #messages = 0;

  constructor(most = usual) {
    this.#most = most;
  }

  /** @returns whether it has become too much */
  take(bytes: number, messages: number): boolean {
    const now = Date.now();
    if (now - this.#since > period) {
      this.#since = now;
      this.#bytes = 0;
      this.#messages = 0;
    }
    this.#bytes += bytes;
    this.#messages += messages;
    return this.#bytes > this.#most.bytes || this.#messages > this.#most.messages;
  }
}
