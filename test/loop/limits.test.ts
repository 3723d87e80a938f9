/** Limits of a turn: the length of a reply, an agent's steps, budgets, an overloaded or silent model. */
import assert from "node:assert/strict";
import type { BudgetRequest } from "../../src/chat/requests.ts";
import { type Agent, AgentCatalog } from "../../src/loop/agents/agents.ts";
import type { Ledger } from "../../src/loop/storage.ts";
import { failure } from "../scripted-model.ts";
import { continueBudget, continueTo, finishStep, stopBudget } from "./answers.ts";
import { entriesOf, isSummary, kinds, small, summarised, textOf } from "./compacting.ts";
import { harnesses, until } from "./harness.ts";

const write = { call: "write", input: { file_path: "b.txt", content: "x" } };
const glob = (pattern: string) => ({ call: "glob", input: { pattern } });

describe("C4 a reply that reaches its token limit", () => {
  const open = harnesses();

  it("C4 the model is asked to continue at most twice, then the turn ends with max_tokens", async () => {
    const h = open((_, index) => ({ say: [`Piece ${index}.`], finish: "length" }));
    const { reason, error } = await h.turn();
    assert.equal(reason, "max_tokens");
    assert.equal(error?.code, "max-tokens");
    assert.equal(h.model.requests.length, 3);
    assert.match(textOf(entriesOf(h, 1).at(-1)), /cut.*Go on exactly where it stopped/);
    assert.deepEqual(
      entriesOf(h, 2).map(({ info }) => info.role),
      ["user", "assistant", "user", "assistant", "user"],
    );
  });

  it("C4 a complete reply resets the count", async () => {
    const cut = { say: ["Half"], finish: "length" } as const;
    const h = open([{ ...cut, say: ["1"] }, { ...cut, say: ["2"] }, [glob("a*")], { ...cut, say: ["3"] }, ["Done."]]);
    assert.equal((await h.turn()).reason, "end_turn");
  });

  it("C4 cut off inside a call: the call is discarded, never run, and no longer sent", async () => {
    const h = open([{ say: ["I write.", write], finish: "length" }, ["Done."]], { mode: "bypassPermissions" });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.match(h.results()[0] ?? "", /^ERROR Cut/);
    assert.throws(() => h.read("b.txt"));
    const [call] = h.calls;
    assert.ok(call?.state.status === "error" && call.state.metadata?.discarded);
  });

  it("C4 a full window is compacted, then the work continues", async () => {
    const cut = { say: ["Half"], finish: "length", tokens: { input: 17_000 } } as const;
    const h = open(summarised(["S"], [{ ...cut, say: ["Half"] }, ["Done."]]), small);
    assert.equal((await h.turn()).reason, "end_turn");
    assert.deepEqual(kinds(h), ["step", "summary", "step"]);
    assert.equal(h.text(), "Done.");
  });
});

describe("L8 the last step of an agent", () => {
  const open = harnesses();

  it("L8 has no tools and asks for a summary", async () => {
    const brief: Agent = { ...new AgentCatalog().find("build"), name: "brief", steps: 2 };
    const h = open([[glob("a*")], [glob("b*")]], {
      choices: { agent: "brief" },
      project: { agents: new AgentCatalog([brief]) },
    });
    await h.turn();
    const [first, last] = h.model.requests;
    assert.deepEqual([first?.toolUse, last?.toolUse], ["auto", "none"]);
    assert.match(textOf(last?.entries.at(-1)), /last step.*what was done, what is left/);
    assert.equal(h.model.requests.length, 2);
    assert.match(h.results()[1] ?? "", /^ERROR Not run: this was the last step/);
  });
});

function inUsd(request: BudgetRequest) {
  assert.ok(request.scope === "session" || request.scope === "day");
  return request;
}

