/** Detects a model that repeats the same calls (spec T6). opencode calls this a "doom loop". */

import { sameJson } from "../../base/json.ts";
import type { Chat, Entry } from "../../chat/apply.ts";
import type { ToolPart } from "../../chat/message.ts";
import { isPrompt } from "../../chat/words.ts";

export interface MadeCall {
  tool: string;
  input: Record<string, unknown>;
  /** Undefined while it runs, and for calls that were not allowed. */
  output: string | undefined;
}

const maxCycleLength = 4;

/** Calls that poll, with changing output, may be repeated this many times as often. */
const pollingFactor = 4;

/** A command that waits, such as `sleep 5; cat log`; also the step of a loop. */
const waits = /(?:^|[\n;&|({]|\b(?:do|then|else)\s)[ \t]*sleep\s+[\d.]*[1-9]/;

/** Whether a call is known to poll. A test that prints another time with each run is not: it is repeated work. */
function isPoll({ tool, input }: MadeCall): boolean {
  if (tool === "bash_output") return true;
  const { command } = input;
  return tool === "bash" && typeof command === "string" && waits.test(command);
}

/** Whether the newest of `calls` (newest first) completes a loop: the same few calls, `threshold` times in a row. */
export function isLoop(calls: readonly MadeCall[], threshold: number): boolean {
  if (threshold <= 0) return false;
  for (let length = 1; length <= maxCycleLength; length++) {
    const { times, isPolling } = countCycles(calls, length, threshold);
    if (times >= (isPolling ? threshold * pollingFactor : threshold)) return true;
  }
  return false;
}

export function maxCallsCompared(threshold: number): number {
  return maxCycleLength * pollingFactor * threshold;
}

/** Counts repetitions of the newest `length` calls. `isPolling`: all of them poll, and their outputs changed meanwhile. */
function countCycles(
  calls: readonly MadeCall[],
  length: number,
  threshold: number,
): { times: number; isPolling: boolean } {
  const poll = calls.slice(0, length).every(isPoll);
  let isPolling = false;
  let at = 0;
  for (; ; at++) {
    const call = calls[at];
    const before = calls[at + length];
    if (!call || !before || call.tool !== before.tool || !sameJson(call.input, before.input)) break;
    if (poll && at + length < length * threshold && hasNewOutput(call, before)) isPolling = true;
  }
  return { times: Math.floor((at + length) / length), isPolling };
}

function hasNewOutput({ output }: MadeCall, before: MadeCall): boolean {
  return output !== undefined && before.output !== undefined && output !== before.output;
}

export class LoopDetection {
  /** Part id of the last repeated call that was allowed; counting restarts after it. */
  #passed: string | undefined;
  #refusals = 0;

  /** Whether `call`, at position `at` and not made yet, completes a loop. */
  notices(chat: Chat, at: { messageID: string; partID: string }, call: MadeCall, threshold: number): boolean {
    const before = callsBefore(chat.messages, at, this.#passed);
    const calls = [call];
    const gather = (count: number) => {
      while (calls.length < count) {
        const { value, done } = before.next();
        if (done) return;
        calls.push(value);
      }
    };
    gather(1 + maxCycleLength);
    // Nearly all calls differ from the few before them, and need no further comparison.
    if (!calls.some((one, index) => index > 0 && one.tool === call.tool && sameJson(one.input, call.input)))
      return false;
    gather(maxCallsCompared(threshold));
    return isLoop(calls, threshold);
  }

  pass(partID: string): void {
    this.#passed = partID;
  }

  refuse(): number {
    return ++this.#refusals;
  }
}

function* callsBefore(
  entries: readonly Entry[],
  { messageID, partID }: { messageID: string; partID: string },
  until: string | undefined,
): Generator<MadeCall, void> {
  let isBefore = false;
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (!entry) return;
    if (entry.info.role === "user") {
      if (isPrompt(entry.parts)) return;
      continue;
    }
    for (const part of entry.parts.toReversed()) {
      if (part.type !== "tool") continue;
      if (part.id === until) return;
      if (isBefore) yield { tool: part.tool, input: part.state.input, output: outputOf(part.state) };
      else isBefore = entry.info.id === messageID && part.id === partID;
    }
  }
}

function outputOf(state: ToolPart["state"]): string | undefined {
  if (state.status === "completed") return state.output;
  return state.status === "error" && !state.metadata?.denied ? state.error : undefined;
}
