/** Starts something at its first use. A start that fails is forgotten, so that the next use starts it afresh. */
export class StartOnce<T> {
  readonly #start: () => Promise<T>;
  #started: Promise<T> | undefined;

  constructor(start: () => Promise<T>) {
    this.#start = start;
  }

  /** Uses at the same time share one start. Rejects as it does. */
  use(): Promise<T> {
    if (this.#started) return this.#started;
    const started = this.#start();
    this.#started = started;
    started.catch(() => {
      this.#started = undefined;
    });
    return started;
  }

  /** Returns what has been started; undefined if nothing has, or its start has failed. Never rejects. */
  async current(): Promise<T | undefined> {
    return await this.#started?.catch(() => undefined);
  }
}
