/** Sessions with a real lock file. */
import type { HeldLock, SessionLock } from "../../src/loop/storage.ts";
import { lockPath, RecordLock } from "../../src/record/session-lock.ts";
import { Transcript } from "../../src/record/transcript.ts";
import type { Harness } from "../loop/harness.ts";

/** A session lock whose record is set later. */
export class LateLock implements SessionLock {
  #lock: RecordLock | undefined;

  tie(h: Harness): void {
    this.#lock = new RecordLock(h.transcript, { sessionID: h.chat.session.id, lockTimeoutMs: 900_000 });
  }

  async acquire(runID: string, timeout: number, signal: AbortSignal): Promise<HeldLock> {
    if (!this.#lock) throw new Error("the lock is not tied to a record yet");
    return await this.#lock.acquire(runID, timeout, signal);
  }
}

export function lockFileOf(h: Harness): string {
  return lockPath(h.transcript.path);
}

/** Takes the session's lock as another window would. */
export async function takeElsewhere(h: Harness): Promise<HeldLock> {
  const other = new RecordLock(new Transcript(h.transcript.path, () => {}), {
    sessionID: h.chat.session.id,
    lockTimeoutMs: 900_000,
  });
  return await other.acquire("run_elsewhere", 100, new AbortController().signal);
}
