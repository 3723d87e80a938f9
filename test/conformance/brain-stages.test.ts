/** "Agent Loop Specification" (Brain): the four stages with their failure modes and stop conditions. */
import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { IntakeError } from "../../src/loop/session/intake-error.ts";
import { exportTranscript } from "../../src/loop/transfer/export.ts";
import { replay } from "../../src/record/replay.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { entriesOf, full, kinds, small, summarised, textOf } from "../loop/compacting.ts";
import { Harness, harnesses, until } from "../loop/harness.ts";
import { TestFolders } from "../project/folders.ts";
import { failure } from "../scripted-model.ts";
import { LateLock, lockFileOf, takeElsewhere } from "./locked-sessions.ts";

const read = (file_path: string) => ({ call: "read", input: { file_path } });
const bash = (command: string) => ({ call: "bash", input: { command } });

async function refusal(promise: Promise<unknown>): Promise<IntakeError> {
  const error = await promise.catch((thrown: unknown) => thrown);
  return error instanceof IntakeError ? error : assert.fail(String(error));
}

describe("Brain: intake", () => {
  const open = harnesses();
  let folders: TestFolders;
  beforeEach(() => {
    folders = new TestFolders();
  });
  afterEach(() => folders.dispose());

  it("P2 a message is validated (not empty, not too large) before anything is stored", async () => {
    const h = open([["x"]]);
    for (const text of ["", "  \n", "x".repeat(2 ** 20 + 1)]) {
      const { code, status } = await refusal(h.send(text));
      assert.deepEqual([code, status], ["prompt-invalid", 400]);
    }
    assert.equal(existsSync(h.transcript.path), false);
  });

  it("P4 AGENT.md defines the agent that answers", async () => {
    folders.put("work/AGENT.md", "---\nname: brain\ndescription: Thinks.\ntools: Read\n---\nYOU ARE BRAIN");
    const h = open([["x"]], { project: folders.load(), choices: { agent: "brain" } });
    await h.turn();
    assert.match(h.model.requests[0]?.system ?? "", /YOU ARE BRAIN/);
    assert.deepEqual(
      h.model.requests[0]?.tools.map(({ name }) => name),
      ["read"],
    );
  });

  it("P3 agent not found: 404, and the run does not start", async () => {
    const h = open([["x"]]);
    const { code, status } = await refusal(h.send("Hi", { agent: "nobody" }));
    assert.deepEqual([code, status], ["agent-not-found", 404]);
    assert.deepEqual([h.model.requests.length, h.loopEvents.length], [0, 0]);
  });

  it("P3 an invalid agent: 400 with the problem of each field", async () => {
    folders.put("work/AGENT.md", "---\nname: brain\ndescription: Thinks.\nsteps: many\ntemperature: 9\n---\nX");
    const h = open([["x"]], { project: folders.load() });
    const error = await refusal(h.send("Hi", { agent: "brain" }));
    assert.deepEqual([error.code, error.status], ["agent-invalid", 400]);
    assert.match(error.message, /steps must be a whole number/);
    assert.match(error.message, /temperature must be from 0 to 2/);
    assert.equal((await h.turn("Hi")).reason, "end_turn", "a broken file never stops the others");
  });

  it("P2 a session is created or resumed", async () => {
    const first = open([["One."]]);
    await first.turn("Hi");
    const { chat } = replay(first.transcript.path);
    const second = new Harness([["Two."]], { chat });
    await second.turn("Again");
    assert.equal(second.chat.session.id, first.chat.session.id);
    assert.equal(second.model.requests[0]?.entries.length, 3);
    await second.session.dispose();
    second.transcript.close();
    rmSync(second.folder, { recursive: true });
  });

  it("Q2 P3 a locked session is waited for, then 503 with its owner and start time", async () => {
    const lock = new LateLock();
    const h = open([["One."], ["Two."]], { lock, limits: { queueTimeoutMs: 60 } });
    lock.tie(h);
    await h.turn("Hi");
    const held = await takeElsewhere(h);
    const error = await refusal(h.send("Hi"));
    assert.deepEqual([error.code, error.status], ["session-locked", 503]);
    assert.match(error.message, /running in .+ since .+\d:\d\d/);
    const waits = h.send("Hi");
    held.release();
    assert.deepEqual(await waits, { type: "ended", end: { reason: "end_turn", error: undefined } });
  });

  it("P3 a closed session: 410", async () => {
    const h = open([["x"]]);
    await h.session.dispose();
    const { code, status } = await refusal(h.send("Hi"));
    assert.deepEqual([code, status], ["session-terminated", 410]);
  });

  it("P2 D1 each run has its own id", async () => {
    const h = open([["1"], ["2"]]);
    await h.turn();
    await h.turn();
    const ids = h.loopEvents.flatMap((event) => (event.type === "loop:start" ? [event.runId] : []));
    assert.equal(new Set(ids).size, 2);
    for (const id of ids) assert.match(id, /^run_[0-9A-Z]{26}$/);
  });
});

