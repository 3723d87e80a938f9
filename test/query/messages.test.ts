import assert from "node:assert/strict";
import type { SDKMessage, SDKUserMessage } from "../../src/query/query-types.ts";
import { begins, calls, kindOf, ofType, resultOf, results, says, user, worlds } from "./world.ts";

const read = (file_path: string): [string, Record<string, unknown>] => ["read", { file_path }];

describe("query(): messages", () => {
  const open = worlds();

  it("K2 sends init first, then each reply, progress and results of its calls, and one result last", async () => {
    const world = await open([calls(read("a.txt"), read("gone.txt")), says("Done.")]);
    world.write("a.txt", "in the file");
    const messages = await world.run("Read both.");
    const kinds = messages.map(kindOf);
    assert.equal(kinds[0], "init");
    assert.equal(kinds.at(-1), "result");
    assert.deepEqual(
      kinds.filter((kind) => kind !== "tool_progress"),
      ["init", "assistant", "user", "user", "assistant", "result"],
    );
    const [first, second] = ofType(messages, "assistant");
    assert.partialDeepStrictEqual(first, {
      message: { role: "assistant", model: "claude-sonnet-5", stop_reason: "tool_use" },
      parent_tool_use_id: null,
    });
    assert.partialDeepStrictEqual(second, { message: { content: [{ type: "text", text: "Done." }] } });
    const ids = first?.message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    assert.partialDeepStrictEqual(results(messages), [
      { type: "tool_result", tool_use_id: ids?.[0] },
      { type: "tool_result", tool_use_id: ids?.[1], is_error: true },
    ]);
    for (const message of messages) assert.equal(message.session_id, messages[0]?.session_id);
    assert.equal(new Set(messages.map(({ uuid }) => uuid)).size, messages.length);
  });

  it("K2 sends tool_progress when a call starts and when it has ended, before its result", async () => {
    const world = await open([calls(["bash", { command: "sleep 0.2" }]), says("Done.")]);
    const messages = await world.run("Wait.", { permissionMode: "bypassPermissions" });
    assert.deepEqual(messages.map(kindOf), [
      ...["init", "assistant", "tool_progress", "tool_progress", "user", "assistant", "result"],
    ]);
    const [begin, end] = ofType(messages, "tool_progress");
    assert.partialDeepStrictEqual(begin, { tool_name: "bash", elapsed_time_seconds: 0, parent_tool_use_id: null });
    assert.equal(end?.tool_use_id, begin?.tool_use_id);
    assert.ok((end?.elapsed_time_seconds ?? 0) >= 0.2);
  });

  it("K2 init contains folder, tools and model", async () => {
    const world = await open([says("Hi.")]);
    world.write(".rondo/agents/poet.md", "---\nname: poet\ndescription: Writes verse.\n---\nYou write verse.");
    const [init] = await world.run("Hello", { permissionMode: "plan" });
    assert.partialDeepStrictEqual(init, {
      type: "system",
      subtype: "init",
      cwd: world.folder,
      model: "claude-sonnet-5",
      permissionMode: "plan",
      mcp_servers: [],
      apiKeySource: "user",
    });
    const { tools = [], agents = [] } = init?.type === "system" && init.subtype === "init" ? init : {};
    assert.ok(["bash", "read", "write", "edit", "glob", "grep", "task"].every((name) => tools.includes(name)));
    assert.ok(["build", "plan", "poet"].every((name) => agents.includes(name)));
    assert.ok(!agents.includes("title"), "hidden agents are not told");
  });

  it("K2 the result contains turns, times, cost, usage by model and denied calls", async () => {
    const world = await open([calls(read("a.txt"), ["bash", { command: "touch made" }]), says("Done.")]);
    world.write("a.txt", "x");
    const running = world.query("Go");
    const messages: SDKMessage[] = [];
    for await (const message of running) messages.push(message);
    const result = resultOf(messages);
    assert.partialDeepStrictEqual(result, {
      subtype: "success",
      is_error: false,
      num_turns: 2,
      result: "Done.",
      stop_reason: "end_turn",
      exit_reason: "end_turn",
      usage: { input_tokens: 200, output_tokens: 40 },
      total_cost_usd: 0.0008,
      modelUsage: { "claude-sonnet-5": { inputTokens: 200, outputTokens: 40, costUSD: 0.0008 } },
      permission_denials: [{ tool_name: "bash", tool_input: { command: "touch made" } }],
    });
    assert.ok(result.duration_ms >= result.duration_api_ms && result.duration_api_ms >= 0);
    assert.equal(world.has("made"), false);
    assert.equal(running.exitReason, "end_turn");
    assert.equal(running.turnCount, 2);
    assert.deepEqual(running.totalUsage, result.usage);
    assert.equal(running.totalCostUsd, 0.0008);
    assert.equal(running.sessionId, result.session_id);
  });

  it("B1 a model without a known price costs null, never 0; a custom price counts", async () => {
    const world = await open(() => says("Hi."));
    assert.equal(resultOf(await world.run("Hi", { model: "my-model" })).total_cost_usd, null);
    const prices = { "my-model": { input: 10, output: 100 } };
    assert.equal(resultOf(await world.run("Hi", { model: "my-model", prices })).total_cost_usd, 0.003);
  });

  it("K3 turnCount grows by one with each reply, also during the run", async () => {
    const world = await open([calls(read(".")), calls(read(".")), says("Done.")]);
    const running = world.query("Go");
    const counts: number[] = [];
    for await (const message of running) if (message.type === "assistant") counts.push(running.turnCount);
    assert.equal(running.turnCount, 3);
    assert.deepEqual(counts, [...counts].sort());
    assert.equal(world.server.requests.length, 3);
  });

  it("K2 stream_event only with includePartialMessages; the events of a reply form a legal stream", async () => {
    const world = await open((_, index) => (index % 2 === 0 ? calls(read("a.txt")) : says("Done.")));
    world.write("a.txt", "x");
    assert.equal(ofType(await world.run("Go"), "stream_event").length, 0);
    const messages = await world.run("Go", { includePartialMessages: true });
    const events = ofType(messages, "stream_event").map(({ event }) => event.type);
    const first = messages.findIndex(({ type }) => type === "assistant");
    assert.deepEqual(
      [...new Set(messages.slice(1, first).map(kindOf))],
      ["stream_event"],
      "a reply's events come before the reply",
    );
    assert.equal(events.filter((type) => type === "message_start").length, 2);
    assert.equal(events.filter((type) => type === "message_stop").length, 2);
    assert.equal(
      events.filter((type) => type === "content_block_start").length,
      events.filter((type) => type === "content_block_stop").length,
    );
  });

  it("K2 H2 a retry is reported as api_retry with attempt, delay and reason", async () => {
    const world = await open([{ status: 429, headers: { "retry-after-ms": "5" } }, says("Done.")]);
    const messages = await world.run("Go");
    const retry = messages.find((message) => kindOf(message) === "api_retry");
    assert.partialDeepStrictEqual(retry, {
      attempt: 1,
      max_retries: 3,
      error_status: 429,
      error: "rate_limit",
    });
    assert.equal(resultOf(messages).subtype, "success");
  });

  it("K2 error_max_turns, error_max_budget_usd, error_during_execution", async () => {
    const world = await open(() => calls(read(".")));
    assert.partialDeepStrictEqual(resultOf(await world.run("Go", { maxTurns: 2 })), {
      subtype: "error_max_turns",
      is_error: true,
      num_turns: 2,
      exit_reason: "max_turns",
    });
    assert.equal(world.server.requests.length, 2);
    const poor = resultOf(await world.run("Go", { maxBudgetUsd: 0.0005 }));
    assert.partialDeepStrictEqual(poor, { subtype: "error_max_budget_usd", exit_reason: "error_max_budget_usd" });
    assert.equal(poor.num_turns, 2, "the second reply goes over it");
    const failing = await open([{ status: 401, body: { error: { message: "no" } } }]);
    const told = await failing.run("Go", { includePartialMessages: true });
    assert.deepEqual(told.map(kindOf), ["init", "result"]);
    const failed = resultOf(told);
    assert.deepEqual([failed.num_turns, failed.total_cost_usd], [0, 0]);
    assert.equal(failed.subtype, "error_during_execution");
    assert.ok((failed.errors?.[0] ?? "").length > 10);
  });

  it("K2 AsyncIterable prompts share one session, with a result each, including images and documents", async () => {
    const world = await open((_, index) => says(`Answer ${index + 1}`));
    const answers: string[] = [];
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      yield user("One");
      const data = Buffer.from("fake").toString("base64");
      yield user([
        { type: "text", text: "Two" },
        { type: "image", source: { type: "base64", media_type: "image/png", data } },
      ]);
      yield { ...user("Only so that you know."), shouldQuery: false };
      yield user("Three");
    }
    const running = world.query(prompts());
    for await (const message of running) if (message.type === "result") answers.push(message.result);
    assert.deepEqual(answers, ["Answer 1", "Answer 2", "Answer 3"]);
    assert.equal(running.turnCount, 3);
    assert.ok(world.raws[1]?.includes("One") && world.raws[1].includes("image/png"));
    assert.ok(world.raws[2]?.includes("Only so that you know."));
  });

  it("K2 C3 a requested compaction is a boundary, not a reply", async () => {
    const world = await open([says("The answer."), says("A summary of it all."), says("Later.")]);
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      yield user("Question");
      yield user("/compact");
      yield user("And then?");
    }
    const messages = await world.run(prompts());
    const boundary = messages.find((message) => kindOf(message) === "compact_boundary");
    assert.partialDeepStrictEqual(boundary, { compact_metadata: { trigger: "manual", pre_tokens: 120 } });
    const said = ofType(messages, "assistant").flatMap(({ message }) => message.content);
    assert.ok(!JSON.stringify(said).includes("A summary"), "the summary is no answer");
    assert.deepEqual(
      ofType(messages, "result").map(({ subtype }) => subtype),
      ["success", "success", "success"],
    );
    assert.ok(world.raws[2]?.includes("A summary of it all."));
  });

  it("K2 nothing is lost while nobody reads", async () => {
    const world = await open((_, index) =>
      index < 20 ? calls(["read", { file_path: "a.txt", offset: index + 1 }]) : says("Done."),
    );
    world.write("a.txt", "x\n".repeat(30));
    const running = world.query("Go", { includePartialMessages: true });
    while (running.exitReason === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
    const messages: SDKMessage[] = [];
    for await (const message of running) messages.push(message);
    assert.equal(ofType(messages, "assistant").length, 21);
    assert.equal(ofType(messages, "user").length, 20);
    assert.equal(resultOf(messages).num_turns, 21);
  });

  it("K2 the received part of an interrupted reply is reported", async () => {
    const world = await open([begins("Half an answer")]);
    const running = world.query("Go", { includePartialMessages: true });
    const messages: SDKMessage[] = [];
    for await (const message of running) {
      messages.push(message);
      if (message.type === "stream_event" && message.event.type === "content_block_delta") void running.interrupt();
    }
    assert.partialDeepStrictEqual(ofType(messages, "assistant")[0]?.message.content, [{ text: "Half an answer" }]);
    assert.partialDeepStrictEqual(resultOf(messages), {
      subtype: "error_during_execution",
      exit_reason: "interrupted",
    });
  });
});