describe("B2 the budget", () => {
  const open = harnesses();
  const dear = (pattern: string) => ({ say: [glob(pattern)], tokens: { output: 1e5 } });

  it("B2 asks when someone can answer; Continue adds the same amount again", async () => {
    const h = open([dear("a*"), dear("b*"), ["Done."]], { limits: { maxBudgetUsd: 1 } });
    const turn = h.turn();
    const { spentUsd: spent, nextLimitUsd, ...first } = inUsd(await h.answerNext(continueBudget));
    const { id, sessionID } = first;
    assert.deepEqual(first, { kind: "budget", id, sessionID, scope: "session", limitUsd: 1 });
    assert.equal(sessionID, h.chat.session.id);
    assert.equal(spent.toFixed(2), "1.00");
    assert.equal(nextLimitUsd, spent + 1);
    const second = inUsd(await h.answerNext(continueBudget));
    assert.equal(second.spentUsd.toFixed(2), "2.00");
    assert.equal((await turn).reason, "end_turn");
  });

  it("B2 Stop ends the turn: error_max_budget_usd, and pending calls have a result", async () => {
    const h = open([dear("a*"), ["Never."]], { limits: { maxBudgetUsd: 1 } });
    const turn = h.turn();
    await h.answerNext(stopBudget);
    assert.equal((await turn).reason, "error_max_budget_usd");
    assert.deepEqual(h.results(), ["ERROR Not run: the budget is used up"]);
    assert.equal(h.model.requests.length, 1);
  });

  it("B2 Continue goes on as far as the user says, or to the end", async () => {
    const h = open([dear("a*"), dear("b*"), dear("c*"), dear("d*"), ["Done."]], { limits: { maxBudgetUsd: 1 } });
    const turn = h.turn();
    await h.answerNext(continueTo(2.5));
    const second = inUsd(await h.answerNext(continueTo("none")));
    assert.equal(second.spentUsd.toFixed(2), "3.00", "the second step was within $2.50");
    assert.equal((await turn).reason, "end_turn");
  });

  it("B2 L8 Finish this step: its calls run, one reply without tools sums up, and the turn ends", async () => {
    const h = open([dear("a*"), { say: ["Half is done.", glob("b*")] }], {
      limits: { maxBudgetUsd: 1 },
      files: { "a.txt": "x" },
    });
    const turn = h.turn();
    await h.asked("budget");
    await h.send("And the rest.");
    await h.answerNext(finishStep);
    assert.deepEqual(await turn, { reason: "error_max_budget_usd", error: undefined });
    const [first, last] = h.model.requests;
    assert.deepEqual([first?.toolUse, last?.toolUse, h.model.requests.length], ["auto", "none", 2]);
    assert.match(textOf(last?.entries.at(-1)), /last step.*what was done, what is left/);
    assert.match(h.results()[0] ?? "", /a\.txt/);
    assert.match(h.results()[1] ?? "", /^ERROR Not run: this was the last step/);
    assert.equal(h.text(), "Half is done.");
    assert.equal(h.chat.queue.length, 1, "what was said meanwhile waits for the next turn");
    h.checkRecord();
  });

  it("B2 a step that is finished is the last one: a reply that is cut is not continued", async () => {
    const h = open([dear("a*"), { say: ["Half is d"], finish: "length" }], { limits: { maxBudgetUsd: 1 } });
    const turn = h.turn();
    await h.answerNext(finishStep);
    assert.equal((await turn).reason, "max_tokens");
    assert.equal(h.model.requests.length, 2);
    assert.equal(h.text(), "Half is d");
  });

  it("B2 asks in every mode, and a mode change does not answer", async () => {
    const h = open([dear("a*"), ["Never."]], { limits: { maxBudgetUsd: 1 }, mode: "bypassPermissions" });
    const turn = h.turn();
    await h.asked("budget");
    h.session.setMode("default");
    h.session.setMode("bypassPermissions");
    await h.answerNext(stopBudget);
    assert.equal((await turn).reason, "error_max_budget_usd");
  });

  it("B2 ends the turn when nobody can answer", async () => {
    const h = open([dear("a*"), ["Never."]], { limits: { maxBudgetUsd: 1 }, attended: false });
    assert.equal((await h.turn()).reason, "error_max_budget_usd");
    assert.equal(h.events.filter(({ type }) => type === "asked").length, 0);
  });

  it("B2 L11 Stop during the question", async () => {
    const h = open([dear("a*")], { limits: { maxBudgetUsd: 1 } });
    const turn = h.turn();
    await h.asked("budget");
    await h.session.stop();
    assert.equal((await turn).reason, "interrupted");
    assert.deepEqual(h.chat.requests, []);
  });

  it("B2 the daily budget includes other sessions", async () => {
    let today = 4.5;
    const ledger: Ledger = {
      today: () => today,
      add(usd) {
        today += usd;
      },
    };
    const options = { limits: { maxDailyBudgetUsd: 5 }, ledger };
    const h = open([dear("a*"), ["Never."]], { ...options, attended: false });
    assert.equal((await h.turn()).reason, "error_max_budget_usd");
    assert.ok(Math.abs(today - 5.5) < 0.01, String(today));
    assert.equal(h.model.requests.length, 1);
    today = 4.5;
    const asked = open([dear("a*"), ["Done."]], options);
    const turn = asked.turn();
    const request = inUsd(await asked.answerNext(continueBudget));
    assert.partialDeepStrictEqual(request, { scope: "day", limitUsd: 5 });
    assert.equal(request.nextLimitUsd.toFixed(2), "10.50");
    assert.equal((await turn).reason, "end_turn");
  });

  it("B1 a reply with an unknown price has no cost, and is not free", async () => {
    const h = open([["Hello."]], { choices: { model: { providerID: "openai", modelID: "local" } } });
    await h.turn();
    const info = h.chat.messages.at(-1)?.info;
    assert.ok(info?.role === "assistant" && info.cost === undefined && info.tokens.output === 5);
  });
});