describe("Brain: context", () => {
  const open = harnesses();

  it("M1 the prompt contains identity, scope, project and memory; the message contains the date (C7)", async () => {
    const project = {
      rules: [{ path: "AGENTS.md", text: "USE TABS" }],
      memory: { path: ".rondo/MEMORY.md", text: "TESTS: mocha" },
    };
    const h = open([["x"]], { project });
    await h.turn();
    const { system = "", entries = [] } = h.model.requests[0] ?? {};
    for (const words of ["You are Rondo", h.folder, "USE TABS", "TESTS: mocha"])
      assert.ok(system.includes(words), words);
    assert.match(textOf(entries[0]), /^Today is \d{4}-\d\d-\d\d/);
  });

  it("C5 a missing memory file is an empty memory", async () => {
    const folders = new TestFolders();
    const h = open([["x"]], { project: folders.load() });
    folders.dispose();
    assert.equal((await h.turn()).reason, "end_turn");
    assert.doesNotMatch(h.model.requests[0]?.system ?? "", /# Memory/);
  });

  it("R3 a damaged transcript is repaired as far as possible: Brain may start over, Rondo reads the rest", async () => {
    const h = open([["One."], ["Two."]]);
    await h.turn("First");
    await h.turn("Second");
    const lines = h.read(".record.jsonl").trimEnd().split("\n");
    const middle = lines.findIndex((line) => line.includes("One."));
    h.write("damaged.jsonl", [...lines.with(middle, "{broken"), '{"type":"mess'].join("\n"));
    const { chat, broken } = replay(path.join(h.folder, "damaged.jsonl"));
    assert.equal(broken.length, 1, "the torn last line is dropped, the broken one is told");
    assert.equal(chat.messages.length, 4);
    assert.equal(textOf(chat.messages.at(-1)), "Two.");
  });

  it("C2 K1 tokens of system, history and message are estimated", async () => {
    const h = open(() => ({ say: ["x"], tokens: "none" }));
    await h.turn("word ".repeat(1000));
    await h.turn("word ".repeat(1000));
    const [first = 0, second = 0] = h.loopEvents.flatMap((event) =>
      event.type === "loop:context" ? [event.tokenEstimate] : [],
    );
    assert.ok(first > 1000 && second > first + 1000, `${first}, ${second}`);
  });

  it("C1 C3 a history too large for the window is compacted, and the request is sent again", async () => {
    const h = open(summarised(["S"], [{ say: ["Hello."], tokens: full }, ["Bye."]]), small);
    await h.turn();
    assert.equal((await h.turn()).reason, "end_turn");
    assert.deepEqual(kinds(h), ["step", "summary", "step"]);
  });

  it("C3 a failed compaction reports an error and preserves the transcript", async () => {
    const h = open(summarised({ fail: failure("auth") }, [{ say: ["Hello."], tokens: full }]), small);
    await h.turn("Hi");
    const before = h.chat.messages.slice(0, 2).map(textOf);
    const { reason, error } = await h.turn("More");
    assert.deepEqual([reason, error?.code], ["error", "auth"]);
    assert.deepEqual(h.chat.messages.slice(0, 2).map(textOf), before);
    h.checkRecord();
  });

  it("C3 a history that is too large after compaction stops the turn", async () => {
    const h = open([["Never."]], small);
    const { reason, error } = await h.turn("word ".repeat(20_000));
    assert.deepEqual([reason, error?.code], ["error", "context-full"]);
  });
});

describe("Brain: execute", () => {
  const open = harnesses();

  it("K1 L8 the answer streams as it arrives", async () => {
    const h = open([["Hello, you."]]);
    await h.turn();
    const deltas = h.loopEvents.flatMap((event) => (event.type === "stream:delta" ? [event.content] : []));
    assert.ok(deltas.length > 1);
    assert.equal(deltas.join(""), "Hello, you.");
  });

  it("L4 T5 each call of a reply runs, and the results are sent back", async () => {
    const h = open([[read("a.txt"), read("b.txt")], [read("a.txt")], ["Done."]], {
      files: { "a.txt": "a", "b.txt": "b" },
    });
    await h.turn();
    assert.deepEqual(
      h.model.requests.map(({ entries }) => entries.length),
      [1, 2, 3],
    );
    assert.deepEqual(h.results(), ["1\ta", "1\tb", "1\ta"]);
  });

  it("H2 H3 a model error is retried with growing delays, at most three times", async () => {
    const h = open(() => ({ fail: failure("server") }), { limits: { retryBackoffMs: 4 } });
    assert.equal((await h.turn()).error?.code, "server");
    assert.equal(h.model.requests.length, 4);
    const waits = h.events.flatMap((event) =>
      event.type === "status" && event.status.type === "retry" ? [event.status.attempt] : [],
    );
    assert.deepEqual(waits, [1, 2, 3]);
  });

  it("H6 a model that stops responding: its text is kept, with an error message", async () => {
    const h = open([{ say: ["Half"], hang: true }], {
      limits: { stallNoticeMs: 10, stallTimeoutMs: 30, maxRetries: 0 },
    });
    const { error } = await h.turn();
    assert.equal(error?.code, "network");
    assert.equal(h.text(), "Half");
  });

  it("H3 a rate limit is retried after the requested delay", async () => {
    const h = open([{ fail: failure("rate-limit", { retryAfterMs: 40 }) }, ["Here."]]);
    const begun = performance.now();
    assert.equal((await h.turn()).reason, "end_turn");
    assert.ok(performance.now() - begun >= 39);
  });

  it("T4 a tool that fails or throws: the model gets the error and handles it", async () => {
    const broken = defineTool({
      name: "broken",
      sideEffect: "none",
      description: "A test.",
      input: z.object({}),
      prepare: async () => {
        throw new TypeError("oops");
      },
    });
    const h = open([[read("gone.txt"), { call: "broken" }], ["I see."]], { tools: [...coreTools, broken] });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.match(h.results()[0] ?? "", /^ERROR .*gone\.txt/);
    assert.match(h.results()[1] ?? "", /^ERROR .*oops/);
    assert.equal(h.bugs.length, 1);
  });

  it("T10 O a command that takes too long is killed with a timeout error", async () => {
    const h = open([[{ call: "bash", input: { command: "sleep 30 & sleep 30", timeout: 50 } }], ["I see."]], {
      mode: "bypassPermissions",
    });
    await h.turn();
    assert.match(h.results()[0] ?? "", /^ERROR .*0\.05 s, its time limit/);
  });

  it("T8 I6 a tool is denied outside its scope when nobody can allow it", async () => {
    const h = open([[read("/etc/hostname"), bash("cat ../../etc/hostname")], ["I see."]], { attended: false });
    assert.equal((await h.turn()).reason, "end_turn");
    for (const result of h.results()) assert.match(result, /^ERROR Not allowed/);
    assert.match(h.results()[0] ?? "", /outside/);
  });

  it("L1 O the step limit: 10 in Brain, 100 in Rondo; a setting changes it", async () => {
    const h = open((_, index) => [{ call: "glob", input: { pattern: `${index}` } }], { limits: { maxTurns: 4 } });
    assert.equal((await h.turn()).reason, "max_turns");
    assert.equal(h.model.requests.length, 4);
  });

  it("L1 the limit of working time, and Stop", async () => {
    const h = open((_, index) => [bash(`sleep 0.03; echo ${index}`)], {
      mode: "bypassPermissions",
      limits: { executionTimeoutMs: 20 },
    });
    assert.equal((await h.turn()).error?.code, "execution-timeout");
    const stopped = open([{ hang: true }]);
    const turn = stopped.turn();
    await until(() => stopped.model.requests.length === 1);
    await stopped.session.stop();
    assert.equal((await turn).reason, "interrupted");
  });
});

describe("Brain: persist", () => {
  const open = harnesses();

  it("R1 R2 message, calls, results and answer are appended, each before anything that depends on it", async () => {
    const seen: string[] = [];
    const h: Harness = open(
      () => {
        seen.push(h.read(".record.jsonl"));
        return seen.length === 1 ? [read("a.txt")] : ["Done."];
      },
      { files: { "a.txt": "what it says" } },
    );
    await h.turn("The words");
    assert.ok(seen[0]?.includes("The words") && !seen[0].includes("what it says"));
    assert.ok(seen[1]?.includes("what it says"));
    assert.ok(h.read(".record.jsonl").includes("Done."));
  });

  it("R6 transcript format: one line per message with role, content, tool_calls, tool_call_id, timestamp", async () => {
    const h = open([["I look.", read("a.txt")], ["Done."]], { files: { "a.txt": "x" } });
    await h.turn("Hi");
    const [, ...lines] = exportTranscript(h.chat)
      .trim()
      .split("\n")
      .map((line) => z.looseObject({}).parse(JSON.parse(line)));
    assert.deepEqual(
      lines.map(({ role }) => role),
      ["user", "assistant", "tool", "assistant"],
    );
    const [user, reply, result] = lines;
    assert.match(String(user?.["content"]), /Hi$/);
    assert.partialDeepStrictEqual(reply, { content: "I look.", tool_calls: [{ function: { name: "read" } }] });
    const [call] = h.calls;
    assert.equal(result?.["tool_call_id"], call?.callID);
    assert.match(String(result?.["content"]), /1\tx/);
    for (const { timestamp } of lines) assert.match(String(timestamp), /^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it("R4 a failed write: Brain continues, Rondo stops the turn before more is lost and says so", async () => {
    const h = new Harness([["Never."]]);
    try {
      // A folder stands where the record should be.
      h.write(".record.jsonl/in-the-way", "");
      const { reason, error } = await h.turn("Hi");
      assert.deepEqual([reason, error?.code], ["error", "record"]);
      assert.ok(error?.next);
      assert.equal(h.model.requests.length, 0);
    } finally {
      await h.session.dispose().catch(() => undefined);
      rmSync(h.folder, { recursive: true });
    }
  });

  it("Q3 the lock is released after every kind of end", async () => {
    for (const script of [[["Done."]], [{ fail: failure("auth") }]]) {
      const lock = new LateLock();
      const h = open(
        (_, index) => {
          assert.ok(existsSync(lockFileOf(h)), "held while it runs");
          return script[index] ?? [];
        },
        { lock },
      );
      lock.tie(h);
      await h.turn();
      assert.equal(existsSync(lockFileOf(h)), false);
    }
  });

  it("C3 L2 compaction: the requested summary replaces the old messages, and the transcript keeps all", async () => {
    const h = open(summarised(["The summary."], [{ say: ["Hello."], tokens: full }, ["Bye."]]), small);
    await h.turn("First");
    await h.turn("Second");
    assert.match(textOf(entriesOf(h, 1).at(-1)), /[Ss]um up/);
    assert.deepEqual(entriesOf(h, 2).slice(1, 2).map(textOf), ["The summary."]);
    assert.ok(h.read(".record.jsonl").includes("First"));
  });
});
