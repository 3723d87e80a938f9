/** Cases from data/loop.json, retold: the context window, compaction, Stop, and repeated text. */
import assert from "node:assert/strict";
import { apply, type Chat } from "../../src/chat/apply.ts";
import type { Tokens } from "../../src/chat/message.ts";
import { contextSize } from "../../src/chat/token-counts.ts";
import { overflowLimit, pendingPrompt } from "../../src/loop/context/context.ts";
import { defaultLimits } from "../../src/loop/limits.ts";
import { newSession } from "../../src/loop/session/session.ts";
import { anthropicModel } from "../../src/providers/anthropic/anthropic-model.ts";
import { replay } from "../../src/record/replay.ts";
import { blocksOf, messagesOf } from "../conformance/request-bodies.ts";
import { bareConfig } from "../loop/bare.ts";
import { entriesOf, full, isSummary, kinds, small, summarised, textOf } from "../loop/compacting.ts";
import { Harness, harnesses, until } from "../loop/harness.ts";
import { type Block, type ModelServer, startModelServer } from "../model-server.ts";
import { failure, type Reply, type Said } from "../scripted-model.ts";

const read = (file_path: string) => ({ call: "read", input: { file_path } });
const bash = (command: string) => ({ call: "bash", input: { command } });
const usage = (tokens: Partial<Tokens>): Tokens => ({
  input: 0,
  output: 0,
  reasoning: 0,
  cacheRead: 0,
  cacheWrite: 0,
  ...tokens,
});

describe("cases: context window", () => {
  const open = harnesses();
  const overflows = (window: number, tokens: Partial<Tokens>, more = {}, limits = {}) =>
    contextSize(usage(tokens)) > overflowLimit(bareConfig(window, more), { ...defaultLimits, ...limits });

  it("C1 counts tokens read from the cache (L146 and similar)", () => {
    const tokens = { input: 60_000, output: 10_000, cacheRead: 20_000 };
    assert.ok(overflows(100_000, tokens));
    assert.ok(!overflows(100_000, { ...tokens, cacheRead: 0 }));
    assert.ok(overflows(100_000, { ...tokens, cacheRead: 0, cacheWrite: 20_000 }), "what is written to it, too");
  });

  it("C1 compacts first when 80,000 of 100,000 tokens are used and the reply may take 32,000 (L146)", async () => {
    // The window is 100,000 and the answer may take 32,000, so 80,000 leave it too little.
    const h = open(
      summarised(["S"], [{ say: ["Hi."], tokens: { input: 60_000, output: 10_000, cacheRead: 10_000 } }, ["Bye."]]),
      {
        choices: { model: { providerID: "anthropic", modelID: "local" } },
        limits: { contextWindow: 100_000, reserveFloorTokens: 32_000 },
      },
    );
    await h.turn();
    await h.turn();
    assert.deepEqual(kinds(h), ["step", "summary", "step"]);
  });

  it("C1 respects an input limit below the window: 272,000 of 400,000 (L147)", () => {
    assert.ok(overflows(400_000, { input: 271_000, output: 1000, cacheRead: 2000 }, { inputLimit: 272_000 }));
    assert.ok(!overflows(400_000, { input: 200_000 }, { inputLimit: 272_000 }));
  });

  it("C1 leaves no room for a reply at 95,000 of 100,000 tokens (L153)", () => {
    assert.ok(overflows(100_000, { input: 95_000 }, {}, { reserveFloorTokens: 10_000 }));
    assert.ok(!overflows(100_000, { input: 60_000 }, {}, { reserveFloorTokens: 10_000 }));
  });

  it("C2 estimates for a server that never counts: 400,000 characters exceed 32,768 tokens (L159)", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 14 }, (_, at) => [`${at}.txt`, `${"word ".repeat(12)}\n`.repeat(470)]),
    );
    const left = Object.keys(files);
    const h = open(
      (request) => {
        const name = isSummary(request) ? undefined : left.shift();
        return { say: name === undefined ? ["Words."] : [read(name)], tokens: "none" };
      },
      { choices: small.choices, limits: { contextWindow: 32_768 }, files },
    );
    assert.equal((await h.turn()).reason, "end_turn");
    assert.ok(kinds(h).includes("summary"));
    const estimates = h.loopEvents.flatMap((event) => (event.type === "loop:context" ? [event.tokenEstimate] : []));
    assert.ok(Math.min(...estimates) > 1000, "never 0");
  });
});

