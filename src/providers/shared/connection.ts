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

/** Gives SDKs a signal of their own: they leave listeners on it, and the turn's lives much longer. */
export function openConnection(turn: AbortSignal): { signal: AbortSignal; close(): void; done(): void } {
  const controller = new AbortController();
  const close = () => controller.abort();
  if (turn.aborted) close();
  turn.addEventListener("abort", close, { once: true });
  return { signal: controller.signal, close, done: () => turn.removeEventListener("abort", close) };
}

/** Reads the rest of a complete reply, so that the next request can use its connection, or closes it in the end. */
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
