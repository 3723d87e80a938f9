/** A trace with everything that its page shows: retries, a question, a failure, and a subagent that still runs. */
import type { CallTrace, StepTrace, Trace } from "../../src/chat/trace.ts";
import * as f from "./fixtures.ts";
import type { State } from "./states.ts";

const start = f.now - 42_000;
const model = { providerID: "anthropic", modelID: "claude-sonnet-4-5" };
const error = { code: "overloaded", message: "Anthropic is overloaded.", next: "" } as const;

const step = (id: string, from: number, to: number, change: Partial<StepTrace> = {}): StepTrace => ({
  messageID: id,
  kind: "reply",
  model,
  startedAt: start + from,
  endedAt: start + to,
  firstByteMs: 820,
  tokens: { input: 400, output: 312, reasoning: 0, cacheRead: 11_600, cacheWrite: 0 },
  cost: 0.012,
  finish: "tool-calls",
  error: undefined,
  retries: [],
  calls: [],
  ...change,
});
const call = (id: string, tool: string, title: string, from: number, to: number | undefined): CallTrace => ({
  partID: id,
  callID: id,
  tool,
  title,
  status: to === undefined ? "running" : "completed",
  startedAt: start + from,
  endedAt: to === undefined ? undefined : start + to,
  decision: {
    outcome: "allowed",
    why: "Allowed: files of the workspace may be read.",
    question: undefined,
    waitedMs: 0,
  },
  turns: [],
});

export const trace: Trace = {
  sessionID: "ses_1",
  title: "Fix the rounding in cart totals",
  turns: [
    {
      messageID: "msg_1",
      sessionID: "ses_1",
      agent: "build",
      startedAt: start,
      endedAt: undefined,
      steps: [
        step("msg_2", 40, 6200, {
          retries: [{ attempt: 1, at: start + 900, error }],
          calls: [call("prt_1", "read", "Read src/cart.ts", 6200, 6208)],
        }),
        step("msg_3", 6210, 11_400, {
          calls: [
            {
              ...call("prt_2", "bash", "npm test -- cart", 15_100, 21_700),
              status: "error",
              decision: {
                outcome: "allowed",
                why: "Asks because no rule allows it.",
                question: "Run this command?",
                waitedMs: 3650,
              },
            },
          ],
        }),
        step("msg_4", 21_750, 26_000, {
          cost: undefined,
          firstByteMs: undefined,
          calls: [
            {
              ...call("prt_3", "task", "explore: Find all callers of total()", 26_000, undefined),
              turns: [
                {
                  messageID: "msg_5",
                  sessionID: "ses_2",
                  agent: "explore",
                  startedAt: start + 26_010,
                  endedAt: undefined,
                  steps: [
                    step("msg_6", 26_020, 31_000, { calls: [call("prt_4", "grep", "Search total(", 31_000, 31_040)] }),
                  ],
                },
              ],
            },
          ],
        }),
      ],
    },
  ],
};

const open = f.snapshot(f.chat(trace.title, [f.asked]));

export const traceStates: Record<string, State> = {
  trace: { messages: [open, { type: "show-trace" }, { type: "trace", trace }] },
  "trace-empty": { messages: [open, { type: "show-trace" }, { type: "trace", trace: { ...trace, turns: [] } }] },
};
