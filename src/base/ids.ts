import { monotonicFactory } from "ulid";

type IDPrefix = "ses" | "msg" | "prt" | "per" | "run";

let next: (() => string) | undefined;

/** Returns a `prefix_ULID`. Within a process, later ids sort later (D1). */
export function newID(prefix: IDPrefix): string {
  // Ids need not be unguessable, and the library's own randomness calls the system for each letter.
  next ??= monotonicFactory(Math.random);
  return `${prefix}_${next()}`;
}
