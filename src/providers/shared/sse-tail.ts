import { drainLater, withBody } from "./connection.ts";
import { StreamedError } from "./failure.ts";

/** Longer than the last lines of any stream. */
const tailBytes = 2_048;

/** Notes what OpenAI's SDK does not report: `[DONE]`, and the `error:` lines of older llama.cpp servers. */
export class SseTail {
  /** Whether nothing more is to come. May be set by a reader that knows the end from an event. */
  done = false;
  /** Begins with the end of a line: later its first characters may be from within a text that looks like a line. */
  #tail = "\n";

  get error(): StreamedError | undefined {
    const line = /[\r\n]error: ?(.+)/.exec(this.#tail)?.[1];
    if (line === undefined) return undefined;
    const said = Buffer.from(line, "latin1").toString();
    try {
      return new StreamedError(JSON.parse(said));
    } catch {
      return new StreamedError(said);
    }
  }

  /** Ends the body at `[DONE]`; `close` ends the connection if the server keeps it open. */
  watch(response: Response, close: () => void, onBytes: () => void): Response {
    return withBody(response, (body) => this.#pass(body, close, onBytes));
  }

  async *#pass(body: ReadableStream<Uint8Array>, close: () => void, onBytes: () => void): AsyncGenerator<Uint8Array> {
    const chunks = body[Symbol.asyncIterator]();
    try {
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
        onBytes();
        const end = next.value.subarray(-tailBytes);
        const text = Buffer.from(end.buffer, end.byteOffset, end.length).toString("latin1");
        this.#tail = (this.#tail + text).slice(-tailBytes);
        // Data contains no raw line breaks, so this is a line of the stream.
        this.done = /[\r\n]data: ?\[DONE\]/.test(this.#tail);
        yield next.value;
        if (this.done) return;
      }
    } finally {
      if (this.done) drainLater(chunks, close);
      else await chunks.return?.();
    }
  }
}
