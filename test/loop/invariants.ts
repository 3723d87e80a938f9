/** Invariants of every session. */
import assert from "node:assert/strict";
import type { Chat } from "../../src/chat/apply.ts";
import type { ChatEvent } from "../../src/chat/events.ts";
import type { ToolPart } from "../../src/chat/message.ts";
import { waitingCalls } from "../../src/loop/calls/close-calls.ts";
import type { LoopEvent } from "../../src/loop/loop-events.ts";

export function callsOf(chat: Chat): ToolPart[] {
  return chat.messages.flatMap(({ parts }) => parts).filter((part) => part.type === "tool");
}

/** L10, I3: nothing is open, each call has one result, ids are not used twice. */
export function checkSettled(chat: Chat): void {
  assert.equal(chat.status.type, "idle");
  assert.deepEqual(chat.requests, []);
  for (const { info } of chat.messages) {
    if (info.role === "assistant") assert.ok(info.completedAt, `the reply ${info.id} has no end`);
  }
  // A question that was open when the window was closed comes back with the session (R3).
  const waiting = new Set(waitingCalls(chat).map(({ id }) => id));
  for (const { id, state, tool } of callsOf(chat)) {
    if (waiting.has(id)) continue;
    assert.ok(state.status === "completed" || state.status === "error", `the call of ${tool} is ${state.status}`);
  }
  const ids = chat.messages.flatMap(({ info, parts }) => [info.id, ...parts.map((part) => part.id)]);
  assert.equal(new Set(ids).size, ids.length, "an id is used twice");
  // A prompt gets its id when it is queued, which may be before earlier messages exist.
  const order = chat.messages.flatMap(({ info }) => (info.role === "assistant" ? [info.id] : []));
  assert.deepEqual(order, order.toSorted(), "D1: the ids are not in the order of the replies");
}

const steps: Record<string, string[]> = {
  pending: ["pending", "running"],
  running: ["running", "completed", "error"],
  completed: [],
  error: [],
};

/** D4: the states of each call are in their only valid order. A reset starts the reply again. */
export function checkStates(events: readonly ChatEvent[]): void {
  const states = new Map<string, string>();
  for (const event of events) {
    if (event.type !== "part" || event.part.type !== "tool") continue;
    const { id, state } = event.part;
    const before = states.get(id);
    const may = before === undefined ? ["pending"] : steps[before];
    assert.ok(may?.includes(state.status), `the call ${id} went from ${before} to ${state.status}`);
    states.set(id, state.status);
  }
}

/** K1: each run is in a legal order, the runs of a session do not overlap, and a subagent runs within a call. */
export function checkLoopEvents(events: readonly LoopEvent[]): void {
  const running = new Map<string, string>();
  const openCalls = new Map<string, number>();
  for (const event of events) {
    const { runId } = event;
    if (event.type === "loop:start") {
      assert.ok(![...running.values()].includes(event.sessionId), "two runs of one session");
      const isWithinCall = [...running.keys()].some((parent) => (openCalls.get(parent) ?? 0) > 0);
      assert.ok(running.size === 0 || isWithinCall, "a run within another that has no open call");
      running.set(runId, event.sessionId);
    }
    if (event.type === "tool:start") openCalls.set(runId, (openCalls.get(runId) ?? 0) + 1);
    if (event.type === "tool:end") openCalls.set(runId, (openCalls.get(runId) ?? 0) - 1);
    if (event.type === "loop:end") running.delete(runId);
  }
  for (const run of new Set(events.map(({ runId }) => runId))) checkRun(events.filter(({ runId }) => runId === run));
}

function checkRun(events: readonly LoopEvent[]): void {
  let ended = true;
  let mayStream = false;
  let failed = false;
  let toCome = 0;
  const open = new Set<string>();
  for (const event of events) {
    assert.ok(!ended || event.type === "loop:start", `${event.type} after the end`);
    switch (event.type) {
      case "loop:start":
        assert.ok(ended, "loop:start within a run");
        ended = false;
        failed = false;
        break;
      case "loop:context":
        assert.equal(open.size, 0);
        mayStream = true;
        break;
      case "stream:delta":
        assert.ok(mayStream, "stream:delta out of place");
        break;
      case "loop:execute":
        assert.ok(mayStream, "loop:execute without a reply");
        mayStream = false;
        toCome = event.toolCount;
        break;
      case "tool:start":
        assert.ok(!mayStream && toCome-- > 0, "tool:start out of place");
        assert.ok(!open.has(event.toolCallId));
        open.add(event.toolCallId);
        break;
      case "tool:end":
        assert.ok(open.delete(event.toolCallId), "tool:end without its start");
        break;
      case "loop:persist":
        assert.equal(open.size, 0);
        mayStream = false;
        break;
      case "loop:error":
        failed = true;
        break;
      case "loop:end":
        assert.equal(open.size, 0, "a tool is still open at the end");
        assert.ok(!(event.success && failed), "a run that failed is called a success");
        ended = true;
        break;
    }
  }
  assert.ok(ended, "the run has no end");
}
