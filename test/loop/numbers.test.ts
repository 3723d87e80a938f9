/** The numbers of the specification, each just below and at its limit. */
import assert from "node:assert/strict";
import { mock } from "node:test";
import type { ChatEvent } from "../../src/chat/events.ts";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import { type HookEvent, type Hooks, noHooks, noOutcome } from "../../src/loop/hooks.ts";
import { defaultLimits } from "../../src/loop/limits.ts";
import { Watchdog } from "../../src/loop/reply/reply.ts";
import { failure } from "../scripted-model.ts";
import { continueBudget } from "./answers.ts";
import { harnesses } from "./harness.ts";

const glob = (pattern: string) => ({ call: "glob", input: { pattern } });
const local = { providerID: "anthropic", modelID: "local" };
const prices = { local: { input: 0, output: 10, cacheRead: 0, cacheWrite: 0 } };

describe("B2 budgets", () => {
  const open = harnesses();
  const alone = { attended: false, choices: { model: local } };
  const spending = (output: number) => [{ say: [glob("a*")], tokens: { input: 0, output } }, ["Done."]];

  it("B2 a budget of 1 USD ends the turn at 1 USD, and not a hundred-thousandth below", async () => {
    for (const [output, reason] of [
      [99_999, "end_turn"],
      [100_000, "error_max_budget_usd"],
    ] as const) {
      const h = open(spending(output), { ...alone, limits: { maxBudgetUsd: 1, prices } });
      assert.equal((await h.turn()).reason, reason, String(output));
    }
  });

  it("B2 a budget of 5,000 tokens ends the turn at 5,000, and not at 4,999", async () => {
    for (const [output, reason] of [
      [4_999, "end_turn"],
      [5_000, "error_max_budget_usd"],
    ] as const) {
      const last = { say: ["Done."], tokens: { input: 0, output: 0 } };
      const h = open([{ say: [glob("a*")], tokens: { input: 0, output } }, last], {
        ...alone,
        limits: { maxBudgetTokens: 5_000 },
      });
      assert.equal((await h.turn()).reason, reason, String(output));
    }
  });

  it("B2 the budget of a day ends a turn before its first request when others have used it up, and not below it", async () => {
    for (const [today, requests] of [
      [4.99, 1],
      [5, 0],
    ] as const) {
      const ledger = { today: () => today, add() {} };
      const h = open([["Done."]], { ...alone, ledger, limits: { maxDailyBudgetUsd: 5, prices } });
      await h.turn();
      assert.equal(h.model.requests.length, requests, String(today));
    }
  });

  it("B2 Continue allows the same amount again: the next question comes at its end, and not below", async () => {
    const outputs = [1_000, 999, 1];
    const script = [
      ...outputs.map((output, at) => ({ say: [glob(`${at}*`)], tokens: { input: 0, output } })),
      ["Done."],
    ];
    const h = open(script, { choices: { model: local }, limits: { maxBudgetTokens: 1_000 } });
    const turn = h.turn();
    const first = await h.answerNext(continueBudget);
    assert.partialDeepStrictEqual(first, { spentTokens: 1_000, nextLimitTokens: 2_000 });
    const second = await h.answerNext(continueBudget);
    assert.partialDeepStrictEqual(second, { spentTokens: 2_000, limitTokens: 1_000, nextLimitTokens: 3_000 });
    assert.equal((await turn).reason, "end_turn");
  });
});

describe("0 means no limit", () => {
  const open = harnesses();
  const long = [...Array.from({ length: 120 }, (_, at) => [glob(`${at}*`)]), ["Done."]];

  it("L1 100 replies are the limit of a turn by default; with maxTurns 0 there is none", async () => {
    const usual = open(long);
    assert.deepEqual([(await usual.turn()).reason, usual.model.requests.length], ["max_turns", 100]);
    const endless = open(long, { limits: { maxTurns: 0 } });
    assert.deepEqual([(await endless.turn()).reason, endless.model.requests.length], ["end_turn", 121]);
  });

  it("B2 budgets of 0 end nothing, and need no price", async () => {
    const limits = { maxBudgetUsd: 0, maxDailyBudgetUsd: 0, maxBudgetTokens: 0 };
    const h = open([[glob("a*")], ["Done."]], { limits, attended: false, choices: { model: local } });
    assert.equal((await h.turn()).reason, "end_turn");
  });

  it("L1 P4 a subagent's own limit of replies holds also then", async () => {
    const looker = { ...new AgentCatalog().find("explore"), name: "looker", steps: 2 };
    const task = { call: "task", input: { description: "Look", prompt: "Look", subagent_type: "looker" } };
    const h = open(
      ({ entries }, index) => {
        if (index === 0) return [task];
        return entries.some(({ parts }) => parts.some((part) => part.type === "text" && part.text === "Look"))
          ? [glob(`${index}*`)]
          : ["Done."];
      },
      { limits: { maxTurns: 0 }, project: { agents: new AgentCatalog([looker]) } },
    );
    await h.turn();
    assert.equal(h.model.requests.length, 4, "one of the parent, two of the child, one of the parent");
  });
});

describe("H5 H6 a model that does not answer", () => {
  const open = harnesses();
  const fallback = { providerID: "anthropic", modelID: "claude-haiku-4-5" };

  it("H3 H5 three retries are made, and the fourth failure goes to the fallback model", async () => {
    for (const [failures, model] of [
      [3, "claude-sonnet-5"],
      [4, fallback.modelID],
    ] as const) {
      const h = open((_, index) => (index < failures ? { fail: failure("overloaded") } : ["Done."]), { fallback });
      assert.equal((await h.turn()).reason, "end_turn");
      assert.deepEqual([h.model.requests.length, h.model.requests.at(-1)?.model], [failures + 1, model]);
    }
  });

  it("H6 silence is told after 60 s, and ends the request after 180 s", () => {
    mock.timers.enable({ apis: ["setTimeout", "Date"] });
    try {
      const events: ChatEvent[] = [];
      const { signal } = new AbortController();
      const emit = (event: ChatEvent) => void events.push(event);
      const turn = { signal, limits: defaultLimits, emit, onRetryNow: () => () => {} };
      const watchdog = new Watchdog(turn, () => {});
      mock.timers.tick(30_000);
      watchdog.alive();
      mock.timers.tick(59_999);
      assert.deepEqual(events, []);
      mock.timers.tick(1);
      assert.deepEqual(events, [{ type: "silence", since: 30_000 }]);
      mock.timers.tick(119_999);
      assert.equal(watchdog.signal.aborted, false);
      mock.timers.tick(1);
      assert.equal(watchdog.signal.reason, watchdog.stalled);
      assert.equal(watchdog.stalled?.message, "The model sent no data for 180 s.");
      watchdog.close();
    } finally {
      mock.timers.reset();
    }
  });
});

describe("K4 Stop hooks", () => {
  const open = harnesses();

  /** Holds the turn back so many times. */
  function holding(event: HookEvent, times: number): Hooks {
    let left = times;
    return {
      ...noHooks,
      has: (one) => one === event,
      fire: async (one) =>
        one === event && left-- > 0 ? { ...noOutcome, decision: "deny", reason: "Go on." } : noOutcome,
    };
  }

  it("K4 make the model continue five times in a row, and not a sixth time", async () => {
    for (const [times, requests] of [
      [4, 5],
      [5, 6],
      [6, 6],
      [99, 6],
    ] as const) {
      const h = open(() => ["Done."], { hooks: holding("Stop", times) });
      assert.equal((await h.turn()).reason, "end_turn");
      assert.equal(h.model.requests.length, requests, `${times} times`);
    }
  });
});
