/** The pipe that a command writes to. */
import { type ChildProcess, execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import os from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { withoutKeys } from "../../base/node/without-keys.ts";
import type { OutputDecoder } from "./decode-output.ts";

/** Silence after which a pipe that a process still holds open is closed. */
const drainTimeMs = 300;
/** Time after which it is closed even if a process that could not be terminated still writes. */
const maxDrainMs = 2_000;

export interface OutputPipe {
  /** Already deleted. */
  name: string;
  read: number;
  write: number;
}

/** A single pipe keeps the order and lets programs open `/dev/stderr`. Undefined without named pipes. */
export async function openPipe(): Promise<OutputPipe | undefined> {
  if (process.platform === "win32") return undefined;
  const name = path.join(os.tmpdir(), `rondo-${randomBytes(8).toString("hex")}`);
  try {
    await new Promise<void>((resolve, reject) => {
      execFile("mkfifo", ["-m", "600", name], { env: withoutKeys() }, (error) => (error ? reject(error) : resolve()));
    });
    const read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    return { name, read, write: openSync(name, constants.O_WRONLY) };
  } catch {
    return undefined;
  } finally {
    rmSync(name, { force: true });
  }
}

export function closePipe(pipe: OutputPipe | undefined): void {
  if (!pipe) return;
  closeSync(pipe.read);
  closeSync(pipe.write);
}

/** Reads a command's output until every process has closed the pipe. */
export class PipeReader {
  readonly #streams: readonly Readable[];
  readonly #closed: Promise<unknown>;
  #lastAt = Date.now();

  constructor(
    child: ChildProcess,
    pipe: OutputPipe | undefined,
    decode: () => OutputDecoder,
    onText: (text: string) => void,
  ) {
    const streams: (Readable | null)[] = pipe
      ? [new Socket({ fd: pipe.read, readable: true, writable: false })]
      : [child.stdout, child.stderr];
    this.#streams = streams.filter((stream) => stream !== null);
    this.#closed = Promise.all(this.#streams.map((stream) => this.#read(stream, decode(), onText)));
  }

  get silence(): number {
    return Date.now() - this.#lastAt;
  }

  #read(stream: Readable, decode: OutputDecoder, onText: (text: string) => void): Promise<void> {
    return new Promise((resolve) => {
      stream.on("data", (chunk: Buffer) => {
        this.#lastAt = Date.now();
        const text = decode(chunk);
        if (text !== "") onText(text);
      });
      stream.on("error", () => resolve());
      stream.on("close", () => {
        const rest = decode(undefined);
        if (rest !== "") onText(rest);
        resolve();
      });
    });
  }

  async drained(): Promise<void> {
    const since = Date.now();
    this.#lastAt = since;
    const timer = setInterval(() => {
      if (this.silence < drainTimeMs && Date.now() - since < maxDrainMs) return;
      for (const stream of this.#streams) stream.destroy();
    }, drainTimeMs / 6);
    await this.#closed;
    clearInterval(timer);
  }
}
