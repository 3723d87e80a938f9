/** Reads records: the events of complete lines, and the chat that they fold into. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isRecord, parseJson } from "../base/json.ts";
import { apply, type Chat, newChat } from "../chat/apply.ts";
import type { RecordedEvent } from "../chat/events.ts";
import { msg } from "../l10n/l10n.ts";
import { RecordError } from "../loop/storage.ts";
import { readEvent } from "./read-event.ts";

/** Format number in the first line of each record. */
export const recordVersion = 1;

interface BrokenLine {
  /** Counts from 1. */
  line: number;
  text: string;
}

interface RecordLines {
  events: RecordedEvent[];
  /** Lines that could not be read. All other lines were. */
  broken: BrokenLine[];
  /** Offset in bytes where the last complete line ends. */
  end: number;
}

export interface Replay extends Omit<RecordLines, "events"> {
  chat: Chat;
}

/** Replays a record into a chat. @throws RecordError when the file does not exist or has another format */
export function replay(path: string): Replay {
  let lines: RecordLines;
  try {
    lines = readLines(path, 0);
  } catch (error) {
    if (error instanceof RecordError) throw error;
    throw new RecordError(
      msg("There is no session record at {0}.", path),
      msg("Choose a session from the list."),
      error,
    );
  }
  const chat = newChat({ id: "", createdAt: 0, title: "", cwd: "" });
  for (const event of lines.events) apply(chat, event);
  return { chat, broken: lines.broken, end: lines.end };
}

/**
 * Returns the events of the complete lines after the first `from` bytes. Text after the last newline is ignored: it is
 * still being written, or a crash cut it off. @throws RecordError when `from` is 0 and the file has another format
 */
export function readLines(path: string, from: number): RecordLines {
  const bytes = readFrom(path, from);
  const length = bytes.lastIndexOf(newline) + 1;
  const events: RecordedEvent[] = [];
  const broken: BrokenLine[] = [];
  let start = 0;
  if (from === 0) {
    start = bytes.indexOf(newline) + 1;
    checkHeader(path, bytes.toString("utf8", 0, start));
  }
  for (let line = from === 0 ? 2 : 1; start < length; line++) {
    const stop = bytes.indexOf(newline, start);
    const text = bytes.toString("utf8", start, stop);
    const event = readEvent(text);
    if (event === undefined) broken.push({ line, text });
    else if (event !== "ignored") events.push(event);
    start = stop + 1;
  }
  return { events, broken, end: from + length };
}

const newline = 10;

function readFrom(path: string, from: number): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.allocUnsafe(Math.max(0, fstatSync(file).size - from));
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, from + length);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function checkHeader(path: string, line: string): void {
  const header = parseJson(line);
  const found = isRecord(header) ? header["rondo"] : undefined;
  if (found === recordVersion) return;
  if (typeof found === "number" && found > recordVersion) {
    throw new RecordError(msg("{0} was written by a newer Rondo.", path), msg("Update Rondo to open this session."));
  }
  throw new RecordError(
    msg("{0} is not a session record.", path),
    msg("Choose another session. The file was not changed."),
  );
}
