/** The host is asked when the user has not typed for this time. */
const pauseMs = 150;

/** Runs only the newest work, after a pause. */
export class Debounce {
  #timer = 0;

  run(work: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(work, pauseMs);
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }
}
