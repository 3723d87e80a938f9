/** Replays of sessions that were only looked at: one that is shown again need not be read again. */
import { statSync } from "node:fs";
import type { Replay } from "../../record/replay.ts";

/** Bytes of their records together. A chat takes about as much memory as its record. */
const mostBytes = 32 << 20;

/** A replay, with what the record was like before it was read. */
export interface ReadRecord extends Replay {
  record: { size: number; stamp: string };
}

export class KeptReplays {
  /** By the path of the record; the oldest first. */
  readonly #kept = new Map<string, ReadRecord>();

  /** Returns the replay of the record, from which `read` makes it where none is kept or the file has changed. */
  take(path: string, read: () => Replay): ReadRecord {
    const kept = this.#kept.get(path);
    this.#kept.delete(path);
    const record = stateOf(path);
    return kept && kept.record.stamp === record.stamp ? kept : { ...read(), record };
  }

  /** Keeps a replay whose chat is as it was read. The oldest ones make room for it. */
  keep(path: string, read: ReadRecord): void {
    this.#kept.delete(path);
    this.#kept.set(path, read);
    let bytes = 0;
    for (const [other, { record }] of [...this.#kept].reverse()) {
      bytes += record.size;
      if (bytes > mostBytes) this.#kept.delete(other);
    }
  }
}

/** An empty file for one that does not exist: the reading tells. */
function stateOf(path: string): ReadRecord["record"] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return { size: 0, stamp: "" };
  return { size: stats.size, stamp: `${stats.ino} ${stats.size} ${stats.mtimeMs}` };
}
