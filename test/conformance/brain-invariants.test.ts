/** "Agent Loop Specification" (Brain): locks, queue modes, events, memory flush, configuration, invariants. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { textPrompt } from "../../src/chat/prompt-input.ts";
import { ownWords } from "../../src/chat/words.ts";
import { defaultLimits } from "../../src/loop/limits.ts";
import type { LoopEvent } from "../../src/loop/loop-events.ts";
import { full, isSummary, small, summarised, textOf } from "../loop/compacting.ts";
import { harnesses, until } from "../loop/harness.ts";
import { failure } from "../scripted-model.ts";
import { LateLock, lockFileOf, takeElsewhere } from "./locked-sessions.ts";

const read = (file_path: string) => ({ call: "read", input: { file_path } });
const glob = (pattern: string) => ({ call: "glob", input: { pattern } });

describe("Brain: concurrency", () => {
  const open = harnesses();

  it("Q1 the lock is a file with sessionId, runId, acquiredAt and expiresAt", async () => {
    const lock = new LateLock();
    let content: Record<string, unknown> = {};
    const h = open(
      () => {
        content = JSON.parse(readFileSync(lockFileOf(h), "utf8"));
        return ["Hi."];
      },
      { lock },
    );
    lock.tie(h);
    await h.turn();
    const start = h.loopEvents.find((event) => event.type === "loop:start");
    assert.equal(content["sessionId"], h.chat.session.id);
    assert.equal(content["runId"], start?.type === "loop:start" && start.runId);
    const [acquired, expires] = ["acquiredAt", "expiresAt"].map((name) => Date.parse(String(content[name])));
    assert.equal((expires ?? 0) - (acquired ?? 0), defaultLimits.lockTimeoutMs);
  });

  it("Q2 the queue holds 10 prompts and runs them in order, then rejects with queue-full", async () => {
    const h = open([{ hang: true }]);
    const turn = h.turn("0");
    await until(() => h.model.requests.length === 1);
    for (let at = 1; at <= 10; at++) assert.deepEqual(await h.send(String(at)), { type: "queued" });
    await assert.rejects(h.send("11"), { code: "queue-full", status: 429 });
    assert.deepEqual(
      h.chat.queue.map(({ parts }) => ownWords(parts)),
      ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"],
    );
    await h.session.stop();
    await turn;
  });

  it("Q2 queue: waits and runs in order; drop: returns at once; interrupt: cancels and starts again", async () => {
    const h = open([{ hang: true }, ["Interrupting."], ["Rest."]]);
    const first = h.turn("First");
    await until(() => h.model.requests.length === 1);
    assert.deepEqual(await h.session.prompt(textPrompt("Dropped"), "drop"), { type: "dropped" });
    const third = h.session.prompt(textPrompt("Third"), "interrupt");
    assert.equal((await first).reason, "interrupted");
    assert.partialDeepStrictEqual(await third, { type: "ended", end: { reason: "end_turn" } });
    const said = h.model.requests[1]?.entries.filter(({ info }) => info.role === "user").map(textOf);
    assert.deepEqual(
      said?.map((words) => words.split("\n").at(-1)),
      ["First", "Third"],
    );
  });
});

describe("Brain: events", () => {
  const open = harnesses();
  const typesOf = (events: readonly LoopEvent[]) =>
    events.map(({ type }) => type).filter((type, at, all) => type !== "stream:delta" || all[at - 1] !== type);

  it("K1 I5 each has its name and payload, in the order of the stages", async () => {
    const h = open([["I look.", read("a.txt")], ["Done."]], { files: { "a.txt": "x" } });
    await h.turn();
    assert.deepEqual(typesOf(h.loopEvents), [
      ...["loop:start", "loop:context", "stream:delta", "loop:execute", "tool:start", "tool:end", "loop:persist"],
      ...["loop:context", "stream:delta", "loop:persist", "loop:end"],
    ]);
    const payloads = new Map(h.loopEvents.map((event) => [event.type, event]));
    const [call] = h.calls;
    assert.partialDeepStrictEqual(payloads.get("loop:start"), { sessionId: h.chat.session.id });
    assert.partialDeepStrictEqual(payloads.get("loop:execute"), { toolCount: 1 });
    assert.partialDeepStrictEqual(payloads.get("tool:start"), { toolName: "read", toolCallId: call?.callID });
    assert.partialDeepStrictEqual(payloads.get("tool:end"), { toolName: "read", result: "completed" });
    const end = payloads.get("loop:end");
    assert.ok(end?.type === "loop:end" && end.success && end.duration >= 0);
    const start = payloads.get("loop:start");
    assert.equal(end.runId, start?.type === "loop:start" && start.runId);
  });

  it("K1 I5 an unrecoverable error: loop:error, then loop:end without success", async () => {
    const h = open([{ fail: failure("auth") }]);
    await h.turn();
    const [error, end] = h.loopEvents.slice(-2);
    assert.ok(error?.type === "loop:error" && /It failed/.test(error.error));
    assert.ok(end?.type === "loop:end" && !end.success && end.runId === error.runId);
  });
});

describe("Brain: memory flush", () => {
  const open = harnesses();
  const options = {
    choices: { model: { providerID: "anthropic", modelID: "local" } },
    limits: { compactAt: 0.95 },
    project: { memory: { path: ".rondo/MEMORY.md", text: "" } },
  };

  it("C5 uses the text of the specification, and does not show NO_REPLY", async () => {
    const h = open([{ say: [glob("a*")], tokens: { input: 116_000 } }, ["NO_REPLY"], ["Done."]], options);
    await h.turn();
    const asked = textOf(h.model.requests[1]?.entries.at(-1));
    assert.match(asked, /^Session nearing compaction\. Store durable memories now\./);
    assert.match(asked, /Write any lasting notes to \.rondo\/MEMORY\.md.*NO_REPLY if nothing to store/s);
    const shown = h.chat.messages.filter(({ info }) => !info.silent).map(textOf);
    assert.ok(!shown.some((words) => words.includes("NO_REPLY")));
  });

  it("C5 happens once per compaction cycle", async () => {
    const near = (pattern: string) => ({ say: [glob(pattern)], tokens: { input: 117_000 } });
    const h = open([near("a*"), ["NO_REPLY"], near("b*"), near("c*"), ["Done."]], options);
    await h.turn();
    assert.equal(h.chat.messages.filter(({ info }) => info.silent && info.role === "user").length, 1);
  });
});

describe("Brain: invariants", () => {
  const open = harnesses();

  it("I1 a session has exactly one run, with many prompts at once from this and other processes", async () => {
    const lock = new LateLock();
    let running = 0;
    let most = 0;
    const h = open(
      () => ({
        say: ["Hi."],
        before: async () => {
          most = Math.max(most, ++running);
          await assert.rejects(takeElsewhere(h), { code: "session-locked" });
          running -= 1;
        },
      }),
      { lock },
    );
    lock.tie(h);
    await Promise.all(["a", "b", "c", "d"].map((text) => h.send(text)));
    await until(() => !h.session.running);
    assert.equal(most, 1);
    assert.equal(h.chat.queue.length, 0);
  });

  it("I2 the transcript only grows, also during compaction and pruning", async () => {
    const h = open(summarised(["S"], [{ say: ["Hello."], tokens: full }, ["Bye."]]), small);
    let before = "";
    h.session.listen(() => {
      if (!existsSync(h.transcript.path)) return;
      const now = h.read(".record.jsonl");
      assert.ok(now.startsWith(before), "what was written stays");
      before = now;
    });
    await h.turn("Hi");
    await h.turn("More");
    assert.ok(h.model.requests.some(isSummary));
    assert.deepEqual(h.bugs, [], "the listener saw nothing else");
  });

  it("I3 every call is recorded: run, failed, denied, unknown, malformed, stopped", async () => {
    const h = open(
      [
        [
          read("a.txt"),
          read("gone"),
          { call: "nothing" },
          { call: "read", raw: "{" },
          { call: "bash", input: { command: "ls" } },
        ],
        { say: [read("a.txt")], hang: true },
      ],
      { files: { "a.txt": "x" }, attended: false },
    );
    const turn = h.turn();
    await until(() => h.model.requests.length === 2 && h.calls.length === 6);
    await h.session.stop();
    await turn;
    const states = h.calls.map(({ state }) => state.status);
    assert.deepEqual(states, ["completed", "error", "error", "error", "error", "error"]);
    h.checkRecord();
  });

  it("I4 Q3 the lock is released at the end, on an error, on a bug, at Stop and on close", async () => {
    for (const way of ["end", "error", "bug", "stop", "dispose"] as const) {
      const lock = new LateLock();
      const script = {
        end: ["Hi."],
        error: { fail: failure("auth") },
        bug: [],
        stop: { hang: true },
        dispose: { hang: true },
      };
      const h = open([script[way]], {
        lock,
        ...(way === "bug" && { openModel: async () => assert.fail("a bug") }),
      });
      lock.tie(h);
      const turn = h.turn();
      if (way === "stop" || way === "dispose") {
        await until(() => h.model.requests.length === 1);
        await h.session[way]();
      }
      await turn;
      assert.equal(existsSync(lockFileOf(h)), false, way);
    }
  });

  it("I6 T8 tools cannot leave the workspace without permission", async () => {
    const h = open([[{ call: "write", input: { file_path: "../outside.txt", content: "x" } }], ["I see."]], {
      mode: "acceptEdits",
    });
    const turn = h.turn();
    const request = await h.answerNext({ kind: "permission", type: "deny", words: "Stay inside." });
    assert.equal(request.permission, "external_directory");
    await turn;
    assert.throws(() => h.read("../outside.txt"));
  });

  it("I7 no request is larger than the window, because compaction comes first", async () => {
    const words = `${"word ".repeat(10)}\n`.repeat(200);
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`${at}.txt`, words]));
    const left = Object.keys(files);
    const h = open(
      (request) => {
        if (isSummary(request)) return { say: ["S"], tokens: "none" };
        const next = left.shift();
        return next === undefined ? { say: ["Done."], tokens: "none" } : { say: [read(next)], tokens: "none" };
      },
      { ...small, files },
    );
    assert.equal((await h.turn()).reason, "end_turn");
    assert.ok(h.model.requests.some(isSummary));
    for (const { entries, system, tools } of h.model.requests) {
      // Four characters make a token at most; JSON and roles come on top.
      const size = JSON.stringify([entries.map(({ parts }) => parts), system, tools]).length / 4;
      assert.ok(size < 20_000, `${size} tokens`);
    }
  });

  it("O the numbers match the specification", () => {
    assert.partialDeepStrictEqual(defaultLimits, {
      contextWindow: 128_000,
      reserveFloorTokens: 4000,
      flushThresholdTokens: 8000,
      // Brain's maxToolIterations: 10 under another name; the registry plan's 100 wins.
      maxTurns: 100,
      executionTimeoutMs: 600_000,
      toolTimeoutMs: 30_000,
      queueTimeoutMs: 30_000,
      maxQueueDepth: 10,
      lockTimeoutMs: 900_000,
      maxRetries: 3,
      retryBackoffMs: 1000,
      doomLoopThreshold: 3,
    });
  });
});
