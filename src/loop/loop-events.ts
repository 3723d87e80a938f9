import type { CallDecision } from "../chat/trace.ts";

/** Events of the loop under the names of spec K1, for logs, traces and tests. Durations in ms. */
export type LoopEventBody =
  | { type: "loop:start"; sessionId: string }
  | { type: "loop:context"; tokenEstimate: number }
  | { type: "loop:execute"; toolCount: number }
  | { type: "tool:start"; toolName: string; toolCallId: string }
  | {
      type: "tool:end";
      toolName: string;
      toolCallId: string;
      /** Id of the call's part: unlike `toolCallId`, unique across sessions. */
      partId: string;
      result: "completed" | "error";
      /** The result that the model gets. */
      output: string;
      duration: number;
      /** Undefined when the call failed before any decision. */
      decision: CallDecision | undefined;
    }
  | { type: "stream:delta"; content: string }
  | { type: "loop:persist" }
  | { type: "loop:end"; success: boolean; duration: number }
  | { type: "loop:error"; error: string };

/** Returns an event as logs hold it, which get no contents of files. */
export function forLog(event: LoopEvent): LoopEvent | Omit<Extract<LoopEvent, { type: "tool:end" }>, "output"> {
  if (event.type !== "tool:end") return event;
  const { output: _, ...rest } = event;
  return rest;
}

/** Runs of subagents are inside the call of their parent and may overlap: `runId` distinguishes them. */
export type LoopEvent = LoopEventBody & { runId: string };
