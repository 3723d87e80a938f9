/** Limits which addresses an HTTP server may have requested, and how much it may answer. */

import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isLoopback } from "../../base/loopback.ts";
import { msg } from "../../l10n/l10n.ts";
import { FloodLimit } from "./flood-limit.ts";
import { isFailure, ServerFailure } from "./server-failure.ts";
import { maxMessageBytes } from "./stdio-transport.ts";

/** Maximum number of streams that are opened to one server within a few seconds. */
const maxStreams = 100;

/** Called when an answer ends, with the reason `why`. If it is `resumable`, the SDK requests the rest. */
type StreamEnd = (requestID: unknown, resumable: boolean, why: string) => void;

/**
 * Returns a `fetch` for one server: its configured headers go to its own origin only, redirects are not followed, other
 * addresses (for sign-in) need https, and the size of answers is limited.
 */
export function boundedFetch(server: URL, headers: Record<string, string>, onEnd: StreamEnd): FetchLike {
  const opened = new FloodLimit({ bytes: 0, messages: maxStreams });
  return async (input, init) => {
    const url = new URL(input);
    // The SDK reopens a stream that the server closed, immediately if the server says so.
    if (init?.method === "GET" && opened.exceeds(0, 1))
      throw new ServerFailure("final", msg("It closed its stream too often."));
    if (!isAllowedAddress(url, server))
      throw new ServerFailure("final", msg("It refers to {0}, which is not allowed.", url.origin));
    const all = new Headers(init?.headers);
    if (url.origin === server.origin) for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const response = await fetch(url, { ...init, headers: all, redirect: "manual" });
    if (!response.body) return response;
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const events = new EventStreamLimit();
    let size = 0;
    const check = (chunk: Uint8Array): ServerFailure | undefined => {
      if (isStream) return events.push(chunk);
      size += chunk.length;
      return size > maxMessageBytes ? tooLarge() : undefined;
    };
    const body = limitStream(response.body, check, (error) => {
      const id = requestIDOf(init?.body);
      const why = isFailure(error) ? error.message : msg("The connection was cut before the answer came.");
      if (id !== undefined) onEnd(id, events.resumable && !isFailure(error), why);
    });
    const { status, statusText } = response;
    return new Response(body, { status, statusText, headers: response.headers });
  };
}

/** Whether a server may redirect to this address: its own origin, https, or this machine for a local server. */
export function isAllowedAddress(url: URL, server: URL): boolean {
  if (url.username !== "" || url.password !== "") return false;
  if (url.origin === server.origin || (isLoopback(server.hostname) && isLoopback(url.hostname))) return true;
  return url.protocol === "https:" && !isLoopback(url.hostname);
}

function requestIDOf(body: unknown): unknown {
  if (typeof body !== "string" || !body.startsWith("{")) return undefined;
  const message: unknown = JSON.parse(body);
  return typeof message === "object" && message !== null && "id" in message && "method" in message
    ? message.id
    : undefined;
}

function tooLarge(): ServerFailure {
  return new ServerFailure("final", msg("It sent a message of more than {0} MiB.", maxMessageBytes / 1024 / 1024));
}

/** Returns the same stream until `check` finds a failure. `ended` is called at the end, whatever the reason. */
function limitStream(
  stream: ReadableStream<Uint8Array>,
  check: (chunk: Uint8Array) => ServerFailure | undefined,
  ended: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        const failure = value && check(value);
        if (failure) throw failure;
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

/** Limits the size and the rate of server-sent events. */
class EventStreamLimit {
  /** Whether events have ids, so that a cut stream can be resumed. */
  resumable = false;
  readonly #flood = new FloodLimit();
  /** Bytes of the current event. */
  #size = 0;
  /** The first characters of the current line. */
  #head = "";

  /** @returns the reason if a limit is exceeded */
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
    if (this.#size > maxMessageBytes) return tooLarge();
    const isFlood = this.#flood.exceeds(chunk.length, events);
    return isFlood ? new ServerFailure("final", msg("It sends too much data.")) : undefined;
  }
}
