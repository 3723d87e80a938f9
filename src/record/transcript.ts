/** One session's record: an append-only file of JSON lines, an event a line (spec R1–R3). Plain Node. */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { apply, type Chat, newChat } from "../loop/apply.ts";
import { RecordedEvent } from "../loop/events.ts";
import { RecordError, type Recorder } from "../loop/store.ts";

/** First line of each file; a later format gets another number. */
const version = 1;

/** How long a line may wait in memory when nothing depends on it, in ms. */
const idleFlush = 100;

/** Appends to one file. There is one writer at a time: the last one that called `takeOver`. */
export class Transcript implements Recorder {
  readonly path: string;
  #file: number | undefined;
  /** Lines that are not yet written; they stay here when a write fails. */
  #waiting: string[] = [];
  /** Text that streams in is kept together until something else happens: one line instead of hundreds. */
  #delta: Extract<RecordedEvent, { type: "delta" }> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #onError: (error: RecordError) => void;
  readonly #token = randomUUID();
  /** Whether `onError` has heard of a failure that lasts. */
  #told = false;

  /** Opens nothing yet: a session without a message leaves no file. `onError` hears of failures between two flushes. */
  constructor(path: string, onError: (error: RecordError) => void) {
    this.path = path;
    this.#onError = onError;
  }

  /**
   * From here on whoever wrote to this record before writes no more: the window that it was opened in may live on for
   * a while after a reload. To be called before the record is read. @throws RecordError
   */
  takeOver(): void {
    try {
      writeFileSync(ownerPath(this.path), this.#token, { mode: 0o600 });
    } catch (error) {
      throw toRecordError(this.path, error);
    }
  }

  /** Whether nobody else has taken it over. */
  get isOwned(): boolean {
    const path = ownerPath(this.path);
    // Asked before each write, and nearly always the answer is no.
    return !existsSync(path) || readFileSync(path, "utf8") === this.#token;
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#settleDelta();
    if (this.#waiting.length === 0) return;
    if (!this.isOwned) {
      throw new RecordError("This session was opened in another window.", "Go on there, or open it here again.");
    }
    const lines = `${this.#waiting.join("\n")}\n`;
    try {
      this.#file ??= openForAppend(this.path);
      writeWhole(this.#file, lines);
      this.#waiting = [];
      this.#told = false;
    } catch (error) {
      // Opened anew next time: that also drops what of a line may have got through.
      this.#closeFile();
      throw toRecordError(this.path, error);
    }
  }

  /** @throws RecordError when something could not be written */
  close(): void {
    this.flush();
    this.#closeFile();
  }

  #closeFile(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #settleDelta(): void {
    if (!this.#delta) return;
    this.#waiting.push(JSON.stringify(this.#delta));
    this.#delta = undefined;
  }

  #flushIdle(): void {
    try {
      this.flush();
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      if (!this.#told) this.#onError(error);
      this.#told = true;
    }
  }
}

/** Names who may write to a record; not there as long as nobody has taken it over. */
export function ownerPath(path: string): string {
  return `${path}.owner`;
}

/** Opens for appending, writes the header of a new file, and drops a torn last line that a crash has left. */
function openForAppend(path: string): number {
  const file = openSync(path, "a+", 0o600);
  try {
    const { size } = fstatSync(file);
    const end = endOfLastLine(file, size);
    if (end < size) ftruncateSync(file, end);
    if (end === 0) writeWhole(file, `${JSON.stringify({ rondo: version })}\n`);
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
function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text);
  const before = fstatSync(file).size;
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  } catch (error) {
    takeBack(file, before);
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

function toRecordError(path: string, error: unknown): RecordError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return new RecordError(
        "The disk is full, so the session cannot be kept and the turn was stopped.",
        "Make room, then try again. What is on screen is written as soon as there is room.",
        error,
      );
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new RecordError(
        `The session's record may not be written (${path}).`,
        "Check the folder's permissions, then try again.",
        error,
      );
    default:
      return new RecordError(
        `The session's record could not be written (${code || String(error)}; ${path}).`,
        "Check the folder, then try again.",
        error,
      );
  }
}

export interface Replay {
  chat: Chat;
  /** Lines that could not be read, with their numbers from 1; the rest of the session is whole. */
  broken: { line: number; text: string }[];
}

/**
 * Reads a record back into the chat it came from.
 * @throws RecordError when there is no such file, or none of this format
 */
export function replay(path: string): Replay {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new RecordError(`There is no session record at ${path}.`, "Choose a session from the list.", error);
  }
  const lines = text.split("\n");
  // After the last newline there is nothing, or a line that a crash has torn.
  lines.pop();
  checkHeader(path, lines[0]);
  const broken: Replay["broken"] = [];
  const chat = newChat({ id: "", createdAt: 0, title: "", cwd: "" });
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue;
    const event = parseLine(line);
    if (event) apply(chat, event);
    else broken.push({ line: index + 1, text: line });
  }
  return { chat, broken };
}

function checkHeader(path: string, line: string | undefined): void {
  let header: unknown;
  try {
    header = JSON.parse(line ?? "");
  } catch {
    header = undefined;
  }
  const found = typeof header === "object" && header !== null && "rondo" in header ? header.rondo : undefined;
  if (found === version) return;
  if (typeof found === "number" && found > version) {
    throw new RecordError(`${path} was written by a newer Rondo.`, "Update Rondo to open this session.");
  }
  throw new RecordError(`${path} is not a session record.`, "Choose another session; the file was left as it is.");
}

function parseLine(line: string): RecordedEvent | undefined {
  try {
    return RecordedEvent.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
