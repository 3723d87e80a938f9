/** An unbounded queue between a producer that never waits and a consumer that reads at its own pace. */
import { deferred } from "../loop/session/deferred.ts";

export class Mailbox<T> {
  #waiting: T[] = [];
  /** Index of the next unread value in `#waiting`. */
  #next = 0;
  readonly #readers: PromiseWithResolvers<IteratorResult<T, void>>[] = [];
  #end: { error: unknown } | "ended" | undefined;

  put(value: T): void {
    if (this.#end) return;
    const reader = this.#readers.shift();
    if (reader) reader.resolve({ done: false, value });
    else this.#waiting.push(value);
  }

  /** Ends the queue. Values put in before can still be read. */
  end(): void {
    this.#finish("ended");
  }

  /** Ends the queue; after the last value, one read rejects with the error. */
  fail(error: unknown): void {
    this.#finish({ error });
  }

  get isEmpty(): boolean {
    return this.#next === this.#waiting.length;
  }

  [Symbol.asyncIterator](): AsyncIterator<T, void> {
    return { next: () => this.read() };
  }

  clear(): void {
    this.#waiting = [];
    this.#next = 0;
  }

  async read(): Promise<IteratorResult<T, void>> {
    if (this.#next < this.#waiting.length) return { done: false, value: this.#take() };
    const end = this.#end;
    if (end === undefined) {
      const reader = deferred<IteratorResult<T, void>>();
      this.#readers.push(reader);
      return await reader.promise;
    }
    if (end === "ended") return { done: true, value: undefined };
    this.#end = "ended";
    throw end.error;
  }

  #take(): T {
    // In range: `read` has checked.
    const value = this.#waiting[this.#next++] as T;
    if (this.#next === this.#waiting.length) this.clear();
    return value;
  }

  #finish(end: { error: unknown } | "ended"): void {
    if (this.#end) return;
    this.#end = end;
    for (const { resolve, reject } of this.#readers.splice(0)) this.read().then(resolve, reject);
  }
}
