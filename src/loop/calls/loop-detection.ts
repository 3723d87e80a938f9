/** Detects a model that repeats the same calls (spec T6). opencode calls this a "doom loop". */
import type { Chat, Entry } from "../../chat/apply.ts";
import type { ToolPart } from "../../chat/message.ts";
import { sameJson } from "./same-json.ts";

export interface MadeCall {
  tool: string;
  input: Record<string, unknown>;
  /** Undefined while it runs, and for calls that were not allowed. */
  output: string | undefined;
}

/** Length of the longest cycle that is detected, in calls. */
const maxCycleLength = 4;

/** Factor for calls whose output changes each time, as polling does: they may be repeated this many times as often. */
const pollingFactor = 4;

/**
 * Whether the newest call, which is still to be made, completes a loop: the same call, or the same few in the same order,
 * `threshold` times in a row.
 * @param calls of the turn, newest first; `maxCallsCompared` of them are enough
 */
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

/** Counts how often the newest `length` calls came in a row. `isPolling`: their outputs changed meanwhile. */
function countCycles(
  calls: readonly MadeCall[],
  length: number,
  threshold: number,
): { times: number; isPolling: boolean } {
  let isPolling = false;
  let at = 0;
  for (; ; at++) {
    const call = calls[at];
    const before = calls[at + length];
    if (!call || !before || call.tool !== before.tool || !sameJson(call.input, before.input)) break;
    if (at + length < length * threshold && hasNewOutput(call, before)) isPolling = true;
  }
  return { times: Math.floor((at + length) / length), isPolling };
}

function hasNewOutput({ output }: MadeCall, before: MadeCall): boolean {
  return output !== undefined && before.output !== undefined && output !== before.output;
}

/** Watches the calls of one turn. */
export class LoopDetection {
  /** The part of the last call that was allowed although it was repeated; counting restarts after it. */
  #passed: string | undefined;
  #refusals = 0;

  /** Whether `call`, which stands at `at` and is still to be made, completes a loop. Looks back a few calls only. */
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
    // Nearly all calls differ from the few before them; those need no more comparisons.
    if (!calls.some((one, index) => index > 0 && one.tool === call.tool && sameJson(one.input, call.input)))
      return false;
    gather(maxCallsCompared(threshold));
    return isLoop(calls, threshold);
  }

  pass(partID: string): void {
    this.#passed = partID;
  }

  /** Counts a refusal. @returns the refusals in this turn */
  refuse(): number {
    return ++this.#refusals;
  }
}

/** Yields the calls between the user's last prompt and this call, newest first. */
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
      if (isPrompt(entry)) return;
      continue;
    }
    for (const part of entry.parts.toReversed()) {
      if (part.type !== "tool") continue;
      if (part.id === until) return;
      if (isBefore) yield madeCall(part);
      else isBefore = entry.info.id === messageID && part.id === partID;
    }
  }
}

/** Whether the entry holds words of the user. */
function isPrompt({ parts }: Entry): boolean {
  return parts.some((part) => {
    if (part.type === "text") return !part.synthetic && !part.ignored;
    return part.type === "file" || part.type === "agent" || part.type === "subtask";
  });
}

function madeCall({ tool, state }: ToolPart): MadeCall {
  return { tool, input: state.input, output: outputOf(state) };
}

function outputOf(state: ToolPart["state"]): string | undefined {
  if (state.status === "completed") return state.output;
  return state.status === "error" && !state.metadata?.denied ? state.error : undefined;
}
