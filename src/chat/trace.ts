/** The trace of a session: its steps and their durations. Points in time are in ms since 1970. */
import type { Finish, ModelRef, ReplyError, Tokens } from "./message.ts";

export interface Trace {
  sessionID: string;
  title: string;
  turns: TurnTrace[];
}

/** A prompt and everything that answered it, or the task of a subagent. */
export interface TurnTrace {
  messageID: string;
  sessionID: string;
  agent: string;
  startedAt: number;
  endedAt: number | undefined;
  steps: StepTrace[];
}

export interface StepTrace {
  messageID: string;
  kind: "reply" | "summary" | "notes";
  model: ModelRef;
  startedAt: number;
  /** The end of the reply, before its calls run; undefined while it streams. */
  endedAt: number | undefined;
  /** From the request to the first byte of the reply, for the last attempt; undefined when the trace was closed. */
  firstByteMs: number | undefined;
  tokens: Tokens;
  /** USD; undefined when the model's price is unknown. */
  cost: number | undefined;
  finish: Finish | undefined;
  error: ReplyError | undefined;
  retries: { attempt: number; at: number; error: ReplyError }[];
  calls: CallTrace[];
}

export interface CallTrace {
  partID: string;
  callID: string;
  tool: string;
  title: string;
  status: "pending" | "running" | "completed" | "error";
  startedAt: number | undefined;
  endedAt: number | undefined;
  /** Undefined when the trace was closed, and for calls without a decision. */
  decision: CallDecision | undefined;
  turns: TurnTrace[];
}

export interface CallDecision {
  outcome: "allowed" | "denied";
  /** The rule, mode, protected file or hook that decided or made Rondo ask, in words. */
  why: string;
  question: string | undefined;
  /** Time until the decision, including waiting for the user. */
  waitedMs: number;
}

export function inputTokens({ input, cacheRead, cacheWrite }: Tokens): number {
  return input + cacheRead + cacheWrite;
}

/** Share of the request that the provider read from its cache, 0–1; undefined when it reported no input. */
export function cachedShare(tokens: Tokens): number | undefined {
  const sent = inputTokens(tokens);
  return sent === 0 ? undefined : tokens.cacheRead / sent;
}
