/** Ids of snapshots. Later ids sort later. */
import { randomUUID } from "node:crypto";

export function newSnapshotID(): string {
  // Node draws random bytes for 128 of these at once. The first and last 8 digits are all random (RFC 9562, 5.4).
  const id = randomUUID();
  return `${firstSnapshotIDAt(Date.now())}${id.slice(0, 8)}${id.slice(-8)}`;
}

/** Returns an id that sorts before all ids of this time. */
export function firstSnapshotIDAt(timeMs: number): string {
  return `snp_${timeMs.toString(36).padStart(9, "0")}`;
}
