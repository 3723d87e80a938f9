import { monotonicFactory } from "ulid";

type Prefix = "ses" | "msg" | "prt" | "per" | "run";

let next: (() => string) | undefined;

/** A `prefix_ULID`; of two ids made in one process the later one sorts later (D1). */
export function newID(prefix: Prefix): string {
  // Nobody must be kept from guessing an id, and the library's own randomness asks the system for each letter.
  next ??= monotonicFactory(Math.random);
  return `${prefix}_${next()}`;
}
