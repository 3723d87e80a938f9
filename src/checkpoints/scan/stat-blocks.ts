/** Checks files block by block. A thread that is free takes the next block. */
import { lstatSync } from "node:fs";
import { attempt } from "../../base/attempt.ts";

/** Number of fields of a stamp in the table: size, mtime, ctime, ino, mode (0 if the file is missing). */
export const fields = 5;

const blockSize = 512;

/** Returns the first slot of the next block. */
export const takeBlock = (next: SharedArrayBuffer): number => Atomics.add(new Int32Array(next), 0, 1) * blockSize;

/** Returns the slots of the block at `from` whose files differ from the table. */
export function changedIn(from: number, size: number, names: readonly string[], stamps: Float64Array): number[] {
  const changed: number[] = [];
  for (let slot = from; slot < Math.min(from + blockSize, size); slot++) {
    const name = names[slot];
    if (name && !isUnchanged(name, stamps, slot)) changed.push(slot);
  }
  return changed;
}

/** Whether the file of this slot has the stamp that is in the table. */
export function isUnchanged(name: string, stamps: Float64Array, slot: number): boolean {
  const at = slot * fields;
  const stats = attempt(() => lstatSync(name, { throwIfNoEntry: false }), undefined);
  if (!stats) return stamps[at + 4] === 0;
  return (
    stats.mtimeMs === stamps[at + 1] &&
    stats.ctimeMs === stamps[at + 2] &&
    stats.size === stamps[at] &&
    stats.ino === stamps[at + 3] &&
    stats.mode === stamps[at + 4]
  );
}
