import { type Stats, statSync } from "node:fs";

/** Returns undefined if the path does not exist or may not be accessed. */
export function statsOf(place: string): Stats | undefined {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
