/** Measures sessions from when this is created, builds their traces, and delivers each finished run. */
import type { Chat } from "../chat/apply.ts";
import type { CallDecision, Trace, TurnTrace } from "../chat/trace.ts";
import type { LoopEvent } from "../loop/loop-events.ts";
import { buildTrace, type Measurements } from "./build.ts";

export interface TracerOptions {
  /** Returns the chat of a session; undefined for sessions of subagents, which belong to their parent's trace. */
  chatOf(sessionID: string): Chat | undefined;
  deliver(turns: readonly TurnTrace[]): void;
}

export class Tracer {
  readonly #options: TracerOptions;
  readonly #measured = new MeasurementCollector();
  /** Unfinished runs: the chat, and the index of the prompt that they answer. */
  readonly #runs = new Map<string, { chat: Chat; prompt: number }>();

  constructor(options: TracerOptions) {
    this.#options = options;
  }

  trace(chat: Chat): Trace {
    return buildTrace(chat, this.#measured);
  }

  firstByte(messageID: string, afterMs: number): void {
    this.#measured.firstByte(messageID, afterMs);
  }

  take(event: LoopEvent): void {
    this.#measured.take(event);
    if (event.type === "loop:start") {
      const chat = this.#options.chatOf(event.sessionId);
      const prompt = chat?.messages.findLastIndex(({ info }) => info.role === "user") ?? -1;
      if (chat) this.#runs.set(event.runId, { chat, prompt: Math.max(0, prompt) });
    } else if (event.type === "loop:end") {
      const run = this.#runs.get(event.runId);
      if (!run) return;
      this.#runs.delete(event.runId);
      const ids = new Set(run.chat.messages.slice(run.prompt).map(({ info }) => info.id));
      this.#options.deliver(this.trace(run.chat).turns.filter(({ messageID }) => ids.has(messageID)));
    }
  }
}

/** The oldest facts of each kind beyond this number are forgotten. */
const factsLimit = 10_000;

class MeasurementCollector implements Measurements {
  readonly firstBytes = new Map<string, number>();
  readonly decisions = new Map<string, CallDecision>();

  take(event: LoopEvent): void {
    if (event.type === "tool:end" && event.decision) this.#put(this.decisions, event.partId, event.decision);
  }

  firstByte(messageID: string, afterMs: number): void {
    this.#put(this.firstBytes, messageID, afterMs);
  }

  #put<T>(facts: Map<string, T>, key: string, value: T): void {
    facts.set(key, value);
    if (facts.size <= factsLimit) return;
    const [oldest] = facts.keys();
    if (oldest !== undefined) facts.delete(oldest);
  }
}
