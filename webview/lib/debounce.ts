/** In ms: how long the typing must rest before the host is asked. */
const rest = 150;

/** Does the newest of what it is given, once nothing new has come for a moment. */
export class Debounce {
  #timer = 0;

  run(work: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(work, rest);
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }
}
