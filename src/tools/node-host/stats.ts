import { type Stats, statSync } from "node:fs";

/** Undefined also for what may not be looked at. */
export function statsOf(place: string): Stats | undefined {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
