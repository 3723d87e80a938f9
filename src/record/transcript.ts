/** The record of one session: an append-only file with one event per line, as JSON (spec R1–R4). */

import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { attempt } from "../base/attempt.ts";
import type { RecordedEvent } from "../chat/events.ts";
import { msg } from "../l10n/l10n.ts";
import { RecordError, type Recorder } from "../loop/storage.ts";
import { type Replay, readLines, recordVersion } from "./replay.ts";
import { toRecordError } from "./write-errors.ts";

/** Maximum time that a line waits in memory when nothing depends on it. */
const flushDelayMs = 100;
/** Interval at which lines of other processes are read, and at which writing is retried while they run the session. */
const pollIntervalMs = 250;
/** Number of tries before a write counts as failed (R4). */
const maxTries = 3;

/** Calls `write` while no other process may write. Returns false if another process may. */
type WriteGuard = (write: () => void) => boolean;

/** Appends events to one record, and reads events that other processes appended. */
export class Transcript implements Recorder {
  readonly path: string;
  #file: OpenFile | undefined;
  /** Number of bytes that this process has read or written. */
  #known: number;
  /** Events of other processes that were read before a write and that `catchUp` has not yet returned. */
  #missed: RecordedEvent[] = [];
  /** Lines that are not written yet. They stay here when a write fails. */
  #waiting: string[] = [];
  /** Collects streamed text until another event arrives, so that it becomes one line instead of hundreds. */
  #delta: Extract<RecordedEvent, { type: "delta" }> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #onError: (error: RecordError) => void;
  /** Whether `onError` was called for the current failure. */
  #hasReported = false;
  #guard: WriteGuard = (write) => {
    write();
    return true;
  };

  /**
   * Opens no file yet: a session without messages leaves none. `onError` is called for failures between two flushes.
   * `from` is the replay of an existing record: events after its end are those of other processes.
   */
  constructor(path: string, onError: (error: RecordError) => void, from?: Pick<Replay, "end">) {
    this.path = path;
    this.#onError = onError;
    this.#known = from?.end ?? 0;
  }

  /** From now on every write goes through `guard`. */
  guard(guard: WriteGuard): void {
    this.#guard = guard;
  }

  append(event: RecordedEvent): void {
    if (event.type === "delta") {
      if (this.#delta?.partID === event.partID) this.#delta = { ...this.#delta, text: this.#delta.text + event.text };
      else {
        this.#endDelta();
        this.#delta = event;
      }
    } else {
      // The complete part contains the text of its waiting delta.
      if (event.type === "part" && event.part.id === this.#delta?.partID) this.#delta = undefined;
      this.#endDelta();
      this.#waiting.push(JSON.stringify(event));
    }
    this.#timer ??= setTimeout(() => this.#flushIdle(), flushDelayMs);
  }

  flush(): void {
    if (!this.#tryFlush()) {
      throw new RecordError(
        msg("Another window or process is running this session, so nothing can be added to it from here."),
        msg("Wait for that run to end, or stop it there."),
      );
    }
  }

  /** @throws RecordError when something could not be written */
  close(): void {
    try {
      this.flush();
    } finally {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#closeFile();
    }
  }

  /** Returns what other processes appended since this one last read or wrote the record, without broken lines. */
  catchUp(): RecordedEvent[] {
    this.#readNew();
    return this.#missed.splice(0);
  }

  /** Calls `onEvents` soon after other processes appended events, until it is disposed. */
  follow(onEvents: (events: RecordedEvent[]) => void): { dispose(): void } {
    const timer = setInterval(() => {
      const events = this.catchUp();
      if (events.length > 0) onEvents(events);
    }, pollIntervalMs).unref();
    return { dispose: () => clearInterval(timer) };
  }

  /** Returns false while another process runs the session. */
  #tryFlush(): boolean {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#endDelta();
    return this.#waiting.length === 0 || this.#guard(() => this.#write());
  }

  #flushIdle(): void {
    try {
      if (!this.#tryFlush()) this.#timer = setTimeout(() => this.#flushIdle(), pollIntervalMs).unref();
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      if (!this.#hasReported) this.#onError(error);
      this.#hasReported = true;
    }
  }

  #write(): void {
    const bytes = Buffer.from(`${this.#waiting.join("\n")}\n`);
    for (let left = maxTries - 1; ; left--) {
      try {
        this.#writeOnce(bytes);
        break;
      } catch (error) {
        // Opening the file again removes the part of a line that may have been written.
        this.#closeFile();
        if (left === 0) throw toRecordError(this.path, error);
      }
    }
    this.#waiting = [];
    this.#hasReported = false;
  }

  #writeOnce(bytes: Buffer): void {
    let stats = statSync(this.path, { throwIfNoEntry: false });
    // A deleted file can still be written while it is open, but no one could read it.
    if (this.#file && (stats?.ino !== this.#file.ino || stats.dev !== this.#file.dev)) this.#closeFile();
    if (!this.#file) {
      const descriptor = openForAppend(this.path, this.#known === 0);
      stats = fstatSync(descriptor);
      this.#file = { descriptor, ino: stats.ino, dev: stats.dev };
    }
    const size = stats?.size ?? 0;
    if (size > this.#known) this.#readNew();
    writeWhole(this.#file.descriptor, bytes, size);
    this.#known = size + bytes.length;
  }

  #readNew(): void {
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= this.#known) return;
    try {
      const { events, end } = readLines(this.path, this.#known);
      this.#missed = this.#missed.concat(events);
      this.#known = end;
    } catch {
      // Tried again the next time. Writing reports a file that is no longer a record.
    }
  }

  #closeFile(): void {
    if (this.#file) closeSync(this.#file.descriptor);
    this.#file = undefined;
  }

  #endDelta(): void {
    if (!this.#delta) return;
    this.#waiting.push(JSON.stringify(this.#delta));
    this.#delta = undefined;
  }
}

/** An open file, with the numbers that tell it from another file at the same path. */
interface OpenFile {
  descriptor: number;
  ino: number;
  dev: number;
}

const headerLine = Buffer.from(`${JSON.stringify({ rondo: recordVersion })}\n`);

/** Opens for appending, writes the header of a new file, and removes an incomplete last line that a crash left. */
function openForAppend(path: string, isNew: boolean): number {
  const { O_RDWR, O_APPEND, O_CREAT } = constants;
  // A deleted record is not created again: its earlier messages would be missing.
  const file = openSync(path, O_RDWR | O_APPEND | (isNew ? O_CREAT : 0), 0o600);
  try {
    const { size } = fstatSync(file);
    const end = endOfLastLine(file, size);
    if (end < size) ftruncateSync(file, end);
    if (end === 0) writeWhole(file, headerLine, 0);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function endOfLastLine(file: number, size: number): number {
  const block = Buffer.alloc(64 * 1024);
  for (let end = size; end > 0; end -= block.length) {
    const start = Math.max(0, end - block.length);
    const length = readSync(file, block, 0, end - start, start);
    const newline = block.subarray(0, length).lastIndexOf(10);
    if (newline >= 0) return start + newline + 1;
  }
  return 0;
}

/** Writes all bytes or none: a partial write to a full disk is undone, so that no line is cut off. */
function writeWhole(file: number, bytes: Buffer, size: number): void {
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(file, bytes, at);
  } catch (error) {
    // If this fails too, the incomplete line is removed when the file is opened again.
    attempt(() => ftruncateSync(file, size), undefined);
    throw error;
  }
}
