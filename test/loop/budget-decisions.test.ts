/** What a budget decides from the amounts alone (spec B1, B2). */
import assert from "node:assert/strict";
import type { AssistantMessage, Part } from "../../src/chat/message.ts";
import type { AnswerTo, BudgetRequest } from "../../src/chat/requests.ts";
import { addSpent, nothingSpent, type Spent, spentOn, spentOnEntries } from "../../src/chat/spent.ts";
import { noTokens } from "../../src/chat/token-counts.ts";
import { Budget, type ReachedLimit } from "../../src/loop/session/budget.ts";
import { replay } from "../../src/record/replay.ts";
import { assistant, user } from "../wire/ask.ts";
import { continueBudget, continueTo, finishStep, stopBudget } from "./answers.ts";
import { bareConfig } from "./bare.ts";
import { harnesses } from "./harness.ts";

type Limit = "maxBudgetUsd" | "maxDailyBudgetUsd" | "maxBudgetTokens";

const { signal } = new AbortController();
const spent = (more: Partial<Spent>): Spent => ({ ...nothingSpent, ...more });
const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
const { model, facts } = bareConfig(1000);
const priced = { model, facts: { ...facts, price } };
const unpriced = { model, facts: { ...facts, price: undefined } };

/** A budget whose questions get these answers in order; without answers nobody is there. */
function opened(limits: Partial<Record<Limit, number>>, answers?: AnswerTo<BudgetRequest>[], today = 0) {
  const asked: ReachedLimit[] = [];
  const ledger: number[] = [];
  let looks = 0;
  const budget = new Budget({
    ledger: {
      today: () => {
        looks += 1;
        return ledger.reduce((sum, usd) => sum + usd, today);
      },
      add: (usd) => void ledger.push(usd),
    },
    limits: () => ({ maxBudgetUsd: undefined, maxDailyBudgetUsd: undefined, maxBudgetTokens: undefined, ...limits }),
    ask:
      answers &&
      (async (reached) => {
        asked.push(reached);
        return answers.shift() ?? assert.fail("asked too often");
      }),
  });
  return { budget, asked, ledger, looks: () => looks };
}

