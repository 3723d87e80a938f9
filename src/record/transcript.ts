/** One session's record: an append-only file of JSON lines, an event a line (spec R1–R4). Plain Node. */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, statSync, writeSync } from "node:fs";
import type { RecordedEvent } from "../chat/events.ts";
import { RecordError, type Recorder } from "../loop/storage.ts";
import { toRecordError } from "./errors.ts";
import { type Replay, readLines, version } from "./replay.ts";

/** How long a line may wait in memory when nothing depends on it, in ms. */
const idleFlush = 100;

/** How often the record is looked at for lines of others, and tried again while another process runs the session, in ms. */
const lookInterval = 250;

/** A write that fails is tried so often (R4). */
const tries = 3;

/** Runs `write` where nobody else may write; false: somebody else may. */
export type Guard = (write: () => void) => boolean;

/** Appends to one file, and reads what others have appended to it. */
export class Transcript implements Recorder {
  readonly path: string;
  #file: OpenFile | undefined;
  /** Up to which byte this process knows the record. */
  #known: number;
  /** Lines of others that stood before our own and that nobody has asked for yet. */
  #missed: RecordedEvent[] = [];
  /** Lines that are not yet written; they stay here when a write fails. */
  #waiting: string[] = [];
  /** Text that streams in is kept together until something else happens: one line instead of hundreds. */
  #delta: Extract<RecordedEvent, { type: "delta" }> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #onError: (error: RecordError) => void;
  /** Whether `onError` has heard of a failure that lasts. */
  #told = false;
  #guard: Guard = (write) => {
    write();
    return true;
  };

  /**
   * Opens nothing yet: a session without a message leaves no file. `onError` hears of failures between two flushes;
   * `from` is how the record was read, so that it is known who wrote what since.
   */
  constructor(path: string, onError: (error: RecordError) => void, from?: Pick<Replay, "end">) {
    this.path = path;
    this.#onError = onError;
    this.#known = from?.end ?? 0;
  }

  /** From here on it is written only through `guard`. */
  guard(guard: Guard): void {
    this.#guard = guard;
  }

  append(event: RecordedEvent): void {
    if (event.type === "delta") {
      if (this.#delta?.partID === event.partID) this.#delta = { ...this.#delta, text: this.#delta.text + event.text };
      else {
        this.#settleDelta();
        this.#delta = event;
      }
    } else {
      // The whole part says what its waiting delta would have said.
      if (event.type === "part" && event.part.id === this.#delta?.partID) this.#delta = undefined;
      this.#settleDelta();
      this.#waiting.push(JSON.stringify(event));
    }
    this.#timer ??= setTimeout(() => this.#flushIdle(), idleFlush);
  }

  flush(): void {
    if (!this.#tryFlush()) {
      throw new RecordError(
        "This session is run by another window or process, so nothing can be added to it from here.",
        "Wait for that run to end, or stop it there.",
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

  /** What others have appended since this process last read or wrote the record; their broken lines are left out. */
  catchUp(): RecordedEvent[] {
    this.#readNew();
    return this.#missed.splice(0);
  }

  /** Tells of what others append, soon after they did. Ends when it is disposed, and does not keep the process alive. */
  follow(onEvents: (events: RecordedEvent[]) => void): { dispose(): void } {
    const timer = setInterval(() => {
      const events = this.catchUp();
      if (events.length > 0) onEvents(events);
    }, lookInterval).unref();
    return { dispose: () => clearInterval(timer) };
  }

  /** False: another process runs the session. */
  #tryFlush(): boolean {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#settleDelta();
    return this.#waiting.length === 0 || this.#guard(() => this.#write());
  }

  #flushIdle(): void {
    try {
      if (!this.#tryFlush()) this.#timer = setTimeout(() => this.#flushIdle(), lookInterval).unref();
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      if (!this.#told) this.#onError(error);
      this.#told = true;
    }
  }

  #write(): void {
    const bytes = Buffer.from(`${this.#waiting.join("\n")}\n`);
    for (let left = tries - 1; ; left--) {
      try {
        this.#writeOnce(bytes);
        break;
      } catch (error) {
        // Opened anew next time: that also drops what of a line may have got through.
        this.#closeFile();
        if (left === 0) throw toRecordError(this.path, error);
      }
    }
    this.#waiting = [];
    this.#told = false;
  }

  #writeOnce(bytes: Buffer): void {
    let there = statSync(this.path, { throwIfNoEntry: false });
    // A file that was removed meanwhile lives on while it is open, but nobody would ever read it again.
    if (this.#file && (there?.ino !== this.#file.ino || there.dev !== this.#file.dev)) this.#closeFile();
    if (!this.#file) {
      const descriptor = openForAppend(this.path, this.#known === 0);
      there = fstatSync(descriptor);
      this.#file = { descriptor, ino: there.ino, dev: there.dev };
    }
    const size = there?.size ?? 0;
    if (this.#known === 0 && size === headerLine.length) this.#known = size;
    if (size > this.#known) this.#readNew();
    writeWhole(this.#file.descriptor, bytes, size);
    this.#known = size + bytes.length;
  }

  #readNew(): void {
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= this.#known) return;
    try {
      const { events, end } = readLines(this.path, this.#known);
      this.#missed.push(...events);
      this.#known = end;
    } catch {
      // Read the next time; what is no record any more says so when it is written.
    }
  }

  #closeFile(): void {
    if (this.#file) closeSync(this.#file.descriptor);
    this.#file = undefined;
  }

  #settleDelta(): void {
    if (!this.#delta) return;
    this.#waiting.push(JSON.stringify(this.#delta));
    this.#delta = undefined;
  }
}

/** With what tells it from a file that others put in its place. */
interface OpenFile {
  descriptor: number;
  ino: number;
  dev: number;
}

const headerLine = Buffer.from(`${JSON.stringify({ rondo: version })}\n`);

/** Opens for appending, writes the header of a new file, and drops a torn last line that a crash has left. */
function openForAppend(path: string, isNew: boolean): number {
  const { O_RDWR, O_APPEND, O_CREAT } = constants;
  // One that was removed is not made anew: what was said before would be missing from it.
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

/** All or nothing: what a full disk let through in part is taken back, so that no line is torn in the middle. */
function writeWhole(file: number, bytes: Buffer, size: number): void {
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(file, bytes, at);
  } catch (error) {
    takeBack(file, size);
    throw error;
  }
}

function takeBack(file: number, size: number): void {
  try {
    ftruncateSync(file, size);
  } catch {
    // A line that stays torn is dropped when the file is opened again.
  }
}
