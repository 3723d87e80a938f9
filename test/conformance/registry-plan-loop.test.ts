/**
 * The plan "Agentic Loop + Tool Registry", phases 5 to 8: the 14 tests of the loop by their names, and the whole path
 * from the prompt to the last reply, over a real connection with real tools.
 */
import assert from "node:assert/strict";
import { defaultLimits } from "../../src/loop/limits.ts";
import { queries } from "./query-runs.ts";
import { toolResults } from "./request-bodies.ts";

const read = (file_path: string) => ({ call: { name: "read", input: { file_path } } });
const bash = (command: string) => ({ call: { name: "bash", input: { command } } });
const text = (words: string) => [{ text: words }];

describe("Registry plan: loop", () => {
  const open = queries();

  it("L9 K2 TestLoop_SimpleTextResponse", async () => {
    const run = await open([text("Hello!")]);
    const result = await run.result();
    assert.deepEqual(run.kinds, ["system/init", "assistant", "result"]);
    assert.equal(run.query.exitReason, "end_turn");
    assert.equal(result.subtype, "success");
    assert.equal(result.result, "Hello!");
  });

  it("L4 L8 TestLoop_SingleToolCall", async () => {
    const run = await open([[read("a.txt")], text("It says one.")], { files: { "a.txt": "one\n" } });
    const result = await run.result();
    assert.equal(run.query.exitReason, "end_turn");
    assert.equal(run.requests.length, 2);
    assert.deepEqual(
      toolResults(run.requests[1]).map(({ content }) => content),
      ["1\tone"],
    );
    assert.equal(result.num_turns, 2);
  });

  it("T5 I9 TestLoop_MultipleToolCalls", async () => {
    const files = { "a.txt": "one", "b.txt": "two", "c.txt": "three" };
    const run = await open([Object.keys(files).map(read), text("Done.")], { files });
    await run.result();
    assert.equal(run.query.exitReason, "end_turn");
    assert.deepEqual(
      toolResults(run.requests[1]).map(({ content }) => content),
      ["1\tone", "1\ttwo", "1\tthree"],
    );
  });

  it("T4 TestLoop_ToolError", async () => {
    const run = await open([[read("gone.txt")], text("It is not there.")]);
    const result = await run.result();
    const [told] = toolResults(run.requests[1]);
    assert.ok(told?.isError);
    assert.match(told.content, /gone\.txt/);
    assert.equal(result.subtype, "success");
    assert.equal(result.result, "It is not there.");
  });

  it("L1 TestLoop_MaxTurns", async () => {
    const run = await open((_, index) => [read(`${index}.txt`)], { maxTurns: 3 });
    const result = await run.result();
    assert.equal(run.query.exitReason, "max_turns");
    assert.equal(result.subtype, "error_max_turns");
    assert.equal(run.requests.length, 3, "exactly this number of requests");
    assert.equal(run.query.turnCount, 3);
  });

  it("B2 TestLoop_MaxBudget", async () => {
    const usage = { input: 0, output: 60_000 };
    const run = await open((_, index) => ({ blocks: [read(`${index}.txt`)], usage }), { maxBudgetUsd: 1 });
    const result = await run.result();
    assert.equal(run.query.exitReason, "error_max_budget_usd");
    assert.equal(result.subtype, "error_max_budget_usd");
    assert.equal(run.requests.length, 2, "$0.60 a reply");
  });

  it("L11 TestLoop_Interrupt", async () => {
    const run = await open([{ blocks: text("Half an answer"), hang: true, cutAt: 1e9 }], {
      includePartialMessages: true,
    });
    while (!run.messages.some((one) => one.type === "stream_event" && one.event.type === "content_block_delta")) {
      await run.until("stream_event");
    }
    await run.query.interrupt();
    const result = await run.result();
    assert.equal(run.query.exitReason, "interrupted");
    assert.equal(result.exit_reason, "interrupted");
    assert.equal(result.is_error, true);
  });

  it("L11 TestLoop_ContextCancel", async () => {
    const abortController = new AbortController();
    const run = await open([{ bytes: "", hang: true }], { abortController });
    await run.until("system/init");
    while (run.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    abortController.abort();
    await run.result();
    assert.equal(run.query.exitReason, "aborted");
    assert.ok((await run.requests[0]?.left) !== undefined, "the connection is closed");
  });

  it("T7 TestLoop_ToolPermissionDenied", async () => {
    const run = await open([[bash("rm -r build")], text("I leave it.")], {
      canUseTool: async () => ({ behavior: "deny", message: "Keep the build." }),
    });
    const result = await run.result();
    const [told] = toolResults(run.requests[1]);
    assert.ok(told?.isError);
    assert.match(told.content, /Keep the build\./);
    assert.equal(result.subtype, "success");
    assert.deepEqual(
      result.permission_denials.map(({ tool_name, tool_input }) => ({ tool_name, tool_input })),
      [{ tool_name: "bash", tool_input: { command: "rm -r build" } }],
    );
  });

  it("K2 TestLoop_StreamEvents", async () => {
    const reply = [{ text: "one two three four", pieces: 4 }];
    const run = await open([reply], { includePartialMessages: true });
    await run.result();
    const said = run.messages.flatMap((one) => {
      if (one.type !== "stream_event" || one.event.type !== "content_block_delta") return [];
      const { delta } = one.event;
      return typeof delta === "object" && delta !== null && "text" in delta ? [delta.text] : [];
    });
    assert.deepEqual(said, ["one t", "wo th", "ree f", "our"]);
    const quiet = await open([reply]);
    await quiet.result();
    assert.ok(!quiet.kinds.includes("stream_event"), "none unless they are asked for");
  });

  it("L4 TestLoop_EmptyToolUse", async () => {
    const run = await open([{ blocks: text("That is all."), stop: "tool_use" }]);
    const result = await run.result();
    assert.equal(run.query.exitReason, "end_turn");
    assert.equal(result.result, "That is all.");
    assert.equal(run.requests.length, 1);
  });

  it("T4 TestLoop_UnknownTool", async () => {
    const run = await open([[{ call: { name: "teleport", input: {} } }], text("There is none.")]);
    await run.result();
    const [told] = toolResults(run.requests[1]);
    assert.ok(told?.isError);
    assert.match(told.content, /no tool named "teleport".*bash, read, write, edit, glob, grep/);
  });

  it("K2 TestLoop_MessageOrdering", async () => {
    const run = await open([[{ text: "I look." }, read("a.txt")], text("Done.")], {
      files: { "a.txt": "x" },
      includePartialMessages: true,
    });
    await run.result();
    const order = run.kinds.filter((kind, index) => kind !== run.kinds[index - 1]);
    assert.deepEqual(order, [
      ...["system/init", "stream_event", "assistant", "tool_progress", "user"],
      ...["stream_event", "assistant", "result"],
    ]);
    const ids = run.messages.map(({ session_id }) => session_id);
    assert.deepEqual([...new Set(ids)], [run.query.sessionId]);
  });

  it("B1 TestLoop_CostTracking", async () => {
    const usage = { input: 1000, output: 2000, cacheRead: 30_000, cacheWrite: 4000 };
    const run = await open(
      [
        { blocks: [read("a.txt")], usage },
        { blocks: text("Done."), usage },
      ],
      {
        prices: { "claude-sonnet-5": { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 2 } },
      },
    );
    const result = await run.result();
    const one = (1000 * 1 + 2000 * 10 + 30_000 * 0.1 + 4000 * 2) / 1e6;
    assert.ok(Math.abs((run.query.totalCostUsd ?? 0) - 2 * one) < 1e-9, String(run.query.totalCostUsd));
    assert.equal(result.total_cost_usd, run.query.totalCostUsd);
    assert.deepEqual(run.query.totalUsage, {
      input_tokens: 2000,
      output_tokens: 4000,
      cache_read_input_tokens: 60_000,
      cache_creation_input_tokens: 8000,
    });
  });
});

describe("Registry plan: whole path", () => {
  const open = queries();

  it("K2 the state can be read at any time: session, usage, cost, turns, end reason (phase 5)", async () => {
    const run = await open([[read("a.txt")], text("Done.")], { sessionId: "ses_named" });
    const { query } = run;
    assert.deepEqual(
      [query.sessionId, query.turnCount, query.totalCostUsd, query.exitReason],
      ["ses_named", 0, 0, undefined],
    );
    await run.until("assistant");
    assert.equal(query.turnCount, 1);
    await run.all();
    assert.deepEqual([query.turnCount, query.exitReason], [2, "end_turn"]);
    assert.ok((query.totalCostUsd ?? 0) > 0);
  });

  it("T10 L8 lists the files of the folder and summarizes (phase 8)", async () => {
    const glob = { call: { name: "glob", input: { pattern: "**/*" } } };
    const run = await open([[{ text: "I look." }, glob], text("Two files.")], {
      prompt: "List files in the current directory",
      files: { "a.txt": "x", "src/b.ts": "y" },
    });
    const result = await run.result();
    const [told] = toolResults(run.requests[1]);
    assert.deepEqual(told?.content.split("\n").toSorted(), ["a.txt", "src/b.ts"]);
    assert.equal(result.result, "Two files.");
    assert.deepEqual(
      run.kinds.filter((kind) => kind !== "tool_progress"),
      ["system/init", "assistant", "user", "assistant", "result"],
    );
  });

  it("K2 a constructor with options: model, turns, budget, folder, tools, permissions, hooks (phase 8)", async () => {
    const heard: string[] = [];
    const run = await open([[bash("echo 1 > made.txt")], text("Done.")], {
      model: "claude-haiku-4-5",
      maxTurns: 5,
      maxBudgetUsd: 1,
      tools: ["bash", "read"],
      canUseTool: async (name) => {
        heard.push(`asked for ${name}`);
        return { behavior: "allow" };
      },
      hooks: { PreToolUse: [{ hooks: [async ({ hook_event_name }) => void heard.push(hook_event_name)] }] },
    });
    await run.result();
    const { body } = run.requests[0] ?? assert.fail();
    assert.equal(body["model"], "claude-haiku-4-5");
    const { tools } = body;
    assert.deepEqual(Array.isArray(tools) && tools.map(({ name }) => name), ["bash", "read"]);
    assert.deepEqual(heard, ["PreToolUse", "asked for bash"]);
    assert.equal(run.read("made.txt"), "1\n");
  });

  it("O the defaults match the plan", () => {
    assert.equal(defaultLimits.maxTurns, 100);
  });
});