describe("B2 a budget", () => {
  it("B2 Continue allows at least a cent, or 1,000 tokens, so that a small limit does not ask at each step", async () => {
    const usd = opened({ maxBudgetUsd: 0.001 }, [continueBudget, continueBudget]);
    usd.budget.begin(spent({ usd: 0.5 }));
    assert.equal(await usd.budget.allows(signal), true);
    assert.deepEqual(usd.asked, [{ scope: "session", spentUsd: 0.5, limitUsd: 0.001, nextLimitUsd: 0.51 }]);
    usd.budget.add(spent({ usd: 0.0099 }));
    assert.equal(await usd.budget.allows(signal), true);
    assert.equal(usd.asked.length, 1);
    usd.budget.add(spent({ usd: 0.0002 }));
    await usd.budget.allows(signal);
    assert.equal(usd.asked.length, 2);
    const tokens = opened({ maxBudgetTokens: 10 }, [continueBudget, continueBudget]);
    tokens.budget.begin(spent({ tokens: 50 }));
    await tokens.budget.allows(signal);
    assert.deepEqual(tokens.asked, [{ scope: "tokens", spentTokens: 50, limitTokens: 10, nextLimitTokens: 1050 }]);
    tokens.budget.add(spent({ tokens: 999 }));
    await tokens.budget.allows(signal);
    assert.equal(tokens.asked.length, 1);
    tokens.budget.add(spent({ tokens: 1 }));
    await tokens.budget.allows(signal);
    assert.equal(tokens.asked.length, 2);
  });

  it("B2 the user says how far to continue, or that the session has no limit", async () => {
    for (const [limits, spend] of [
      [{ maxBudgetUsd: 2 }, (usd: number) => spent({ usd })],
      [{ maxDailyBudgetUsd: 2 }, (usd: number) => spent({ usd })],
      [{ maxBudgetTokens: 2 }, (tokens: number) => spent({ tokens })],
    ] as const) {
      const { budget, asked } = opened(limits, [continueTo(5), continueTo(4), continueTo("none")]);
      budget.add(spend(2));
      assert.equal(await budget.allows(signal), true);
      budget.add(spend(2.9));
      assert.equal(await budget.allows(signal), true);
      assert.equal(asked.length, 1);
      budget.add(spend(0.1));
      assert.equal(
        await budget.allows(signal),
        true,
        "an answer that raises nothing is asked again with the next step",
      );
      assert.equal(budget.permits(priced), false);
      assert.equal(await budget.allows(signal), true);
      budget.add(spend(1e9));
      assert.deepEqual([await budget.allows(signal), budget.permits(priced), asked.length], [true, true, 3]);
    }
  });

  it("B2 a step that is finished asks nothing more until the next turn begins, and nothing else is sent", async () => {
    const { budget, asked } = opened({ maxBudgetUsd: 1, maxBudgetTokens: 10 }, [finishStep, stopBudget]);
    budget.begin(spent({ usd: 1, tokens: 10 }));
    assert.equal(budget.finishes, false);
    assert.equal(await budget.allows(signal), true);
    assert.deepEqual([budget.finishes, budget.permits(priced)], [true, false]);
    budget.add(spent({ usd: 1 }));
    assert.equal(await budget.allows(signal), true);
    assert.equal(asked.length, 1, "neither of this limit nor of the other");
    budget.begin(spent({ usd: 2 }));
    assert.deepEqual([budget.finishes, await budget.allows(signal)], [false, false]);
  });

  it("B2 what was allowed beyond a limit holds for requests that nobody is asked about, up to its end", async () => {
    for (const [limits, more] of [
      [{ maxBudgetUsd: 2 }, { usd: 2 }],
      [{ maxDailyBudgetUsd: 2 }, { usd: 2 }],
      [{ maxBudgetTokens: 2000 }, { tokens: 2000 }],
    ] as const) {
      const { budget } = opened(limits, [continueBudget]);
      assert.equal(budget.permits(priced), true);
      budget.add(spent(more));
      assert.equal(budget.permits(priced), false, "reached");
      assert.equal(await budget.allows(signal), true);
      assert.equal(budget.permits(priced), true, "allowed");
      budget.add(spent(more));
      assert.equal(budget.permits(priced), false, "reached again");
    }
  });

  it("B2 a limit of one kind says nothing about another, and a refusal of any ends the turn", async () => {
    const all = { maxBudgetUsd: 1, maxDailyBudgetUsd: 10, maxBudgetTokens: 100 };
    for (const [more, today, scope] of [
      [{ usd: 1 }, 0, "session"],
      [{ usd: 0.5 }, 10, "day"],
      [{ tokens: 100 }, 0, "tokens"],
    ] as const) {
      const { budget, asked } = opened(all, [stopBudget], today);
      budget.begin(spent(more));
      assert.equal(await budget.allows(signal), false);
      assert.deepEqual(
        asked.map((one) => one.scope),
        [scope],
      );
      assert.equal(budget.permits(priced), false);
    }
    const { budget } = opened(all, []);
    budget.begin(spent({ usd: 0.99, tokens: 99 }));
    assert.deepEqual([await budget.allows(signal), budget.permits(priced), budget.isLimited()], [true, true, true]);
  });

  it("B2 each kind of limit is one; without any, nothing ends and the file of the day is not read", async () => {
    for (const limits of [{ maxBudgetUsd: 1 }, { maxDailyBudgetUsd: 1 }, { maxBudgetTokens: 1 }])
      assert.equal(opened(limits).budget.isLimited(), true);
    for (const limits of [{}, { maxBudgetUsd: 1e6 }]) {
      const { budget, looks } = opened(limits, []);
      budget.begin(spent({ usd: 1e5, tokens: 1e12 }));
      assert.deepEqual([await budget.allows(signal), budget.permits(priced)], [true, true]);
      assert.equal(looks(), 0);
    }
    assert.equal(opened({}).budget.isLimited(), false);
    assert.equal(opened({}).budget.permits(unpriced), true);
  });

  it("B2 only what costs money is written to the file of the day", () => {
    const { budget, ledger } = opened({});
    budget.add(spent({ tokens: 100 }));
    budget.add(spent({ usd: 0.25 }));
    assert.deepEqual(ledger, [0.25]);
  });

  it("B2 a model without a price needs an answer once under a budget of money, and nothing under one of tokens", async () => {
    for (const limits of [{ maxBudgetUsd: 3 }, { maxDailyBudgetUsd: 3 }, { maxBudgetUsd: 3, maxDailyBudgetUsd: 9 }]) {
      assert.equal(await opened(limits).budget.allowsModel(unpriced, signal), "refused");
      assert.equal(await opened(limits).budget.allowsModel(priced, signal), "allowed");
      const { budget, asked } = opened(limits, [stopBudget, continueBudget]);
      assert.equal(budget.permits(unpriced), false);
      assert.equal(budget.permits(priced), true);
      assert.equal(await budget.allowsModel(unpriced, signal), "stopped");
      assert.equal(budget.permits(unpriced), false);
      assert.equal(await budget.allowsModel(unpriced, signal), "allowed");
      assert.equal(await budget.allowsModel(unpriced, signal), "allowed");
      assert.equal(budget.permits(unpriced), true);
      const question = { scope: "price", model: "test/test-model", limitUsd: 3 };
      assert.deepEqual(asked, [question, question]);
      const other = { ...unpriced, model: { ...model, modelID: "other" } };
      assert.equal(budget.permits(other), false, "the answer was about one model");
    }
    const { budget } = opened({ maxBudgetTokens: 10 });
    assert.deepEqual([await budget.allowsModel(unpriced, signal), budget.permits(unpriced)], ["allowed", true]);
  });
});

