/** Notices a model that goes in circles (spec T6). */
import type { Chat, Entry } from "../../chat/apply.ts";
import type { ToolPart } from "../../chat/message.ts";
import { sameJson } from "./same-json.ts";

/** A call, and what came of it; undefined while it runs, and for calls that were not allowed. */
export interface MadeCall {
  tool: string;
  input: Record<string, unknown>;
  output: string | undefined;
}

/** The longest cycle that is noticed, in calls. */
const longestCycle = 4;

/** So many times as often may calls be repeated that answer something new each time, as polling does. */
const patience = 4;

/**
 * Whether the newest call, which is still to be made, closes a circle: the same call `threshold` times in a row, or the
 * same few in the same order as often.
 * @param calls of the turn, newest first; `callsInView` of them are enough
 */
export function goesInCircles(calls: readonly MadeCall[], threshold: number): boolean {
  if (threshold <= 0) return false;
  for (let length = 1; length <= longestCycle; length++) {
    const { times, brings } = cycle(calls, length, threshold);
    if (times >= (brings === "news" ? threshold * patience : threshold)) return true;
  }
  return false;
}

export function callsInView(threshold: number): number {
  return longestCycle * patience * threshold;
}

/** How often the newest `length` calls came in a row, and whether their outputs changed while they did. */
function cycle(calls: readonly MadeCall[], length: number, threshold: number): { times: number; brings: Bringing } {
  let brings: Bringing = "nothing";
  let at = 0;
  for (; ; at++) {
    const call = calls[at];
    const before = calls[at + length];
    if (!call || !before || call.tool !== before.tool || !sameJson(call.input, before.input)) break;
    if (at + length < length * threshold && isNews(call, before)) brings = "news";
  }
  return { times: Math.floor((at + length) / length), brings };
}

type Bringing = "news" | "nothing";

function isNews({ output }: MadeCall, before: MadeCall): boolean {
  return output !== undefined && before.output !== undefined && output !== before.output;
}

/** Watches the calls of one turn. */
export class DoomWatch {
  /** The call that the user let pass: counting begins anew behind it. */
  #passed: string | undefined;
  #refusals = 0;

  /** Looks back a few calls only, however long the chat is. `partID` is the call that is to be made. */
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
    gather(1 + longestCycle);
    // Nearly all calls differ from the few before them, and need no closer look.
    if (!calls.some((one, index) => index > 0 && one.tool === call.tool && sameJson(one.input, call.input)))
      return false;
    gather(callsInView(threshold));
    return goesInCircles(calls, threshold);
  }

  pass(partID: string): void {
    this.#passed = partID;
  }

  /** @returns how often in this turn */
  refuse(): number {
    return ++this.#refusals;
  }
}

/** The calls before this one and since the user spoke, newest first. */
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

/** Whether the user has said something in it. */
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