describe("cases: compaction", () => {
  const open = harnesses();

  it("C3 I8 never separates a call from its result, and the next request is valid (L163, L186, L191)", async () => {
    const block = (name: string): Block => ({ call: { name: "read", input: { file_path: name } } });
    const used = { input: 17_000, output: 100 };
    const server = await startModelServer((request, index) => {
      if (JSON.stringify(request.body["tool_choice"] ?? {}).includes("none")) return [{ text: "The summary." }];
      if (index === 0) return { blocks: [block("a.txt"), block("b.txt")], usage: used };
      return index < 3 ? [block("a.txt"), block("b.txt")] : [{ text: "Done." }];
    });
    const model = anthropicModel({ apiKey: "sk-test", baseURL: server.url });
    const h = open([], { ...small, files: { "a.txt": "x", "b.txt": "y" }, openModel: async () => model });
    try {
      assert.equal((await h.turn()).reason, "end_turn");
      assert.equal(server.requests.length, 4);
      for (const request of server.requests) checkPairs(request);
      for (const { raw } of server.requests) assert.ok((raw.match(/"cache_control"/g) ?? []).length <= 4, "L193");
    } finally {
      await server.stop();
    }
  });

  /** Checks that each call is followed by its result, and that no result lacks its call. */
  function checkPairs(request: ModelServer["requests"][number]): void {
    const messages = messagesOf(request);
    for (const [at, message] of messages.entries()) {
      const calls = blocksOf(message).flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
      const next = messages[at + 1];
      const results = next
        ? blocksOf(next).flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []))
        : [];
      assert.deepEqual(results, calls);
    }
    assert.equal(messages[0]?.role, "user");
    assert.ok(!blocksOf(messages[0] ?? assert.fail()).some(({ type }) => type === "tool_result"));
  }

  it("C3 allows no tools during the summary, and does not run a call that is made anyway (L167)", async () => {
    const write = { call: "write", input: { file_path: "made.txt", content: "x" } };
    const h = open(summarised(["The summary.", write], [{ say: ["Hi."], tokens: full }, ["Bye."]]), {
      ...small,
      mode: "bypassPermissions",
    });
    await h.turn();
    await h.turn();
    assert.equal(h.model.requests.find(isSummary)?.toolUse, "none");
    assert.throws(() => h.read("made.txt"));
    assert.equal(h.calls.length, 0);
  });

  it("C3 stops when nothing makes the history shorter (L169)", async () => {
    const h = open(() => ({ say: ["Words."], tokens: { input: 30_000 } }), small);
    await h.turn();
    for (let again = 0; again < 3; again++) await h.turn();
    assert.ok(h.model.requests.length < 20, String(h.model.requests.length));
  });

  for (const [name, summary] of [
    ["is longer than the history it replaces (L172)", ["word ".repeat(5000)]],
    ["contains only thinking (L173)", [{ thinking: "Hm." }]],
    ["is empty", []],
    ["is cut off", { say: ["Half of"], finish: "length" }],
  ] as [string, Reply | Said[]][]) {
    it(`C3 fails and keeps the history when the summary ${name}`, async () => {
      const h = open(summarised(summary, [{ say: ["Hi."], tokens: full }, ["Bye."]]), small);
      await h.turn("First");
      const { reason } = await h.turn("Second");
      const failed = h.chat.messages.flatMap(({ info }) =>
        info.role === "assistant" && info.summary ? [info.error?.code] : [],
      );
      assert.ok(failed.length > 0 && failed.every((code) => code === "compaction"), String(failed));
      const last = h.model.requests.findLast((request) => !isSummary(request));
      assert.match(last?.entries.map(textOf).join("\n") ?? "", /First/);
      assert.ok(reason === "end_turn" || reason === "error");
    });
  }

  it("C3 H2 reports an error when the model cannot summarize, and the next prompt works (L174)", async () => {
    let broken = true;
    const h = open(
      (request) => (isSummary(request) && broken ? { fail: failure("server") } : { say: ["Hi."], tokens: full }),
      {
        ...small,
        limits: { ...small.limits, maxRetries: 1 },
      },
    );
    await h.turn("First");
    const { reason, error } = await h.turn("Second");
    assert.deepEqual([reason, error?.code], ["error", "server"]);
    broken = false;
    assert.equal((await h.turn("Third")).reason, "end_turn");
  });

  it("L2 only the newest summary is used (L176, L177)", async () => {
    let made = 0;
    const h = open(
      (request) => (isSummary(request) ? [`SUMMARY ${++made}`] : { say: ["Words."], tokens: full }),
      small,
    );
    for (const text of ["a1", "b2", "c3"]) await h.turn(text);
    const shown = h.model.requests.at(-1)?.entries.map(textOf).join("\n") ?? "";
    assert.match(shown, /SUMMARY 2/);
    assert.match(shown, /c3$/);
    assert.doesNotMatch(shown, /SUMMARY 1/);
    assert.equal(h.model.requests.at(-1)?.entries.length, 3, "the request for it, the summary, the prompt");
  });

  it("C3 does not compact a single user message (L178)", async () => {
    const h = open([]);
    await h.send("hello", { noReply: true });
    await h.session.compact();
    assert.equal(h.model.requests.length, 0);
    assert.deepEqual(h.chat.ended?.reason, "end_turn");
  });

  it("C3 H2 does not retry a second overflow in the same turn (L182)", async () => {
    const h = open(
      summarised(["short"], [["Hi."], { fail: failure("context-full") }, { fail: failure("context-full") }]),
      {},
    );
    await h.turn("Hi");
    const { reason, error } = await h.turn("More");
    assert.deepEqual([reason, error?.code], ["error", "context-full"]);
    assert.match(error?.message ?? "", /context/);
    assert.equal(h.model.requests.length, 1 + 3);
  });

  it("C3 continues on its own between tool rounds, and waits at the end of a turn (L184, L185)", async () => {
    const h = open(
      summarised(
        ["S"],
        [
          { say: [read("a.txt")], tokens: full },
          { say: ["Done."], tokens: full },
        ],
      ),
      {
        ...small,
        files: { "a.txt": "x" },
      },
    );
    assert.equal((await h.turn()).reason, "end_turn");
    assert.deepEqual(kinds(h), ["step", "summary", "step"]);
    assert.ok(pendingPrompt(h.chat).isAnswered);
  });

  it("T12 C3 a file read before the compaction can be edited after it (L190)", async () => {
    const edit = { call: "edit", input: { file_path: "a.txt", old_string: "one", new_string: "two" } };
    const h = open(summarised(["S"], [{ say: [read("a.txt")], tokens: full }, [edit], ["Done."]]), {
      ...small,
      files: { "a.txt": "one\n" },
      mode: "acceptEdits",
    });
    await h.turn();
    assert.equal(h.read("a.txt"), "two\n");
  });

  it("C3 sends the attachments of the last prompt again (L188)", async () => {
    const h = open(summarised(["S"], [{ say: ["Hi."], tokens: full }, ["A cat."]]), small);
    await h.turn();
    const file = { type: "file", mime: "image/png", filename: "cat.png", url: "data:image/png;base64,AA==" } as const;
    await h.turn("", { parts: [file, { type: "text", text: "What is it?" }] });
    const last = entriesOf(h, 2).at(-1);
    assert.ok(last?.parts.some((part) => part.type === "file" && part.filename === "cat.png"));
  });
});