describe("B2 a session that goes on", () => {
  const open = harnesses();

  it("B2 what it had cost before it was opened again counts", async () => {
    const tokens = { input: 1000, output: 0 };
    const limits = { maxBudgetTokens: 2000 };
    const first = open([{ say: ["One."], tokens }], { limits, attended: false });
    await first.turn();
    for (const [input, reason] of [
      [999, "end_turn"],
      [1000, "error_max_budget_usd"],
    ] as const) {
      const work = { say: [{ call: "glob", input: { pattern: "a*" } }], tokens: { input, output: 0 } };
      const { chat } = replay(first.transcript.path);
      const again = open([work, { say: ["Done."], tokens: { input: 0, output: 0 } }], {
        limits,
        attended: false,
        chat,
      });
      assert.equal((await again.turn()).reason, reason, String(input));
    }
  });
});

describe("B1 what was spent", () => {
  const tokens = { input: 1, output: 20, reasoning: 7, cacheRead: 300, cacheWrite: 4000 };

  it("B1 tokens of all kinds count, thoughts as part of the output", () => {
    assert.deepEqual(spentOn({ tokens, cost: 2 }), { usd: 2, tokens: 4321, partial: false, estimated: false });
    assert.equal(spentOn({ tokens, cost: 2, estimated: true }).estimated, true);
  });

  it("B1 a reply without a price is left out of the sum, unless it has used nothing", () => {
    assert.deepEqual(spentOn({ tokens }), { usd: 0, tokens: 4321, partial: true, estimated: false });
    assert.equal(spentOn({ tokens: noTokens }).partial, false);
    assert.equal(spentOn({ tokens, cost: 0 }).partial, false);
  });

  it("B1 sums are what their parts are together", () => {
    const none = spent({ usd: 1, tokens: 10 });
    for (const [one, other] of [
      [none, spent({ partial: true, estimated: true })],
      [spent({ partial: true, estimated: true }), none],
    ] as const)
      assert.deepEqual(addSpent(one, other), { usd: 1, tokens: 10, partial: true, estimated: true });
    assert.deepEqual(addSpent(none, none), { usd: 2, tokens: 20, partial: false, estimated: false });
  });

  it("B1 a subagent's spending counts with the call that ran it, whether that goes on, ended or failed", () => {
    const metadata = { childCost: 3, childTokens: 50, childPartial: true };
    const states = [
      { status: "running", input: {}, metadata, start: 1 },
      { status: "completed", input: {}, output: "", title: "", metadata, start: 1, end: 2 },
      { status: "error", input: {}, error: "", metadata, start: 1, end: 2 },
    ] as const;
    for (const state of states) {
      const parts: Part[] = [
        { id: "1", sessionID: "s", messageID: "m", type: "tool", callID: "c", tool: "task", state: { ...state } },
      ];
      const { info } = assistant();
      const reply = { ...(info as AssistantMessage), tokens, cost: 1 }; // `assistant` makes replies alone
      assert.deepEqual(spentOnEntries([user("Hi."), { info: reply, parts }]), {
        usd: 4,
        tokens: 4371,
        partial: true,
        estimated: false,
      });
    }
    const waiting = { status: "pending", input: {}, raw: "" } as const;
    const parts: Part[] = [
      { id: "1", sessionID: "s", messageID: "m", type: "tool", callID: "c", tool: "task", state: waiting },
      { id: "2", sessionID: "s", messageID: "m", type: "text", text: "x" },
    ];
    assert.deepEqual(spentOnEntries([{ info: assistant().info, parts }]), nothingSpent);
  });
});
