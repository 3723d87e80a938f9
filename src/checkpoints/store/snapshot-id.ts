/** Ids of snapshots. Later ids sort later. */
import { randomBytes } from "node:crypto";

export function newSnapshotID(): string {
  return `${firstSnapshotIDAt(Date.now())}${randomBytes(8).toString("hex")}`;
}

/** Returns an id that sorts before all ids of this time. */
export function firstSnapshotIDAt(timeMs: number): string {
  return `snp_${timeMs.toString(36).padStart(9, "0")}`;
}
