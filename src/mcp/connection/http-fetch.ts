/** What an HTTP server may be asked, and how much it may answer. */
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isLoopback } from "../config/server-environment.ts";
import { Flood } from "./flood-limit.ts";
import { isFailure, ServerFailure } from "./server-failure.ts";
import { messageLimit } from "./stdio-transport.ts";

/** Of one server, within a few seconds. */
const mostStreams = 100;

/** The stream has ended that was to answer a request. `resumable`: the SDK asks for the rest of it. `why`: what cut it. */
type StreamEnd = (requestID: unknown, resumable: boolean, why: string) => void;

/**
 * `fetch` for one server: its configured headers go to its own origin and nowhere else, redirects are not followed, other
 * addresses (those of its sign-in) are asked over https only, and answers are bounded.
 */
export function fetchFor(server: URL, headers: Record<string, string>, onEnd: StreamEnd): FetchLike {
  const opened = new Flood({ bytes: 0, messages: mostStreams });
  return async (input, init) => {
    const url = new URL(input);
    // A server that closes its stream at once has it asked for again, at once if it says so.
    if (init?.method === "GET" && opened.take(0, 1)) throw new ServerFailure("final", "It is asked too often.");
    if (!mayAsk(url, server)) throw new ServerFailure("final", `It leads to ${url.origin}, which is not asked.`);
    const all = new Headers(init?.headers);
    if (url.origin === server.origin) for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const response = await fetch(url, { ...init, headers: all, redirect: "manual" });
    if (!response.body) return response;
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const events = new Events();
    let size = 0;
    const check = (chunk: Uint8Array): ServerFailure | undefined => {
      if (isStream) return events.push(chunk);
      size += chunk.length;
      return size > messageLimit ? tooLarge() : undefined;
    };
    const body = watched(response.body, check, (error) => {
      const id = requestOf(init?.body);
      const why = isFailure(error) ? error.message : "The connection was cut before the answer came.";
      if (id !== undefined) onEnd(id, events.resumable && !isFailure(error), why);
    });
    const { status, statusText } = response;
    return new Response(body, { status, statusText, headers: response.headers });
  };
}

/** Whether a server may have this address asked: its own origin, https, or this machine if it is on this machine itself. */
export function mayAsk(url: URL, server: URL): boolean {
  if (url.username !== "" || url.password !== "") return false;
  if (url.origin === server.origin || (isLoopback(server.hostname) && isLoopback(url.hostname))) return true;
  return url.protocol === "https:" && !isLoopback(url.hostname);
}

function requestOf(body: unknown): unknown {
  if (typeof body !== "string" || !body.startsWith("{")) return undefined;
  const message: unknown = JSON.parse(body);
  return typeof message === "object" && message !== null && "id" in message && "method" in message
    ? message.id
    : undefined;
}

function tooLarge(): ServerFailure {
  return new ServerFailure("final", `It sent a message of more than ${messageLimit / 1024 / 1024} MiB.`);
}

/** The same stream, as long as `check` has no objection. `ended`: nothing more comes, for whatever reason. */
function watched(
  stream: ReadableStream<Uint8Array>,
  check: (chunk: Uint8Array) => ServerFailure | undefined,
  ended: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        const trouble = value && check(value);
        if (trouble) throw trouble;
        if (!done) return controller.enqueue(value);
        controller.close();
        ended(undefined);
      } catch (error) {
        controller.error(error);
        ended(error);
        reader.cancel(error).catch(() => {});
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Server-sent events: each is bounded, and so is how fast they come. */
class Events {
  /** Whether they are numbered, so that the rest can be asked for when the stream is cut. */
  resumable = false;
  readonly #flood = new Flood();
  /** Bytes of the event so far. */
  #size = 0;
  /** The first characters of the line. */
  #head = "";

  /** @returns why no more can be taken */
  push(chunk: Uint8Array): ServerFailure | undefined {
    let events = 0;
    let end = -1;
    for (let from = 0; from < chunk.length; from = end + 1) {
      end = chunk.indexOf(10, from);
      const stop = end < 0 ? chunk.length : end;
      this.#head += String.fromCharCode(...chunk.subarray(from, Math.min(stop, from + 3 - this.#head.length)));
      this.#size += stop - from;
      if (end < 0) break;
      if (this.#head === "id:") this.resumable = true;
      if (this.#head.trim() === "") {
        this.#size = 0;
        events++;
      }
      this.#head = "";
    }
    if (this.#size > messageLimit) return tooLarge();
    const isFlood = this.#flood.take(chunk.length, events);
    return isFlood ? new ServerFailure("final", "It sends more than can be read.") : undefined;
  }
}
