/** The loop's own events, under the names of spec K1: for logs, tests and whoever watches a run from outside. */
export type LoopEvent =
  | { type: "loop:start"; runId: string; sessionId: string }
  | { type: "loop:context"; tokenEstimate: number }
  | { type: "loop:execute"; toolCount: number }
  | { type: "tool:start"; toolName: string; toolCallId: string }
  | { type: "tool:end"; toolName: string; toolCallId: string; result: "completed" | "error"; duration: number }
  | { type: "stream:delta"; content: string }
  | { type: "loop:persist" }
  | { type: "loop:end"; runId: string; success: boolean; duration: number }
  | { type: "loop:error"; runId: string; error: string };
