/** Facts that only the loop's events tell, kept while somebody looks at the trace; all others are in the chat. */
import type { CallDecision } from "../chat/trace.ts";
import type { LoopEvent } from "../loop/loop-events.ts";

export interface Measurements {
  /** Time from a request to its first byte, in ms, by the id of the assistant message. */
  readonly firstBytes: ReadonlyMap<string, number>;
  readonly decisions: ReadonlyMap<string, CallDecision>;
}

/** Takes the loop's events of a session and its subagents. Forgets the oldest facts beyond `limit` of each kind. */
export class MeasurementCollector implements Measurements {
  readonly firstBytes = new Map<string, number>();
  readonly decisions = new Map<string, CallDecision>();
  readonly #limit: number;

  constructor(limit = 10_000) {
    this.#limit = limit;
  }

  take(event: LoopEvent): void {
    if (event.type === "tool:end" && event.decision) this.#put(this.decisions, event.partId, event.decision);
  }

  firstByte(messageID: string, afterMs: number): void {
    this.#put(this.firstBytes, messageID, afterMs);
  }

  #put<T>(facts: Map<string, T>, key: string, value: T): void {
    facts.set(key, value);
    if (facts.size <= this.#limit) return;
    const [oldest] = facts.keys();
    if (oldest !== undefined) facts.delete(oldest);
  }
}
