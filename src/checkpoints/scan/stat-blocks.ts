/** Files are looked at block by block; whoever is free takes the next one. */
import { lstatSync } from "node:fs";

/** Numbers of a stamp in the table: size, mtime, ctime, ino, mode (0: not there). */
export const fields = 5;

const blockSize = 512;

/** The first slot of the next block that nobody has taken. */
export const block = (next: SharedArrayBuffer): number => Atomics.add(new Int32Array(next), 0, 1) * blockSize;

/** The slots of the block at `from` whose files do not look as the table says. */
export function changedIn(from: number, size: number, names: readonly string[], stamps: Float64Array): number[] {
  const changed: number[] = [];
  for (let slot = from; slot < Math.min(from + blockSize, size); slot++) {
    const name = names[slot];
    if (name && !isAsBefore(name, stamps, slot * fields)) changed.push(slot);
  }
  return changed;
}

function isAsBefore(name: string, stamps: Float64Array, at: number): boolean {
  try {
    const stats = lstatSync(name, { throwIfNoEntry: false });
    if (!stats) return stamps[at + 4] === 0;
    return (
      stats.mtimeMs === stamps[at + 1] &&
      stats.ctimeMs === stamps[at + 2] &&
      stats.size === stamps[at] &&
      stats.ino === stamps[at + 3] &&
      stats.mode === stamps[at + 4]
    );
  } catch {
    return stamps[at + 4] === 0;
  }
}
