type Bytes = AsyncIterable<Uint8Array>;

/** Replaces the body of a response. SDKs only iterate over it. */
export function withBody(response: Response, pass: (body: ReadableStream<Uint8Array>) => Bytes): Response {
  // An own property hides the class's getter.
  if (response.body) Object.defineProperty(response, "body", { value: pass(response.body) });
  return response;
}

/** Passes the bytes on and calls `onBytes` for each piece. */
export async function* watched(body: ReadableStream<Uint8Array>, onBytes: () => void): Bytes {
  for await (const chunk of body) {
    onBytes();
    yield chunk;
  }
}

/** Time for a server to close a response after its last event. */
const drainTimeoutMs = 1_000;

/**
 * Creates a signal for one request that follows the turn's. SDKs leave listeners on their signal, so they do not get the
 * turn's own, which lives much longer.
 */
export function openConnection(turn: AbortSignal): { signal: AbortSignal; close(): void; done(): void } {
  const controller = new AbortController();
  const close = () => controller.abort();
  if (turn.aborted) close();
  turn.addEventListener("abort", close, { once: true });
  return { signal: controller.signal, close, done: () => turn.removeEventListener("abort", close) };
}

/**
 * Reads the rest of a complete reply in the background, so that its connection can serve the next request. Closes the
 * connection if the server does not end the response.
 */
export function drainLater(rest: AsyncIterator<unknown>, close: () => void): void {
  const timer = setTimeout(close, drainTimeoutMs);
  const read = async () => {
    while (!(await rest.next()).done);
  };
  // The reply is complete, so errors of its connection do not matter.
  read()
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
}