describe("H5 the fallback model", () => {
  const open = harnesses();
  const fallback = { providerID: "anthropic", modelID: "claude-haiku-4-5" };

  it("H5 takes over after the last retry on overload, for the rest of the turn", async () => {
    const h = open(
      ({ model }) =>
        model === fallback.modelID ? (h.calls.length > 0 ? ["Done."] : [glob("a*")]) : { fail: failure("overloaded") },
      { fallback, limits: { maxRetries: 1 } },
    );
    assert.equal((await h.turn()).reason, "end_turn");
    assert.deepEqual(
      h.model.requests.map(({ model }) => model),
      ["claude-sonnet-5", "claude-sonnet-5", "claude-haiku-4-5", "claude-haiku-4-5"],
    );
    const models = h.chat.messages.flatMap(({ info }) => (info.role === "assistant" ? [info.model.modelID] : []));
    assert.deepEqual(models, ["claude-haiku-4-5", "claude-haiku-4-5"]);
    assert.equal(h.calls.length, 1, "nothing of the tries is doubled");
  });

  it("H5 C3 also writes summaries", async () => {
    const h = open(
      (request) => {
        if (!isSummary(request)) return { say: ["Words."], tokens: { input: 17_000 } };
        return request.model === fallback.modelID ? ["S"] : { fail: failure("overloaded") };
      },
      { ...small, fallback, limits: { ...small.limits, maxRetries: 0 } },
    );
    await h.turn();
    assert.equal((await h.turn()).reason, "end_turn");
    assert.ok(kinds(h).includes("summary"));
  });

  it("H5 is used once, and not for other failures", async () => {
    for (const [kind, requests] of [
      ["server", 2],
      ["auth", 1],
      ["overloaded", 4],
    ] as const) {
      const h = open(() => ({ fail: failure(kind) }), { fallback, limits: { maxRetries: 1 } });
      assert.equal((await h.turn()).error?.code, kind);
      assert.equal(h.model.requests.length, requests, kind);
    }
  });
});

describe("H6 a silent model", () => {
  const open = harnesses();
  // Longer than a busy machine makes a model wait that answers.
  const limits = { stallNoticeMs: 300, stallTimeoutMs: 500, maxRetries: 1 };

  it("H6 is reported, then treated as a network error and retried", async () => {
    const h = open([{ say: ["Half"], hang: true }, ["Whole."]], { limits });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.equal(h.text(), "Whole.");
    const silences = h.events.flatMap((event) => (event.type === "silence" ? [event.since !== null] : []));
    assert.deepEqual(silences, [true, false]);
    const retry = h.chat.messages.at(-1)?.parts.find((part) => part.type === "retry");
    assert.ok(retry?.type === "retry" && retry.error.code === "network");
    assert.match(retry.error.message, /The model sent no data/);
    assert.equal(h.chat.silentSince, undefined);
  });

  it("H6 is not silent while it sends bytes without events", async () => {
    const h = open(
      (request) => ({
        say: ["Slow"],
        before: async () => {
          for (let beat = 0; beat < 14; beat++) {
            request.onBytes();
            await new Promise((resolve) => setTimeout(resolve, 30));
          }
        },
      }),
      { limits: { ...limits, maxRetries: 0 } },
    );
    assert.equal((await h.turn()).reason, "end_turn");
    assert.ok(!h.events.some(({ type }) => type === "silence"));
  });

  it("H6 H2 ends the turn with an error message when it stays silent", async () => {
    const h = open(() => ({ hang: true }), { limits: { ...limits, maxRetries: 0 } });
    const { reason, error } = await h.turn();
    assert.deepEqual([reason, error?.code], ["error", "network"]);
  });

  it("H6 the user need not wait for a silent model: the request is sent again at once", async () => {
    const patient = { stallNoticeMs: 20, stallTimeoutMs: 600_000, maxRetries: 1, retryBackoffMs: 600_000 };
    const h = open([{ say: ["Half"], hang: true }, ["Whole."]], { limits: patient });
    const turn = h.turn();
    h.session.retryNow();
    await until(() => h.chat.silentSince !== undefined);
    h.session.retryNow();
    assert.equal((await turn).reason, "end_turn");
    assert.equal(h.text(), "Whole.");
    assert.equal(h.model.requests.length, 2);
    assert.equal(h.chat.silentSince, undefined);
  });

  it("H1 a turn that waits for its next try goes on with the model that the user chooses meanwhile", async () => {
    const h = open([{ fail: failure("overloaded") }, ["Whole."]], { limits: { retryBackoffMs: 600_000 } });
    const turn = h.turn();
    await until(() => h.chat.status.type === "retry");
    const model = { providerID: "openai", modelID: "gpt-5.2" };
    h.session.choose({ model });
    h.session.retryNow();
    assert.equal((await turn).reason, "end_turn");
    assert.deepEqual(
      h.model.requests.map(({ model: asked }) => asked),
      ["claude-sonnet-5", "gpt-5.2"],
    );
    const last = h.chat.messages.at(-1)?.info;
    assert.deepEqual(last?.role === "assistant" && last.model, model);
  });

  it("H1 H3 the delay before a retry can be skipped", async () => {
    const h = open([{ fail: failure("overloaded") }, ["Whole."]], { limits: { retryBackoffMs: 60_000 } });
    const turn = h.turn();
    await until(() => h.chat.status.type === "retry");
    h.session.retryNow();
    assert.equal((await turn).reason, "end_turn");
  });
});
