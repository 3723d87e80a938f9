/** When a conversation is compacted again, and what ends a compaction without a summary (spec C3, K4, B2). */
import assert from "node:assert/strict";
import { mock } from "node:test";
import type { Chat, Entry } from "../../src/chat/apply.ts";
import type { AssistantMessage, ErrorCode, Message } from "../../src/chat/message.ts";
import { isWholeTurn, pendingCompaction, recentFailure } from "../../src/loop/context/compact.ts";
import { sizeOfEntry, sum } from "../../src/loop/context/context.ts";
import { sizeOfText } from "../../src/loop/context/token-size.ts";
import { type Hooks, noHooks, noOutcome } from "../../src/loop/hooks.ts";
import { newSession } from "../../src/loop/session/session.ts";
import { failure, type Reply, type Said } from "../scripted-model.ts";
import { assistant, user } from "../wire/ask.ts";
import { full, isSummary, kinds, small } from "./compacting.ts";
import { type Harness, harnesses } from "./harness.ts";

const text = (words: string) => ({ type: "text", text: words }) as const;
const minute = 60_000;

function chatOf(...messages: Entry[]): Chat {
  const chat = newSession("/");
  chat.messages = messages;
  return chat;
}

function summary(more: Partial<AssistantMessage> = {}): Entry {
  const { info, parts } = assistant(text("S"));
  return { info: { ...info, summary: true, finish: "stop", completedAt: 0, ...more } as Message, parts }; // a reply's fields
}

const broken = (code: ErrorCode, more: Partial<AssistantMessage> = {}) =>
  summary({ error: { code, message: "It broke.", next: "" }, ...more });

