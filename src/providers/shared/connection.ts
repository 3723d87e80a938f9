type Bytes = AsyncIterable<Uint8Array>;

/** The same response with another body. SDKs only iterate over it. */
export function withBody(response: Response, pass: (body: ReadableStream<Uint8Array>) => Bytes): Response {
  // An own property in front of the class's getter.
  if (response.body) Object.defineProperty(response, "body", { value: pass(response.body) });
  return response;
}

/** The same bytes; `onBytes` is called as each piece of them comes in. */
export async function* watched(body: ReadableStream<Uint8Array>, onBytes: () => void): Bytes {
  for await (const chunk of body) {
    onBytes();
    yield chunk;
  }
}

/** How long a server may take to end an answer whose last event has come, in ms. */
const drainTimeoutMs = 1_000;

/**
 * A signal for one request that follows the turn's. SDKs leave listeners on the signal they are given, so they never get
 * the turn's own, which lives much longer.
 */
export function openConnection(turn: AbortSignal): { signal: AbortSignal; close(): void; done(): void } {
  const controller = new AbortController();
  const close = () => controller.abort();
  if (turn.aborted) close();
  turn.addEventListener("abort", close, { once: true });
  return { signal: controller.signal, close, done: () => turn.removeEventListener("abort", close) };
}

/**
 * Reads to the end of an answer that has said all it had to say, so that its connection can serve the next request.
 * Nobody waits for it; a server that does not end is cut off.
 */
export function drainLater(rest: AsyncIterator<unknown>, close: () => void): void {
  const timer = setTimeout(close, drainTimeoutMs);
  const read = async () => {
    while (!(await rest.next()).done);
  };
  // The reply is complete: how its connection ends is of no interest.
  read()
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
}
