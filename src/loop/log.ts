import type { LoopEvent, LoopEventBody } from "./loop-events.ts";

export interface Log {
  /** Takes the events of the loop, those of subagents included (K1). */
  event(event: LoopEvent): void;
  /** Takes the time from a request to the first byte of the reply `messageID`. */
  firstByte(messageID: string, afterMs: number): void;
  /** Logs what is worth knowing later. */
  note(message: string): void;
  /** Logs what should not have happened, with its stack. */
  bug(error: unknown): void;
}

/** Returns the function with which a run publishes its events. A listener that fails does not break the run. */
export function reporter(log: Log, runId: string): (event: LoopEventBody) => void {
  return (event) => {
    try {
      log.event({ ...event, runId });
    } catch (error) {
      log.bug(error);
    }
  };
}
