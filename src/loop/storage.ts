/** Interface to the record (spec R). */
import type { RecordedEvent } from "../chat/events.ts";

export interface Recorder {
  /** Adds an event, which is on disk at the latest when `flush` returns. */
  append(event: RecordedEvent): void;
  /** Afterwards all events survive the process; those that cannot be written are kept. @throws RecordError */
  flush(): void;
}

/** The record could not be written. `message` is a sentence for people, `next` what they can do. */
export class RecordError extends Error {
  override readonly name = "RecordError";
  readonly next: string;

  constructor(message: string, next: string, cause?: unknown) {
    super(message, { cause });
    this.next = next;
  }
}

export const noRecord: Recorder = { append() {}, flush() {} };

export interface SessionLock {
  /** Waits up to `timeout` ms. @throws IntakeError `session-locked`; the signal's reason on abort */
  acquire(runID: string, timeout: number, signal: AbortSignal): Promise<HeldLock>;
}

export interface HeldLock {
  caughtUp: RecordedEvent[];
  /** Never throws: a lock that cannot be removed expires. */
  release(): void;
  /** Aborted when another process has taken the session over. */
  lost: AbortSignal;
}

export const noLock: SessionLock = {
  acquire: async () => ({ caughtUp: [], release() {}, lost: new AbortController().signal }),
};

export interface Ledger {
  /** USD spent since local midnight, by all sessions of all processes. */
  today(): number;
  add(usd: number): void;
}

export const noLedger: Ledger = { today: () => 0, add() {} };
