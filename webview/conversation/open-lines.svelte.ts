/** What the user has opened and folded: rows of the log come and go, and are found again as they were left. */

const kept = new Map<string, KeptValue<unknown>>();
/** Incremented when values are set from outside of the components that show them. */
let sets = $state(0);

/** A value that outlives the component that shows it. */
export class KeptValue<T> {
  #value = $state.raw<T>() as T;
  readonly #key: string;

  constructor(key: string, initial: T) {
    this.#key = key;
    this.#value = initial;
  }

  get value(): T {
    return this.#value;
  }

  set value(value: T) {
    this.#value = value;
    kept.set(this.#key, this);
  }
}

/** Returns what was stored under this key before, or a new value. `key`: an id, and what of it. */
export function keptValue<T>(key: string, initial: T): KeptValue<T> {
  void sets;
  // A key names one place in one component, so the type is the same.
  return (kept.get(key) as KeptValue<T> | undefined) ?? new KeptValue(key, initial);
}

/** Sets a value as its component would, in the page or not. */
export function setKept(key: string, value: unknown): void {
  keptValue<unknown>(key, value).value = value;
  sets++;
}

/** Another session has other lines. */
export function forgetKept(): void {
  kept.clear();
}
