/** Names of snapshots: later ones sort later. */
import { randomBytes } from "node:crypto";

export function newSnapshot(): string {
  return `${firstSnapshotAt(Date.now())}${randomBytes(8).toString("hex")}`;
}

/** Sorts before all that are made at this time, in ms since 1970. */
export function firstSnapshotAt(time: number): string {
  return `snp_${time.toString(36).padStart(9, "0")}`;
}
