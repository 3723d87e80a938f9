import type { LoopEvent, LoopEventBody } from "./loop-events.ts";

export interface Log {
  /** Receives the events of the loop, including those of subagents (K1). */
  event(event: LoopEvent): void;
  firstByte(messageID: string, afterMs: number): void;
  note(message: string): void;
  bug(error: unknown): void;
}

/** Returns the function with which a run publishes its events. A failing listener does not affect the run. */
export function reporter(log: Log, runId: string): (event: LoopEventBody) => void {
  return (event) => {
    try {
      log.event({ ...event, runId });
    } catch (error) {
      log.bug(error);
    }
  };
}
