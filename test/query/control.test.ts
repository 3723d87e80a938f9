import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import type { Query, SDKMessage, SDKUserMessage } from "../../src/query/query-types.ts";
import { until } from "../loop/harness.ts";
import type { Answer } from "../model-server.ts";
import { all, begins, calls, ofType, resultOf, results, says, user, type World, worlds } from "./world.ts";

/** Writes its process id to `pid`, and does not end on its own. */
const long = "echo $$ > pid; sleep 300 & echo $! >> pid; wait";

function alive(world: World): string[] {
  return world
    .read("pid")
    .trim()
    .split("\n")
    .filter((pid) => {
      const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" });
      return stdout.trim() !== "" && !stdout.startsWith("Z");
    });
}

const hasPids = (world: World) => () => world.has("pid") && world.read("pid").trim().split("\n").length === 2;

describe("query(): control", () => {
  const open = worlds();
  const bypass = { permissionMode: "bypassPermissions" } as const;

  it("Q2 a message sent during an answer waits, is dropped, or interrupts it", async () => {
    const world = await open([begins("Half"), says("Whole."), says("More.")]);
    const streaming = Promise.withResolvers<void>();
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      yield user("One");
      await streaming.promise;
      yield { ...user("Dropped"), whenBusy: "drop" };
      yield { ...user("Now"), whenBusy: "interrupt" };
      yield user("Later");
    }
    const ends: SDKMessage[] = [];
    for await (const message of world.query(prompts(), { includePartialMessages: true })) {
      if (message.type === "stream_event" && message.event.type === "content_block_delta") streaming.resolve();
      if (message.type === "result") ends.push(message);
    }
    assert.partialDeepStrictEqual(ends, [
      { subtype: "error_during_execution", exit_reason: "interrupted" },
      { subtype: "success", result: "Whole." },
      { subtype: "success", result: "More." },
    ]);
    assert.equal(ends.length, 3);
    assert.ok(!world.raws.some((raw) => raw.includes("Dropped")));
  });

  it("P1 a message sets agent, model, tools, system prompt and subtasks; K1 loop events are reported", async () => {
    const world = await open([says("Found."), says("Verse."), says("Prose.")]);
    world.write(".rondo/agents/poet.md", "---\nname: poet\ndescription: Writes verse.\n---\nYou write verse.");
    const events: string[] = [];
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      yield {
        ...user("Sing"),
        agent: "poet",
        model: "claude-haiku-4-5",
        tools: { bash: false },
        system: "IN FRENCH",
        subtasks: [{ agent: "explore", description: "Find it", prompt: "FIND IT" }],
      };
      yield user("Talk");
      yield { ...user("Who?"), agent: "nobody" };
    }
    const messages = await world.run(prompts(), {
      onLoopEvent: (event) => events.push(`${event.type} ${event.runId}`),
    });
    const [task = "", verse = "", prose = ""] = world.raws;
    assert.ok(task.includes("FIND IT") && !task.includes("You write verse."));
    assert.ok(verse.includes("You write verse.") && verse.includes("IN FRENCH") && verse.includes("claude-haiku-4-5"));
    assert.ok(verse.includes("Found."), "the result of the subtask is in the request");
    assert.ok(!verse.includes('"name":"bash"') && prose.includes('"name":"bash"'));
    assert.ok(prose.includes("From now on you are the agent build.") && prose.includes("claude-sonnet-5"));
    assert.partialDeepStrictEqual(ofType(messages, "result"), [
      { subtype: "success", result: "Verse." },
      { subtype: "success", result: "Prose." },
      { subtype: "error_during_execution", exit_reason: "blocked" },
    ]);
    assert.equal(new Set(events.flatMap((event) => /^loop:start (.*)/.exec(event)?.[1] ?? [])).size, 3);
  });

  it("L11 interrupt during a reply: the stream closes, the result says so, the next prompt is answered", async () => {
    const world = await open([begins("Half"), says("Whole.")]);
    const next = Promise.withResolvers<void>();
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      yield user("One");
      await next.promise;
      yield user("Two");
    }
    const running = world.query(prompts(), { includePartialMessages: true });
    const ends: SDKMessage[] = [];
    for await (const message of running) {
      if (message.type === "stream_event" && message.event.type === "content_block_delta") {
        if (ends.length === 0) void running.interrupt().then(next.resolve);
      }
      if (message.type === "result") ends.push(message);
    }
    await world.server.requests[0]?.left;
    assert.partialDeepStrictEqual(ends, [
      { subtype: "error_during_execution", exit_reason: "interrupted" },
      { subtype: "success", result: "Whole." },
    ]);
    assert.ok(world.raws[1]?.includes("Half"), "what was streamed is kept");
  });

  it("L11 interrupt during a tool: its processes end, with no further tool and request", async () => {
    const world = await open([
      calls(["bash", { command: long }], ["bash", { command: "touch second" }]),
      says("Never."),
    ]);
    const running = world.query("Go", bypass);
    const done = all(running);
    await until(hasPids(world));
    await running.interrupt();
    const messages = await done;
    assert.deepEqual(alive(world), []);
    assert.equal(world.has("second"), false);
    assert.equal(world.server.requests.length, 1);
    assert.equal(resultOf(messages).exit_reason, "interrupted");
    assert.equal(results(messages).length, 2, "each call has its result");
  });

  it("L11 interrupt between a reply and its call: nothing runs", async () => {
    const world = await open([calls(["bash", { command: "touch made" }]), says("Never.")]);
    const running = world.query("Go", {
      ...bypass,
      hooks: { PreToolUse: [{ hooks: [async () => void running.interrupt()] }] },
    });
    const messages = await all(running);
    assert.equal(resultOf(messages).exit_reason, "interrupted");
    assert.equal(world.has("made"), false);
    assert.equal(world.server.requests.length, 1);
  });

  it("L11 interrupt before the model is called: no request is sent", async () => {
    const world = await open([says("Never.")]);
    const running: Query = world.query("Go", {
      hooks: { UserPromptSubmit: [{ hooks: [async () => void running.interrupt()] }] },
    });
    assert.equal(resultOf(await all(running)).exit_reason, "interrupted");
    assert.equal(world.server.requests.length, 0);
  });

  it("L11 interrupt at once, before anything is read", async () => {
    const world = await open(() => says("Answer"));
    const running = world.query("Go");
    await running.interrupt();
    assert.equal(resultOf(await all(running)).exit_reason, "interrupted");
    assert.equal(world.server.requests.length, 0);
  });

  it("K2 setModel and setMaxThinkingTokens apply from the next request, also during a run", async () => {
    // With its thinking: a model may not start thinking between calls and their results.
    const look = (pattern: string): Answer => [
      { thinking: "Hm.", signature: "c2ln" },
      { call: { name: "glob", input: { pattern } } },
    ];
    const world = await open([look("a*"), look("b*"), look("c*"), says("Done.")]);
    const afterCall = [
      () => running.setMaxThinkingTokens(2048),
      () => running.setModel("claude-haiku-4-5"),
      () => running.setModel(),
    ];
    const running: Query = world.query("Go", {
      model: "claude-sonnet-4-5",
      hooks: { PostToolUse: [{ hooks: [async () => void (await afterCall.shift()?.())] }] },
    });
    const messages = await all(running);
    assert.equal(resultOf(messages).subtype, "success");
    const bodies = world.server.requests.map(({ body }) => body);
    assert.deepEqual(
      bodies.map((body) => body["model"]),
      ["claude-sonnet-4-5", "claude-sonnet-4-5", "claude-haiku-4-5", "claude-sonnet-4-5"],
    );
    assert.ok(!JSON.stringify(bodies[0]?.["thinking"] ?? {}).includes("2048"));
    assert.partialDeepStrictEqual(bodies[1]?.["thinking"], { budget_tokens: 2048 });
    assert.deepEqual(Object.keys(resultOf(messages).modelUsage).sort(), ["claude-haiku-4-5", "claude-sonnet-4-5"]);
  });

  it("K2 setPermissionMode applies to the next call", async () => {
    const write = (name: string): [string, Record<string, unknown>] => ["write", { file_path: name, content: "x" }];
    const world = await open([calls(write("one")), calls(write("two")), says("Done.")]);
    const running: Query = world.query("Go", {
      // The first is denied, because nobody can answer.
      hooks: { PreToolUse: [{ hooks: [async () => void (await modes.shift()?.())] }] },
    });
    const modes = [undefined, () => running.setPermissionMode("acceptEdits")];
    await all(running);
    assert.deepEqual([world.has("one"), world.has("two")], [false, true]);
    // @ts-expect-error not a mode
    await assert.rejects(running.setPermissionMode("yolo"), { name: "QueryError", code: "invalid-option" });
  });

  it("K2 break ends the run without leaving a process or lock, and the session can continue later", async () => {
    const world = await open([calls(["bash", { command: long }]), says("Later.")]);
    const running = world.query("Go", bypass);
    for await (const message of running) {
      if (message.type !== "tool_progress") continue;
      await until(hasPids(world));
      break;
    }
    assert.deepEqual(alive(world), []);
    assert.deepEqual(world.kept(".lock"), []);
    assert.deepEqual(await running.next(), { done: true, value: undefined });
    const messages = await world.run("And now?", { resume: running.sessionId });
    assert.equal(resultOf(messages).result, "Later.");
  });

  it("K2 close() during a reply, and twice: the connection closes, and the received text is kept", async () => {
    const world = await open([begins("Half")]);
    const running = world.query("Go");
    await until(() => world.server.requests.length === 1);
    await wait(50);
    await Promise.all([running.close(), running.close()]);
    await world.server.requests[0]?.left;
    assert.deepEqual(await all(running), []);
    assert.equal(running.exitReason, "interrupted");
    assert.ok(JSON.stringify(world.replay(running.sessionId).chat.messages).includes("Half"));
    assert.deepEqual(world.kept(".lock"), []);
  });

  it("K2 the caller's AbortController ends the query with the result aborted", async () => {
    const world = await open([begins("Half")]);
    const abortController = new AbortController();
    const running = world.query("Go", { abortController, includePartialMessages: true });
    const messages: SDKMessage[] = [];
    for await (const message of running) {
      messages.push(message);
      if (message.type === "stream_event" && message.event.type === "content_block_delta") abortController.abort();
    }
    assert.equal(resultOf(messages).exit_reason, "aborted");
    assert.equal(running.exitReason, "aborted");
    const never = world.query("Go", { abortController });
    assert.equal(ofType(await all(never), "result").length, 0);
    assert.equal(never.exitReason, "aborted");
    assert.equal(world.server.requests.length, 1);
  });

  it("K2 endless prompts do not keep a closed query open, and their iterator is told", async () => {
    const world = await open([says("Hi.")]);
    let returned = false;
    const prompts: AsyncIterable<SDKUserMessage> = {
      [Symbol.asyncIterator]() {
        let first = true;
        return {
          next: () => {
            if (!first) return new Promise(() => {});
            first = false;
            return Promise.resolve({ done: false, value: user("Hello") });
          },
          return: async () => {
            returned = true;
            return { done: true, value: undefined };
          },
        };
      },
    };
    for await (const message of world.query(prompts)) if (message.type === "result") break;
    assert.ok(returned);
  });

  it("K2 a query can be used with `await using`", async () => {
    const world = await open([begins("Half")]);
    {
      await using running = world.query("Go");
      await running.next();
    }
    assert.deepEqual(world.kept(".lock"), []);
  });
});
