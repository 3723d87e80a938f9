/** A model within the process that plays a script, so that the loop can be tested against events alone. */
import { setTimeout as wait } from "node:timers/promises";
import type { Finish, Tokens } from "../src/chat/message.ts";
import { type Model, ModelError, type ModelEvent, type ModelRequest } from "../src/loop/model.ts";
import { parseArguments } from "../src/providers/shared/parse-arguments.ts";

export type Said =
  | string
  /** `signature`, or `redacted` data, as sent by Anthropic. */
  | { thinking: string; signature?: string; redacted?: string }
  /**
   * `raw` replaces the input's JSON, for malformed input. `cut`: the reply ends inside the call, which is then no call.
   */
  | { call: string; input?: Record<string, unknown>; raw?: string; id?: string; cut?: true }
  /** Silence in ms; with `pings`, bytes without an event arrive at that interval in ms. */
  | { silence: number; pings?: number }
  /** An exact event. */
  | { event: ModelEvent };

export interface Reply {
  say?: Said[];
  /** Derived from the reply by default; `length` if it was cut inside a call. */
  finish?: Finish;
  /** `none`: the server reports no usage. */
  tokens?: Partial<Tokens> | "none";
  /** Thrown after the reply, instead of its end. */
  fail?: ModelError;
  /** The stream hangs after the reply until the request is aborted. */
  hang?: boolean;
  /** The stream ends without a finish event. */
  noEnd?: boolean;
  /** Awaited before the last event. */
  before?: () => unknown;
}

/** Replies in order, or a function that makes them; `index` counts requests from 0. */
export type Script = (Reply | Said[])[] | ((request: ModelRequest, index: number) => Reply | Said[]);

export class ScriptedModel implements Model {
  readonly providerID: string;
  /** Requests with a copy of their entries. */
  readonly requests: ModelRequest[] = [];
  readonly #script: Script;

  constructor(script: Script, providerID = "anthropic") {
    this.#script = script;
    this.providerID = providerID;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const index = this.requests.push({ ...request, entries: structuredClone(request.entries) }) - 1;
    const next = typeof this.#script === "function" ? this.#script(request, index) : this.#script[index];
    const reply: Reply = Array.isArray(next) ? { say: next } : (next ?? { fail: scriptIsOver });
    request.onBytes();
    yield { type: "start" };
    yield { type: "start-step" };
    const all = reply.say ?? [];
    for (const [at, said] of all.entries()) {
      if (typeof said === "object" && "silence" in said) await silence(said, request);
      for (const event of eventsOf(said, `${index}-${at}`)) {
        if (request.signal.aborted) return yield aborted();
        request.onBytes();
        yield event;
      }
    }
    await reply.before?.();
    if (reply.hang) await whenAborted(request.signal);
    if (request.signal.aborted) return yield aborted();
    request.onBytes();
    if (reply.fail) return yield { type: "error", error: reply.fail };
    if (reply.noEnd) return;
    const tokens =
      reply.tokens === "none"
        ? undefined
        : { input: 10, output: 5, reasoning: 0, cacheRead: 0, cacheWrite: 0, ...reply.tokens };
    yield { type: "finish-step", reason: reply.finish ?? meant(all), tokens };
    yield { type: "finish" };
  }
}

function meant(all: Said[]): Finish {
  const calls = all.filter((said) => typeof said === "object" && "call" in said);
  if (calls.some(({ cut }) => cut)) return "length";
  return calls.length > 0 ? "tool-calls" : "stop";
}

const scriptIsOver = new ModelError("invalid", "The script is over.", "");

export function failure(kind: ModelError["kind"], more: { retryAfterMs?: number } = {}): ModelError {
  return new ModelError(kind, `It failed (${kind}).`, "Do something.", more);
}

function aborted(): ModelEvent {
  return { type: "error", error: new ModelError("aborted", "Stopped.", "") };
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Ends early when the request is aborted. */
async function silence(
  { silence: ms, pings = ms }: Extract<Said, { silence: number }>,
  request: ModelRequest,
): Promise<void> {
  for (let left = ms; left > 0 && !request.signal.aborted; left -= pings) {
    await wait(Math.min(pings, left), undefined, { signal: request.signal }).catch(() => undefined);
    if (left > pings) request.onBytes();
  }
}

/** Texts arrive in two pieces, as from a real server. */
function eventsOf(said: Said, id: string): ModelEvent[] {
  if (typeof said === "string") {
    const deltas = halves(said).map((text) => ({ type: "text-delta", id, text }) as const);
    return [{ type: "text-start", id }, ...deltas, { type: "text-end", id }];
  }
  if ("silence" in said) return [];
  if ("event" in said) return [said.event];
  if ("thinking" in said) {
    const { thinking: text, ...metadata } = said;
    return [
      { type: "reasoning-start", id },
      ...(text ? [{ type: "reasoning-delta", id, text } as const] : []),
      { type: "reasoning-end", id, ...(Object.keys(metadata).length > 0 && { metadata }) },
    ];
  }
  const { call: name, input = {}, raw = JSON.stringify(input), id: callID = `call-${id}`, cut } = said;
  const pieces = cut ? halves(raw).slice(0, 1) : halves(raw);
  return [
    { type: "tool-input-start", id: callID, name },
    ...pieces.map((text) => ({ type: "tool-input-delta", id: callID, text }) as const),
    { type: "tool-input-end", id: callID },
    ...(cut ? [] : [{ type: "tool-call", id: callID, name, raw, arguments: parseArguments(raw) } as const]),
  ];
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}
