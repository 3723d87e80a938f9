/** What an answer took, from its messages. */
import assert from "node:assert/strict";
import { noTokens } from "../../src/chat/token-counts.ts";
import { costLine, costRows, turnCost } from "../../webview/conversation/turn-cost.ts";
import { answered } from "./answer-states.ts";
import * as f from "./fixtures.ts";

describe("what an answer took", () => {
  it("counts calls that ran side by side once, and names the rest of the time", () => {
    const cost = turnCost(answered);
    assert.deepEqual([cost.ms, cost.model.ms, cost.calls], [12_000, 8500, { count: 6, ms: 3400 }]);
    const [first, last] = answered;
    assert.ok(first && last?.info.role === "assistant");
    const later = { ...last, info: { ...last.info, createdAt: f.now + 30_000, completedAt: f.now + 34_000 } };
    const waiting = costRows(turnCost([first, later])).find(({ name }) => name.startsWith("Your answers"));
    assert.equal(waiting?.time, "25 s");
  });

  it("B1 adds what subagents took, and does not hide that one has no price", () => {
    const metadata = { childCost: 0.5, childTokens: 12_000 };
    const task = f.done("task", {}, metadata, "Done.");
    const own = { cost: 0.1, tokens: { ...noTokens, input: 10 } };
    const message = f.rondo([task], own);
    assert.equal(turnCost([message]).spent.usd, 0.6);
    const rows = costRows(turnCost([message]));
    assert.deepEqual(rows.map(({ name, cost }) => `${name} ${cost}`).slice(0, 2), [
      "Model (1 reply) $0.10",
      "1 subagent $0.50",
    ]);
    const unknown = f.rondo([f.done("task", {}, { childCost: 0, childTokens: 9, childPartial: true }, "")], own);
    assert.equal(costRows(turnCost([unknown])).at(-1)?.cost, "at least $0.10");
  });

  it("says nothing where nothing is known, and never a price of 0", () => {
    const silent = f.rondo([f.said("Hello.")]);
    assert.equal(costLine(turnCost([silent])), "");
    const timed = f.rondo([f.said("Hello.")], { createdAt: 1000, completedAt: 3000 });
    assert.equal(costLine(turnCost([timed])), "2.0 s");
    assert.deepEqual(
      costRows(turnCost([timed])).map(({ cost }) => cost),
      ["unknown"],
    );
  });
});