describe("C3 the pause after summaries that failed", () => {
  const now = 1_000 * minute;
  beforeEach(() => mock.timers.enable({ apis: ["Date"], now }));
  afterEach(() => mock.timers.reset());

  const failed = (minutesAgo: number, more: Partial<AssistantMessage> = {}) =>
    broken("compaction", { completedAt: now - minutesAgo * minute, ...more });
  const pauses = (...messages: Entry[]) => recentFailure(chatOf(...messages)) !== undefined;

  it("C3 begins with a minute, doubles with each failure, and is an hour at most", () => {
    for (const [failures, pause] of [
      [1, 1],
      [2, 2],
      [3, 4],
      [6, 32],
      [7, 60],
      [12, 60],
    ] as const) {
      const all = (ago: number) => Array.from({ length: failures }, () => failed(ago));
      assert.equal(pauses(...all(pause)), false, `${failures} failures, ${pause} minutes`);
      assert.equal(pauses(...all(pause - 0.01)), true, `${failures} failures, just below`);
      const { message } = recentFailure(chatOf(...all(0))) ?? {};
      const when = pause === 1 ? "a minute" : `${pause} minutes`;
      assert.equal(
        message,
        `Compacting the conversation failed: It broke. Rondo tries again after ${when}; “Rondo: Compact Conversation” tries at once.`,
      );
    }
  });

  it("C3 counts from the end of the newest failure, or its beginning in an old record", () => {
    assert.equal(pauses(failed(0), failed(2)), false);
    assert.equal(pauses(failed(9), failed(1.5)), true);
    const { completedAt: _, ...info } = failed(0).info as AssistantMessage;
    assert.equal(pauses({ info: { ...info, createdAt: now - 0.5 * minute }, parts: [] }), true);
    assert.equal(pauses({ info: { ...info, createdAt: now - 1.5 * minute }, parts: [] }), false);
    const two = chatOf(
      failed(0),
      broken("compaction", { completedAt: now, error: { code: "compaction", message: "New.", next: "" } }),
    );
    assert.match(recentFailure(two)?.message ?? "", /failed: New\. /);
  });

  it("C3 ends with a summary; replies, prompts and summaries that were stopped change nothing", () => {
    assert.equal(pauses(), false);
    assert.equal(pauses(user("Hi."), assistant(text("Yes."))), false);
    assert.equal(pauses(failed(0), summary()), false);
    assert.equal(pauses(summary(), failed(0)), true);
    const stopped = summary({ finish: "interrupted" });
    assert.equal(pauses(failed(1.5), failed(1.5), user("x"), assistant(text("Yes.")), stopped), true, "both count");
    assert.equal(pauses(failed(1.5), summary(), failed(1.5)), false, "one counts");
    assert.equal(pauses(stopped), false);
  });

  it("C3 does not come of a request that cost nothing", () => {
    const tokens = { input: 5, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
    assert.equal(pauses(broken("auth", { completedAt: now })), false);
    assert.equal(pauses(broken("network", { completedAt: now, tokens })), true);
    assert.equal(pauses(failed(0)), true, "nothing that was sent fitted");
  });
});

describe("C3 a compaction that was asked for", () => {
  const asked = (auto: boolean) => user({ type: "compaction", auto }, "Kept.");
  const answerTo = (entry: Entry) => {
    const { info, parts } = summary();
    return { info: { ...info, parentID: entry.info.id } as Message, parts };
  };

  it("C3 waits until it is answered; only the newest one counts", () => {
    const [one, two] = [asked(true), asked(false)];
    assert.equal(pendingCompaction([user("Hi.")]), undefined);
    assert.equal(pendingCompaction([user("Hi."), one]), one);
    assert.equal(pendingCompaction([one, user("Queued."), assistant(text("x"))]), one);
    assert.equal(pendingCompaction([one, answerTo(one)]), undefined);
    assert.equal(pendingCompaction([one, two]), two);
    assert.equal(pendingCompaction([one, two, answerTo(two)]), undefined);
    const prompt = user("x");
    const child = { info: { ...prompt.info, parentID: one.info.id } as Message, parts: prompt.parts };
    assert.equal(pendingCompaction([one, child]), one, "a message of the user is no answer");
  });

  it("C3 is all that the user wants if it was by hand, and no prompt came after it", () => {
    const [auto, hand] = [asked(true), asked(false)];
    assert.equal(isWholeTurn(chatOf(user("Hi."), hand), hand), true);
    assert.equal(isWholeTurn(chatOf(user("Hi."), hand, assistant(text("S"))), hand), true);
    assert.equal(isWholeTurn(chatOf(user("Hi."), auto), auto), false);
    assert.equal(isWholeTurn(chatOf(user("Hi."), hand, user("And?")), hand), false);
  });
});

describe("C3 a summary", () => {
  const open = harnesses();

  /** A session whose window is full after "Hi."; requests for a summary get `summaries` in order. */
  function filled(summaries: (Reply | Said[])[], more: Parameters<typeof open>[1] = {}, first = "Hello."): Harness {
    const left = { work: [{ say: [first], tokens: full }, ["Done."], ["More."]], summaries: [...summaries] };
    return open(
      (request) => (isSummary(request) ? left.summaries : left.work).shift() ?? { fail: failure("invalid") },
      { ...small, ...more, limits: { ...small.limits, ...more?.limits } },
    );
  }

  it("C3 that is empty, cut, or longer than the history is asked for once more", async () => {
    const long = "word ".repeat(200);
    for (const [flawed, why] of [
      [{ say: ["  \n"] }, "The model gave no summary."],
      [{ say: ["Half of it"], finish: "length" }, "The summary was cut."],
      [{ say: [long] }, "The summary was longer than the history it replaces."],
    ] as const) {
      const reply: Reply = { ...flawed, say: [...flawed.say] };
      const mended = filled([reply, ["S"]]);
      await mended.turn("Hi.");
      assert.equal((await mended.turn("And?")).reason, "end_turn");
      assert.deepEqual(kinds(mended), ["step", "summary", "summary", "step"]);
      const h = filled([reply, reply, ["Never."]]);
      await h.turn("Hi.");
      await h.turn("And?");
      assert.deepEqual(kinds(h).filter((kind) => kind === "summary").length, 2);
      const told = h.told().join();
      assert.ok(told.includes(`failed: ${why} Rondo tries again after 2 minutes`), told);
    }
  });

  it("C3 B2 a second try is not made after earlier failures, or beyond the budget", async () => {
    const h = filled([[""], [""], [""], ["Never."]]);
    await h.turn("Hi.");
    await h.turn("And?");
    await assert.rejects(async () => {
      const { error } = await h.session.compact();
      if (error) throw new Error(error.message);
    }, /no summary/);
    assert.equal(kinds(h).filter((kind) => kind === "summary").length, 3);
    const poor = filled([{ say: [""], tokens: { input: 9000, output: 0 } }, ["Never."]], {
      attended: false,
      limits: { maxBudgetTokens: 26_000 },
    });
    await poor.turn("Hi.");
    await poor.turn("And?");
    assert.equal(kinds(poor).filter((kind) => kind === "summary").length, 1);
  });

  it("C3 that the server finds too long is tried with 0.6 of it each time, and given up after four", async () => {
    const said = "word ".repeat(300);
    const h = open(
      (request, index) => {
        if (isSummary(request)) return { fail: failure("context-full") };
        const call = { call: "todo", input: { index } };
        return { say: index % 3 === 2 ? [said] : [said, call], tokens: "none" };
      },
      { ...small, tools: [] },
    );
    for (let n = 0; n < 10; n++) assert.equal((await h.turn("Go on.")).reason, "end_turn");
    const { error } = await h.session.compact();
    assert.match(error?.message ?? "", /The conversation does not fit into the model's window, however it is cut\./);
    const asked = h.model.requests.filter(isSummary);
    const sizes = asked.map(({ system, entries }) => sizeOfText(system) + sum(entries.slice(0, -1), sizeOfEntry));
    assert.equal(sizes.length, 4);
    const [whole = 0] = sizes;
    for (const [at, { entries, unboundEntries }] of asked.entries()) {
      const [size = 0, most] = [sizes[at], whole * 0.6 ** at];
      // Whole turns are left out, of three replies.
      assert.ok(size <= most + 1 && size > most - 1300, `${sizes}`);
      assert.equal(entries[0]?.info.role, "user");
      assert.equal(unboundEntries, at === 0 ? 0 : entries.length, "thoughts are bound to what is left out");
    }
  });

  it("C3 of one reply that cannot be cut is tried once", async () => {
    const h = filled([{ fail: failure("context-full") }, ["Never."]], {}, "word ".repeat(9000));
    await h.turn("Hi.");
    const { reason, error } = await h.session.compact();
    assert.equal(reason, "error");
    assert.match(error?.message ?? "", /however it is cut\./);
    assert.equal(h.model.requests.filter(isSummary).length, 1);
  });

  it("C3 is as long as a quarter of the window, 8,000 tokens at most, or as the model's replies", async () => {
    const facts = (contextWindow: number) => ({ choices: {}, limits: { contextWindow, forcedWindow: contextWindow } });
    for (const [window, most] of [
      [20_000, 5_000],
      [32_000, 8_000],
      [64_000, 8_000],
    ] as const) {
      const left = [["Hello."]];
      const h = open((request) => (isSummary(request) ? ["S"] : (left.shift() ?? [])), facts(window));
      await h.turn("Hi.");
      await h.session.compact();
      assert.equal(h.model.requests.find(isSummary)?.maxTokens, most, String(window));
    }
  });

  it("C3 of nothing but prompts is not asked for, and that is said where the summary would stand", async () => {
    await assert.rejects(open([]).session.compact(), /nothing to compact/);
    const chat = newSession("/");
    chat.messages = [user("Hi.")];
    const h = open([], { chat });
    assert.equal((await h.session.compact()).reason, "end_turn");
    assert.equal(h.model.requests.length, 0);
    const last = h.chat.messages.at(-1)?.info;
    assert.ok(last?.role === "assistant" && last.summary && last.error);
    assert.equal(last.error.message, "There is nothing to compact yet.");
  });
});

describe("K4 C3 PreCompact hooks", () => {
  const open = harnesses();

  /** A hook that answers, and what it was told. */
  function hooked(outcome: Partial<typeof noOutcome>): { hooks: Hooks; fired: unknown[] } {
    const fired: unknown[] = [];
    const hooks: Hooks = {
      ...noHooks,
      has: (event) => event === "PreCompact",
      fire: async (event, matched, input) => {
        fired.push([event, matched, input]);
        return { ...noOutcome, ...outcome };
      },
    };
    return { hooks, fired };
  }

  const script = () => {
    const left = [{ say: ["Hello."], tokens: full }, ["Done."]];
    return (request: Parameters<typeof isSummary>[0]) => (isSummary(request) ? ["S"] : (left.shift() ?? []));
  };

  it("K4 hear whether it is by hand, and their messages are noted", async () => {
    const { hooks, fired } = hooked({ messages: ["Noted."] });
    const h = open(script(), { ...small, hooks });
    await h.turn("Hi.");
    await h.turn("More.");
    await h.session.compact();
    const input = (trigger: string) => ["PreCompact", trigger, { trigger, custom_instructions: "" }];
    assert.deepEqual(fired, [input("auto"), input("manual")]);
    assert.deepEqual(kinds(h), ["step", "summary", "step", "summary"]);
    assert.deepEqual(
      h.notes.filter((note) => note === "Noted."),
      ["Noted.", "Noted."],
    );
  });

  it("K4 may forbid it, with a reason or without", async () => {
    for (const [reason, told] of [
      ["Not on Fridays.", "Not on Fridays."],
      ["", "A hook did not allow it."],
    ] as const) {
      const { hooks } = hooked({ decision: "deny", reason });
      const h = open(script(), { ...small, hooks });
      await h.turn("Hi.");
      await h.session.compact().catch(() => undefined);
      assert.deepEqual(kinds(h), ["step"]);
      const last = h.chat.messages.at(-1)?.info;
      assert.ok(last?.role === "assistant" && last.summary && last.error);
      assert.deepEqual(last.error, { code: "compaction", message: told, next: "The conversation is unchanged." });
      assert.equal(last.parentID, h.chat.messages.at(-2)?.info.id);
    }
  });
});
