/** Calls `run` at once, then at most once per `interval` ms, and once after the last call. */
export class Throttle {
  readonly #interval: number;
  readonly #run: () => void;
  #ranAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(interval: number, run: () => void) {
    this.#interval = interval;
    this.#run = run;
  }

  call(): void {
    if (this.#timer) return;
    const wait = this.#ranAt + this.#interval - performance.now();
    if (wait <= 0) this.#now();
    else this.#timer = setTimeout(() => this.#now(), wait);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #now(): void {
    this.#timer = undefined;
    this.#ranAt = performance.now();
    this.#run();
  }
}
