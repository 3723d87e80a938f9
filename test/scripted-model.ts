/** A model that plays a script within the process: what the loop does is tested against its events, and nothing else. */
import type { Finish, Tokens } from "../src/loop/message.ts";
import { type Model, ModelError, type ModelEvent, type ModelRequest } from "../src/loop/model.ts";
import { parseArguments } from "../src/loop/models/arguments.ts";

export type Said =
  | string
  | { thinking: string; signature?: string }
  /** `raw` replaces the input's JSON, to be badly written. */
  | { call: string; input?: Record<string, unknown>; raw?: string; id?: string };

export interface Reply {
  say?: Said[];
  /** When absent: what was said means it. */
  finish?: Finish;
  /** `none`: the server reports no usage. */
  tokens?: Partial<Tokens> | "none";
  /** Comes after what was said, in place of the end. */
  fail?: ModelError;
  /** After what was said nothing comes any more, until Stop. */
  hang?: boolean;
  /** The stream is over without having said so. */
  noEnd?: boolean;
  /** Awaited before the last event. */
  before?: () => unknown;
}

/** Replies in order, or a function that makes them; `index` counts requests from 0. */
export type Script = (Reply | Said[])[] | ((request: ModelRequest, index: number) => Reply | Said[]);

export class ScriptedModel implements Model {
  readonly providerID = "anthropic";
  /** With their entries as they were when they were asked. */
  readonly requests: ModelRequest[] = [];
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const index = this.requests.push({ ...request, entries: structuredClone(request.entries) }) - 1;
    const next = typeof this.#script === "function" ? this.#script(request, index) : this.#script[index];
    const reply: Reply = Array.isArray(next) ? { say: next } : (next ?? { fail: scriptIsOver });
    yield { type: "start" };
    yield { type: "start-step" };
    for (const [at, said] of (reply.say ?? []).entries()) {
      for (const event of eventsOf(said, `${index}-${at}`)) {
        if (request.signal.aborted) return yield aborted();
        yield event;
      }
    }
    await reply.before?.();
    if (reply.hang) await whenAborted(request.signal);
    if (request.signal.aborted) return yield aborted();
    if (reply.fail) return yield { type: "error", error: reply.fail };
    if (reply.noEnd) return;
    const calls = (reply.say ?? []).some((said) => typeof said !== "string" && "call" in said);
    const tokens =
      reply.tokens === "none"
        ? undefined
        : { input: 10, output: 5, reasoning: 0, cacheRead: 0, cacheWrite: 0, ...reply.tokens };
    yield { type: "finish-step", reason: reply.finish ?? (calls ? "tool-calls" : "stop"), tokens };
    yield { type: "finish" };
  }
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

/** Texts come in two pieces, as they do in life. */
function eventsOf(said: Said, id: string): ModelEvent[] {
  if (typeof said === "string") {
    const deltas = halves(said).map((text) => ({ type: "text-delta", id, text }) as const);
    return [{ type: "text-start", id }, ...deltas, { type: "text-end", id }];
  }
  if ("thinking" in said) {
    const { thinking: text, signature } = said;
    return [
      { type: "reasoning-start", id },
      { type: "reasoning-delta", id, text },
      { type: "reasoning-end", id, ...(signature !== undefined && { metadata: { signature } }) },
    ];
  }
  const { call: name, input = {}, raw = JSON.stringify(input), id: callID = `call-${id}` } = said;
  return [
    { type: "tool-input-start", id: callID, name },
    ...halves(raw).map((text) => ({ type: "tool-input-delta", id: callID, text }) as const),
    { type: "tool-input-end", id: callID },
    { type: "tool-call", id: callID, name, raw, arguments: parseArguments(raw) },
  ];
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}
