/** What counts against a budget, and what a budget needs to know (spec B1, B2). */
import assert from "node:assert/strict";
import { addSpent, type Spent } from "../../src/chat/spent.ts";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import { costOfSession } from "../../src/loop/session/budget.ts";
import { replay } from "../../src/record/replay.ts";
import { failure } from "../scripted-model.ts";
import { continueBudget, stopBudget } from "./answers.ts";
import { harnesses, until } from "./harness.ts";

const glob = (pattern: string) => ({ call: "glob", input: { pattern } });
const unpriced = { choices: { model: { providerID: "openai", modelID: "mine" } } };
const tokens = { input: 1000, output: 100 };
/** Of claude-sonnet-5: $2 and $10. */
const costOfOne = (1000 * 2 + 100 * 10) / 1e6;

function closeTo(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual}, not ${expected}`);
}

describe("B2 what counts against a budget", () => {
  const open = harnesses();

  it("going back gives nothing back, also after a reload and further messages", async () => {
    const h = open([1, 2, 3].map((n) => ({ say: [`${n}.`], tokens })));
    await h.turn("first");
    await h.turn("second");
    const spent = () => [costOfSession(h.chat), costOfSession(replay(h.transcript.path).chat)];
    const second = h.chat.messages.findLast(({ info }) => info.role === "user")?.info.id ?? "";
    await h.session.rewind(second);
    for (const { usd } of spent()) closeTo(usd, 2 * costOfOne);
    await h.session.rewind(null);
    for (const { usd } of spent()) closeTo(usd, 2 * costOfOne);
    await h.session.rewind(second);
    await h.turn("another");
    for (const { usd, tokens: all, estimated } of spent()) {
      closeTo(usd, 3 * costOfOne);
      assert.deepEqual([all, estimated], [3300, false]);
    }
  });

  it("a stopped reply counts what its stream had reported", async () => {
    const usage = {
      type: "usage",
      tokens: { input: 500, output: 1, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
    } as const;
    const h = open([{ say: [{ event: usage }, "Half"], hang: true }]);
    const turn = h.turn();
    await until(() => h.text().includes("Half"));
    await h.session.stop();
    await turn;
    const info = h.chat.messages.at(-1)?.info;
    assert.ok(info?.role === "assistant");
    assert.deepEqual([info.tokens.input, info.estimated], [500, undefined]);
    closeTo(info.cost ?? 0, (500 * 2 + 10) / 1e6);
  });

  it("else an estimate of what was sent and received, marked as one", async () => {
    const h = open([
      { say: ["Half an answer"], hang: true },
      { say: ["Whole."], tokens: "none" },
    ]);
    const turn = h.turn();
    await until(() => h.text().includes("Half an answer"));
    await h.session.stop();
    await turn;
    await h.turn("again");
    for (const { info } of h.chat.messages.filter(({ info }) => info.role === "assistant")) {
      assert.ok(info.role === "assistant" && info.estimated);
      assert.ok(info.tokens.input > 500 && info.tokens.output > 2 && (info.cost ?? 0) > 0);
    }
    assert.equal(costOfSession(h.chat).estimated, true);
  });

  it("a try that was dropped counts; a request that was refused does not", async () => {
    const h = open([
      { say: ["Half"], fail: failure("overloaded") },
      { fail: failure("rate-limit") },
      { say: ["Whole."], tokens },
    ]);
    await h.turn();
    const charges = h.events.filter((event) => event.type === "charged");
    assert.equal(charges.length, 1);
    assert.ok(charges[0]?.estimated && (charges[0].cost ?? 0) > 0);
    closeTo(costOfSession(h.chat).usd, costOfOne + (charges[0]?.cost ?? 0));
    assert.deepEqual(costOfSession(replay(h.transcript.path).chat), costOfSession(h.chat));
  });

  it("the request for a title counts", async () => {
    const h = open(
      [
        { say: ["Hello."], tokens },
        { say: ["A greeting"], tokens },
      ],
      { titles: true },
    );
    await h.turn();
    await until(() => h.chat.session.title === "A greeting");
    closeTo(costOfSession(h.chat).usd, 2 * costOfOne);
    assert.equal(costOfSession(replay(h.transcript.path).chat).tokens, 2200);
  });

  it("no title is asked for beyond a budget, of money, of a day, or of tokens, nor without a price", async () => {
    let today = 0;
    const ledger = {
      today: () => today,
      add(usd: number) {
        today += usd;
      },
    };
    for (const limits of [{ maxBudgetUsd: costOfOne }, { maxDailyBudgetUsd: costOfOne }, { maxBudgetTokens: 1100 }]) {
      today = 0;
      const h = open([{ say: ["Hello."], tokens }, ["A title"]], { titles: true, limits, ledger });
      await h.turn();
      assert.equal(h.model.requests.length, 1, JSON.stringify(limits));
    }
    const agents = new AgentCatalog([{ ...new AgentCatalog().find("title"), model: "mine" }]);
    const h = open([{ say: ["Hello."], tokens }, ["A title"]], {
      titles: true,
      limits: { maxBudgetUsd: 1 },
      project: { agents },
    });
    await h.turn();
    assert.equal(h.model.requests.length, 1, "the title's model has no price");
  });

  it("a title that breaks off counts what it has said", async () => {
    const h = open(
      [
        { say: ["Hello."], tokens },
        { say: ["A tit"], noEnd: true, fail: failure("network") },
      ],
      { titles: true },
    );
    await h.turn();
    await until(() => h.chat.charged.tokens > 0);
    assert.equal(h.chat.charged.estimated, true);
    assert.equal(h.chat.session.title, "Do it.");
  });

  it("a subagent's tokens and unknown prices are its parent's, too", async () => {
    const task = { description: "Look", prompt: "Look", subagent_type: "explore" };
    const script = [[{ call: "task", input: task }], { say: ["Found."], tokens }, { say: ["Done."], tokens }];
    for (const [options, partial] of [
      [{}, false],
      [unpriced, true],
    ] as const) {
      const h = open(script, options);
      await h.turn();
      const { tokens: all, partial: isPartial } = costOfSession(h.chat);
      assert.deepEqual([all, isPartial], [2215, partial]);
      const [call] = h.calls;
      assert.ok(call?.state.status === "completed");
      assert.deepEqual([call.state.metadata.childTokens, call.state.metadata.childPartial ?? false], [1100, partial]);
    }
  });

  it("tokens have a limit of their own: asks where somebody is there, ends where not", async () => {
    const dear = { say: [glob("a*")], tokens: { output: 5000 } };
    const limits = { maxBudgetTokens: 5000 };
    const h = open([dear, ["Done."]], { ...unpriced, limits });
    const turn = h.turn();
    const request = await h.answerNext(continueBudget);
    assert.partialDeepStrictEqual(request, { scope: "tokens", spentTokens: 5010, limitTokens: 5000 });
    assert.equal((await turn).reason, "end_turn");
    const alone = open([dear, ["Never."]], { ...unpriced, limits, attended: false });
    assert.equal((await alone.turn()).reason, "error_max_budget_usd");
    assert.equal(alone.model.requests.length, 1);
  });
});

describe("B2 a budget and a model whose price is not known", () => {
  const open = harnesses();

  it("asks before the first request, once; Stop ends the turn without one", async () => {
    const h = open([["One."], ["Two."]], { ...unpriced, limits: { maxBudgetUsd: 1 } });
    const turn = h.turn();
    const request = await h.asked("budget");
    assert.partialDeepStrictEqual(request, { scope: "price", model: "openai/mine", limitUsd: 1 });
    assert.equal(h.model.requests.length, 0);
    await h.answerNext(continueBudget);
    assert.equal((await turn).reason, "end_turn");
    assert.equal((await h.turn("again")).reason, "end_turn");
    const stopped = open([["Never."]], { ...unpriced, limits: { maxDailyBudgetUsd: 1 } });
    const other = stopped.turn();
    await stopped.answerNext(stopBudget);
    assert.equal((await other).reason, "error_max_budget_usd");
    assert.equal(stopped.model.requests.length, 0);
  });

  it("is refused where nobody can answer; not when the price is set, or only tokens are limited", async () => {
    const alone = { ...unpriced, attended: false };
    const h = open([["Never."]], { ...alone, limits: { maxBudgetUsd: 1 } });
    const { reason, error } = await h.turn();
    assert.deepEqual([reason, error?.code, h.model.requests.length], ["error", "price-unknown", 0]);
    assert.match(error?.message ?? "", /openai\/mine/);
    assert.match(error?.next ?? "", /rondo\.prices.*maxBudgetTokens/);
    const prices = { mine: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 } };
    for (const limits of [{ maxBudgetUsd: 1, prices }, { maxBudgetTokens: 1e6 }, {}])
      assert.equal((await open([["Fine."]], { ...alone, limits }).turn()).reason, "end_turn");
  });

  it("is not changed to in place of an overloaded one", async () => {
    const script = [{ fail: failure("overloaded") }, ["Never."]];
    const limits = { maxBudgetUsd: 1, maxRetries: 0 };
    const fallback = unpriced.choices.model;
    const h = open(script, { fallback, limits, attended: false });
    assert.deepEqual([(await h.turn()).error?.code, h.model.requests.length], ["overloaded", 1]);
    const free = open(script, { fallback, limits: { maxRetries: 0 }, attended: false });
    assert.equal((await free.turn()).reason, "end_turn");
  });

  it("sums of spending say what they leave out", () => {
    const one: Spent = { usd: 1, tokens: 10, partial: false, estimated: true };
    const two: Spent = { usd: 2, tokens: 20, partial: true, estimated: false };
    assert.deepEqual(addSpent(one, two), { usd: 3, tokens: 30, partial: true, estimated: true });
  });
});
