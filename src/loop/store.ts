/** The record as the loop sees it (spec R). */
import type { RecordedEvent } from "./events.ts";

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
