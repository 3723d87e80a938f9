/** "Spec 03: Agentic Loop": its 13-line checklist, through `query()`, over a real connection with real tools. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { replay } from "../../src/record/replay.ts";
import { queries } from "./query-runs.ts";
import { blocksOf, messagesOf, toolResults } from "./request-bodies.ts";

const read = (file_path: string, id?: string) => ({ call: { name: "read", input: { file_path }, ...(id && { id }) } });
const bash = (command: string) => ({ call: { name: "bash", input: { command } } });
const text = (words: string) => [{ text: words }];
const allow = async () => ({ behavior: "allow" }) as const;

describe("Claude Code: verification checklist", () => {
  const open = queries();

  it("K3 Turn counting: grows by exactly one with each reply", async () => {
    const run = await open([[read("a")], { status: 529, body: {} }, [read("b"), read("c")], text("Done.")]);
    const counts: number[] = [];
    for await (const message of run.query) if (message.type === "assistant") counts.push(run.query.turnCount);
    assert.deepEqual(counts, [1, 2, 3], "a try that failed is none");
    assert.equal(run.requests.length, 4);
  });

  it("E3 L4 Stop reason mapping: end_turn, tool_use, max_tokens, stop_sequence", async () => {
    const table = [
      ["end_turn", "end_turn", 1],
      ["stop_sequence", "end_turn", 1],
      // Nothing to compact: the model is asked to go on, at most twice.
      ["max_tokens", "max_tokens", 3],
    ] as const;
    for (const [stop, reason, requests] of table) {
      const run = await open(() => ({ blocks: text("Words."), stop }));
      await run.result();
      assert.equal(run.query.exitReason, reason, stop);
      assert.equal(run.requests.length, requests, stop);
    }
    const run = await open([{ blocks: [read("a.txt")], stop: "tool_use" }, text("Done.")], { files: { "a.txt": "x" } });
    await run.result();
    assert.equal(toolResults(run.requests[1]).length, 1);
  });

  it("E4 Tool result format: one message with the role tool per result", async () => {
    const files = { "a.txt": "one", "b.txt": "two" };
    const run = await open([[read("a.txt", "call_a"), read("b.txt", "call_b")], text("Done.")], {
      provider: "openai",
      files,
    });
    await run.result();
    const messages = messagesOf(run.requests[1]);
    assert.deepEqual(
      messages.map(({ role }) => role),
      ["system", "user", "assistant", "tool", "tool"],
    );
    assert.deepEqual(
      toolResults(run.requests[1]).map(({ id, content }) => [id, content]),
      [
        ["call_a", "1\tone"],
        ["call_b", "1\ttwo"],
      ],
    );
  });

  it("L1 MaxTurns enforcement: stops after exactly that number of requests", async () => {
    for (const maxTurns of [1, 2, 4]) {
      const run = await open((_, index) => [read(`${index}`)], { maxTurns });
      assert.equal((await run.result()).subtype, "error_max_turns");
      assert.equal(run.requests.length, maxTurns);
    }
  });

  it("B2 Budget enforcement: ends when the cost reaches it, after the reply and before its tools", async () => {
    const reply = { blocks: [bash("echo x > made.txt")], usage: { input: 0, output: 50_000 } };
    const run = await open([reply], { maxBudgetUsd: 0.5, canUseTool: allow });
    assert.equal((await run.result()).subtype, "error_max_budget_usd");
    assert.throws(() => run.read("made.txt"), "$0.50 are spent: the tool does not run");
  });

  it("L11 Interrupt behavior: closes the stream and stops before the next tool", async () => {
    const streaming = await open([{ bytes: ": nothing yet\n\n", hang: true }]);
    await streaming.until("system/init");
    while (streaming.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const begun = performance.now();
    await streaming.query.interrupt();
    assert.ok((await (streaming.requests[0]?.left ?? assert.fail())) - begun < 1000);
    assert.equal((await streaming.result()).exit_reason, "interrupted");

    const working = await open([[bash("sleep 60"), bash("echo x > made.txt")]], { canUseTool: allow });
    await working.until("tool_progress");
    await working.query.interrupt();
    await working.result();
    assert.equal(working.query.exitReason, "interrupted");
    assert.throws(() => working.read("made.txt"));
    const results = working.messages.filter(({ type }) => type === "user");
    assert.equal(results.length, 2, "each call has its result");
  });

  it("C4 Context overflow: max_tokens compacts a full window and continues the run", async () => {
    const usage = { input: 17_000, output: 200 };
    const run = await open(
      [{ blocks: text("Half of it"), stop: "max_tokens", usage }, text("The summary."), text("Done.")],
      { model: "local", contextWindow: 20_000 },
    );
    const result = await run.result();
    assert.equal(result.exit_reason, "end_turn");
    assert.ok(run.kinds.includes("system/compact_boundary"));
    assert.match(JSON.stringify(messagesOf(run.requests[2])), /The summary\./);
    assert.doesNotMatch(JSON.stringify(messagesOf(run.requests[2])), /Half of it/);
  });

  it("I9 Message ordering: results are in call order, whatever each call's duration", async () => {
    const slow = { call: { name: "bash", input: { command: "sleep 0.1; echo slow" } } };
    const run = await open([[slow, read("a.txt"), bash("echo fast")], text("Done.")], {
      files: { "a.txt": "x" },
      canUseTool: allow,
    });
    await run.result();
    const contents = toolResults(run.requests[1]).map(({ content }) => content);
    assert.deepEqual(contents, ["slow", "1\tx", "fast"]);
  });

  it("K2 SDKMessage emission order: system.init, then assistant, then one result", async () => {
    const run = await open([[read("a.txt")], [read("b.txt")], text("Done.")]);
    await run.result();
    const kinds = run.kinds.filter((kind) => kind !== "user" && kind !== "tool_progress");
    assert.deepEqual(kinds, ["system/init", "assistant", "assistant", "assistant", "result"]);
  });

  it("R1 R7 Session persistence: on disk when enabled, otherwise nothing", async () => {
    const kept = await open([[read("a.txt")], text("Done.")], { files: { "a.txt": "x" } });
    await kept.result();
    const { chat, broken } = replay(path.join(kept.folder, "sessions", `${kept.query.sessionId}.jsonl`));
    assert.deepEqual(broken, []);
    assert.equal(chat.messages.length, 3);
    const private_ = await open([text("Hello.")], { persistSession: false });
    await private_.result();
    const sessions = path.join(private_.folder, "sessions");
    assert.deepEqual(existsSync(sessions) ? readdirSync(sessions) : [], []);
  });

  it("K4 Hook firing order: PreToolUse, the tool, then PostToolUse or PostToolUseFailure, for each tool", async () => {
    const heard: string[] = [];
    const hooks = Object.fromEntries(
      (["PreToolUse", "PostToolUse", "PostToolUseFailure"] as const).map((event) => [
        event,
        [{ hooks: [async (input: Record<string, unknown>) => void heard.push(`${event} ${input["tool_name"]}`)] }],
      ]),
    );
    const run = await open([[bash("echo ran >> log.txt"), read("gone.txt")], text("Done.")], {
      hooks,
      canUseTool: allow,
    });
    await run.result();
    assert.deepEqual(heard, ["PreToolUse bash", "PostToolUse bash", "PreToolUse read", "PostToolUseFailure read"]);
    assert.equal(run.read("log.txt"), "ran\n");
  });

  it("L4 Empty tool_use edge case: stop_reason tool_use without blocks is end_turn", async () => {
    const run = await open([{ blocks: text("All done."), stop: "tool_use" }]);
    assert.equal((await run.result()).exit_reason, "end_turn");
    assert.equal(run.requests.length, 1);
  });

  it("T5 I8 Multi-tool per turn: all of them run and return", async () => {
    const calls = Array.from({ length: 12 }, (_, at) => read(`${at}.txt`, `toolu_${at}`));
    const files = Object.fromEntries(calls.map((_, at) => [`${at}.txt`, `file ${at}`]));
    const run = await open([calls, text("Done.")], { files });
    await run.result();
    const [, reply, results] = messagesOf(run.requests[1]);
    const ids = blocksOf(reply ?? assert.fail()).map(({ id }) => id);
    assert.deepEqual(
      ids,
      calls.map(({ call }) => call.id),
    );
    assert.deepEqual(
      blocksOf(results ?? assert.fail()).map(({ tool_use_id }) => tool_use_id),
      ids,
    );
  });
});
