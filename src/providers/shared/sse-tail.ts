import { drainLater, withBody } from "./connection.ts";
import { StreamedError } from "./failure.ts";

/** Longer than the last lines of any stream, in bytes. */
const tailBytes = 2_048;

/**
 * Watches an answer's bytes as they pass on to OpenAI's SDK, which keeps silent on two things: whether `[DONE]` came or
 * the connection just ended, and lines that begin with `error:`, as older llama.cpp servers write them.
 */
export class SseTail {
  /** Whether the server said that it is done. */
  done = false;
  #tail = "";

  /** What an `error:` line says. */
  get error(): StreamedError | undefined {
    const line = /(?:^|[\r\n])error: ?(.+)/.exec(this.#tail)?.[1];
    if (line === undefined) return undefined;
    const said = Buffer.from(line, "latin1").toString();
    try {
      return new StreamedError(JSON.parse(said));
    } catch {
      return new StreamedError(said);
    }
  }

  /**
   * The same response, its body watched. It ends with `[DONE]`: some servers keep the connection open after it, and
   * `close` ends it then.
   */
  watch(response: Response, close: () => void, onBytes: () => void): Response {
    return withBody(response, (body) => this.#pass(body, close, onBytes));
  }

  async *#pass(body: ReadableStream<Uint8Array>, close: () => void, onBytes: () => void): AsyncGenerator<Uint8Array> {
    const chunks = body[Symbol.asyncIterator]();
    try {
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
        onBytes();
        this.#note(next.value);
        yield next.value;
        if (!this.done) continue;
        drainLater(chunks, close);
        return;
      }
    } finally {
      if (!this.done) await chunks.return?.();
    }
  }

  #note(chunk: Uint8Array): void {
    const end = chunk.subarray(-tailBytes);
    this.#tail = (this.#tail + Buffer.from(end.buffer, end.byteOffset, end.length).toString("latin1")).slice(-tailBytes);
    // Within data, a line break is written as \n: this can only be a line of the stream.
    this.done = /(?:^|[\r\n])data: ?\[DONE\]/.test(this.#tail);
  }
}