describe("cases: Stop", () => {
  const open = harnesses();

  it("L11 closes an open question, does not run the tool, and the next request is valid (L272)", async () => {
    const h = open([[bash("touch made.txt")], ["Hello."]]);
    const turn = h.turn();
    await h.asked();
    await h.session.stop();
    await turn;
    assert.deepEqual(h.chat.requests, []);
    assert.throws(() => h.read("made.txt"));
    await h.turn("Go on");
    const call = entriesOf(h, 1)[1]?.parts.find((part) => part.type === "tool");
    assert.ok(call?.type === "tool" && call.state.status === "error");
  });

  it("L11 between the end of the stream and the start of the tool: the tool does not run (L273)", async () => {
    const h = open([[bash("touch made.txt")]], { mode: "bypassPermissions" });
    h.session.listen((event) => {
      if (event.type === "part" && event.part.type === "step-finish") void h.session.stop();
    });
    assert.equal((await h.turn()).reason, "interrupted");
    assert.deepEqual(h.results(), ["ERROR Tool execution aborted"]);
    assert.throws(() => h.read("made.txt"));
  });

  it("L11 twice at once, and again after the end: the turn ends once", async () => {
    const h = open([{ say: ["Half"], hang: true }]);
    const turn = h.turn();
    await until(() => h.text() === "Half");
    await Promise.all([h.session.stop(), h.session.stop()]);
    await turn;
    await h.session.stop();
    assert.equal(h.events.filter(({ type }) => type === "ended").length, 1);
  });

  it("R3 L10 a session killed during a call: the call has a result and does not run again (L274)", async () => {
    const first = new Harness([[bash("echo ran >> ran.txt; sleep 60")]], { mode: "bypassPermissions" });
    const turn = first.turn();
    await until(() => first.calls[0]?.state.status === "running" && first.calls[0].state.title !== undefined);
    first.transcript.flush();
    // A killed process leaves what is on disk now.
    const { chat } = replay(first.transcript.path);
    await first.session.stop();
    await turn;
    await first.close();
    const second = new Harness([["I see."]], { chat: copyOf(chat) });
    await second.turn("Go on");
    const call = second.model.requests[0]?.entries[1]?.parts.find((part) => part.type === "tool");
    assert.ok(call?.type === "tool" && call.state.status === "error");
    assert.match(call.state.error, /Interrupted: Rondo was closed/);
    assert.throws(() => second.read("ran.txt"));
    await second.session.dispose();
  });

  /** Copies it like a record. */
  function copyOf(chat: Chat): Chat {
    const copy = newSession("");
    apply(copy, { type: "session", session: chat.session });
    for (const { info, parts } of chat.messages) {
      apply(copy, { type: "message", message: info });
      for (const part of parts) apply(copy, { type: "part", part });
    }
    return copy;
  }
});

describe("cases: repeated text", () => {
  const open = harnesses();

  it("E2 a model that repeats a sentence can be stopped, and nothing else happens (L227)", async () => {
    const sentence = "I will now read the file to see what is in there. ";
    const h = open([{ say: [sentence.repeat(400)], hang: true }]);
    const turn = h.turn();
    await until(() => h.text().length > 10_000);
    await h.session.stop();
    assert.equal((await turn).reason, "interrupted");
    h.checkRecord();
  });

  it("T6 repeated tables, quotes and lists are no loop: only calls are compared (L230, L233)", async () => {
    const table = "| a | b |\n| --- | --- |\n".concat("| 1 | 2 |\n".repeat(200), "> quote\n".repeat(200));
    const h = open([[table]]);
    assert.equal((await h.turn()).reason, "end_turn");
    assert.equal(h.text(), table);
  });
});
