/** How a call ends with its turn, or at its own time limit (spec T4, L11). */
import assert from "node:assert/strict";
import { mock } from "node:test";
import { Deadline } from "../../src/loop/calls/deadline.ts";
import { deferred } from "../../src/loop/session/deferred.ts";

const never = () => new Promise<never>(() => {});
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Says whether a promise has settled, and how. */
function watched(promise: Promise<unknown>): { end: string | undefined } {
  const state: { end: string | undefined } = { end: undefined };
  promise.then(
    (value) => {
      state.end = `returned ${value}`;
    },
    (error: Error) => {
      state.end = error.message;
    },
  );
  return state;
}

describe("T4 the deadline of a call", () => {
  const open: Deadline[] = [];
  const begin = (signal: AbortSignal, depth = 0) => {
    const deadline = new Deadline(signal, depth);
    open.push(deadline);
    return deadline;
  };
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => {
    for (const deadline of open.splice(0)) deadline.close();
    mock.timers.reset();
  });

  it("T4 comes at the limit, not before, with its sentence", () => {
    const deadline = begin(new AbortController().signal);
    const sentence = new Error("It took too long.");
    deadline.limit(500, sentence);
    mock.timers.tick(499);
    assert.equal(deadline.signal.aborted, false);
    mock.timers.tick(1);
    assert.equal(deadline.signal.reason, sentence);
  });

  it("L11 comes with the end of the turn, also of one that has ended already, and with its reason", () => {
    const turn = new AbortController();
    const reason = new Error("Stop.");
    const early = begin(turn.signal);
    assert.equal(early.signal.aborted, false);
    turn.abort(reason);
    assert.equal(early.signal.reason, reason);
    assert.equal(begin(turn.signal).signal.reason, reason);
  });

  it("T4 no longer comes once the call has ended", () => {
    const turn = new AbortController();
    const deadline = begin(turn.signal);
    deadline.limit(500, new Error("late"));
    deadline.close();
    mock.timers.tick(10_000);
    turn.abort(new Error("later"));
    assert.equal(deadline.signal.aborted, false);
  });

  it("T4 a call that ends by itself keeps its result or its error", async () => {
    const deadline = begin(new AbortController().signal);
    assert.equal(await deadline.guard(Promise.resolve(1)), 1);
    await assert.rejects(deadline.guard(Promise.reject(new Error("broken"))), /broken/);
  });

  it("L11 a call that ends within the grace after the abort keeps its result", async () => {
    const turn = new AbortController();
    const deadline = begin(turn.signal);
    const work = deferred<string>();
    const guarded = deadline.guard(work.promise);
    turn.abort(new Error("Stop."));
    mock.timers.tick(999);
    work.resolve("partial");
    assert.equal(await guarded, "partial");
  });

  for (const [depth, grace] of [
    [0, 1000],
    [1, 900],
    [3, 700],
  ] as const) {
    it(`L11 T4 a call of depth ${depth} that does not end is given up ${grace} ms after the abort, before its parent's`, async () => {
      for (const isEarly of [true, false]) {
        const turn = new AbortController();
        const deadline = begin(turn.signal, depth);
        if (isEarly) turn.abort(new Error("Stop."));
        const guarded = watched(deadline.guard(never()));
        if (!isEarly) {
          mock.timers.tick(10_000);
          await settled();
          assert.equal(guarded.end, undefined, "it may take its time before");
          turn.abort(new Error("Stop."));
        }
        mock.timers.tick(grace - 1);
        await settled();
        assert.equal(guarded.end, undefined);
        mock.timers.tick(1);
        await settled();
        assert.equal(guarded.end, "Stop.");
      }
    });
  }

  it("T4 a call that has ended leaves no timer behind, also when its turn is stopped afterwards", async () => {
    const began = mock.method(globalThis, "setTimeout").mock;
    const ended = mock.method(globalThis, "clearTimeout").mock;
    try {
      const turn = new AbortController();
      const deadline = begin(turn.signal);
      await deadline.guard(Promise.resolve());
      turn.abort(new Error("Stop."));
      assert.equal(began.callCount(), 0);
      await begin(turn.signal).guard(Promise.resolve());
      const timers = began.calls.map(({ result }) => result);
      assert.equal(timers.length, 1);
      assert.deepEqual(timers, ended.calls.map((call) => call.arguments[0]).filter(Boolean));
    } finally {
      began.restore();
      ended.restore();
    }
  });
});
