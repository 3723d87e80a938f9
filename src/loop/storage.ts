/** The record as the loop sees it (spec R). */
import type { RecordedEvent } from "../chat/events.ts";

export interface Recorder {
  /** Takes the event; it is on disk soon, and at the latest when `flush` returns. */
  append(event: RecordedEvent): void;
  /**
   * When it returns, all that was appended is with the operating system and outlives the process.
   * What could not be written is kept and tried again with the next flush.
   * @throws RecordError
   */
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

/** Leaves nothing on disk (R7). */
export const noRecord: Recorder = { append() {}, flush() {} };

/** Who runs a session, over windows and processes (Q1). */
export interface SessionLock {
  /**
   * Takes the lock, waiting up to `timeout` ms for another run to end, and renews it until it is released. `caughtUp` are
   * the events that others have recorded since this process last read the record: the chat must take them before it
   * goes on.
   * @throws IntakeError `session-locked`, with who holds it and since when; the signal's reason on abort
   */
  acquire(runID: string, timeout: number, signal: AbortSignal): Promise<HeldLock>;
}

export interface HeldLock {
  caughtUp: RecordedEvent[];
  /** Never throws: a lock that cannot be removed is let expire. */
  release(): void;
  /** Aborted when it was lost: somebody else has taken the session over. */
  lost: AbortSignal;
}

/** For sessions that nobody else can see (R7). */
export const noLock: SessionLock = {
  acquire: async () => ({ caughtUp: [], release() {}, lost: new AbortController().signal }),
};

/** What all sessions of a day have cost (B2). */
export interface Ledger {
  /** USD spent since local midnight, by all sessions of all processes. */
  today(): number;
  add(usd: number): void;
}

export const noLedger: Ledger = { today: () => 0, add() {} };
