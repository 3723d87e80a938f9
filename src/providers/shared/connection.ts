import { StreamedError } from "./failure.ts";

/** A key, or what returns a token that is renewed from time to time. */
export type ApiKey = string | (() => Promise<string>);

/** Remembers what was sent last, so that it can be kept out of messages. */
export function rememberKey(given: ApiKey): { apiKey: ApiKey; last(): string } {
  if (typeof given === "string") return { apiKey: given, last: () => given };
  let token = "";
  const apiKey = async () => {
    token = await given();
    return token;
  };
  return { apiKey, last: () => token };
}

/** Splits an address from its query, which is sent with each request: Azure's `api-version`. */
export function splitQuery(address: string): { baseURL: string; query: Record<string, string> } {
  const url = new URL(address);
  const query = Object.fromEntries(url.searchParams);
  url.search = "";
  return { baseURL: url.href.replace(/(?<!\/)\/+$/, ""), query };
}

type Bytes = AsyncIterable<Uint8Array>;

/** Replaces the body of a response. SDKs only iterate over it. */
export function withBody(response: Response, pass: (body: ReadableStream<Uint8Array>) => Bytes): Response {
  // An own property hides the class's getter.
  if (response.body) Object.defineProperty(response, "body", { value: pass(response.body) });
  return response;
}

/**
 * Returns the response if it is a stream. Servers have answered with an error as JSON and status 200 (llama.cpp, textgen#7257).
 * @throws StreamedError with the server's error
 */
export async function streamed(response: Response): Promise<Response> {
  if (!/\bjson\b/.test(response.headers.get("content-type") ?? "")) return response;
  const text = await response.text();
  const error = errorIn(text);
  if (error !== undefined) throw new StreamedError(error);
  return new Response(text, response);
}

function errorIn(text: string): unknown {
  try {
    const [body] = [JSON.parse(text)].flat();
    return typeof body === "object" && body !== null && "error" in body ? body : undefined;
  } catch {
    // A stream under a wrong name.
    return undefined;
  }
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
