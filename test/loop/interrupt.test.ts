import assert from "node:assert/strict";
import * as z from "zod/mini";
import { defineTool } from "../../src/tools/tool.ts";
import { failure } from "../scripted-model.ts";
import { secondMs, stopwatch } from "../timing.ts";
import { type Harness, harnesses, until } from "./harness.ts";

const bash = (command: string) => ({ call: "bash", input: { command } });
const read = (file_path: string) => ({ call: "read", input: { file_path } });

/** Presses Stop and checks that the turn is over within a second. */
async function stop(h: Harness): Promise<void> {
  const elapsed = stopwatch();
  await h.session.stop();
  assert.ok(elapsed() < secondMs, `Stop took ${elapsed()} ms`);
  assert.ok(!h.session.running);
}

describe("L11 Stop", () => {
  const open = harnesses();

  it("L11 before the model is called", async () => {
    const h = open([["Never."]], {
      openModel: async () => {
        void h.session.stop();
        return h.model;
      },
    });
    assert.deepEqual(await h.turn(), { reason: "interrupted", error: undefined });
    const info = h.chat.messages.at(-1)?.info;
    assert.equal(info?.role === "assistant" && info.finish, "interrupted");
  });

  it("L11 during the stream: the received part is kept and marked", async () => {
    const h = open([{ say: [{ thinking: "Hm." }, "Half an answer"], hang: true }]);
    const turn = h.turn();
    await until(() => h.text() === "Half an answer");
    await stop(h);
    assert.equal((await turn).reason, "interrupted");
    assert.equal(h.text(), "Half an answer");
    const info = h.chat.messages.at(-1)?.info;
    assert.equal(info?.role === "assistant" && info.finish, "interrupted");
    assert.equal(info?.role === "assistant" && info.error, undefined);
  });

  it("L11 during a call's arguments: the call gets a result and does not run", async () => {
    const h = open([{ say: ["I write.", bash("touch made.txt")], hang: true }], { mode: "bypassPermissions" });
    const turn = h.turn();
    await until(() => h.calls.length === 1);
    await stop(h);
    await turn;
    assert.deepEqual(h.results(), ["ERROR Tool execution aborted"]);
    assert.throws(() => h.read("made.txt"));
  });

  it("L11 between the reply and its tools: none runs, each has a result", async () => {
    const h = open([{ say: [read("a.txt"), bash("touch made.txt")] }], {
      files: { "a.txt": "x" },
      mode: "bypassPermissions",
    });
    h.session.listen((event) => {
      if (event.type === "message" && event.message.role === "assistant" && event.message.finish) void h.session.stop();
    });
    assert.equal((await h.turn()).reason, "interrupted");
    assert.deepEqual(h.results(), ["ERROR Tool execution aborted", "ERROR Tool execution aborted"]);
    assert.throws(() => h.read("made.txt"));
  });

  it("L11 during a command: its process tree ends, its output is kept, and no later call runs", async () => {
    const h = open([[bash("echo begun; sleep 60 & sleep 60; echo $!"), bash("touch made.txt")], ["Never."]], {
      mode: "bypassPermissions",
    });
    const turn = h.turn();
    await until(() => h.events.some((event) => event.type === "output"));
    await stop(h);
    assert.equal((await turn).reason, "interrupted");
    assert.match(h.results()[0] ?? "", /^ERROR begun\n\nThe command was stopped by the user/);
    assert.equal(h.results()[1], "ERROR Tool execution aborted");
    assert.equal(h.model.requests.length, 1);
  });

  it("L11 during a question: the question is withdrawn, and the tool does not run", async () => {
    const h = open([[bash("touch made.txt")], ["Never."]]);
    const turn = h.turn();
    const request = await h.asked();
    await stop(h);
    assert.equal((await turn).reason, "interrupted");
    assert.deepEqual(h.chat.requests, []);
    assert.equal(h.session.answer(request.id, { kind: "permission", type: "once" }), false);
    assert.deepEqual(h.results(), ["ERROR Tool execution aborted"]);
    assert.throws(() => h.read("made.txt"));
  });

  it("L11 during the delay before a retry: the received part is kept", async () => {
    const h = open([{ say: ["Half"], fail: failure("overloaded") }], { limits: { retryBackoffMs: 60_000 } });
    const turn = h.turn();
    await until(() => h.chat.status.type === "retry");
    await stop(h);
    assert.equal((await turn).reason, "interrupted");
    assert.equal(h.text(), "Half");
    assert.equal(h.model.requests.length, 1);
  });

  it("L11 a tool that ignores its signal is not waited for", async () => {
    const deaf = defineTool({
      name: "deaf",
      sideEffect: "none",
      description: "A test.",
      input: z.object({}),
      prepare: async () => ({
        title: "Hear nothing",
        preview: { type: "text", text: "" },
        requires: [],
        writes: [],
        run: () => new Promise<never>(() => {}),
      }),
    });
    const h = open([[{ call: "deaf" }]], { tools: [deaf] });
    const turn = h.turn();
    await until(() => h.calls[0]?.state.status === "running");
    await h.session.stop();
    assert.equal((await turn).reason, "interrupted");
    assert.deepEqual(h.results(), ["ERROR Tool execution aborted"]);
  }).slow(5000);

  it("L11 twice, and while nothing runs", async () => {
    const h = open([{ hang: true }, ["Hello."]]);
    await h.session.stop();
    const turn = h.turn();
    await until(() => h.model.requests.length === 1);
    await Promise.all([h.session.stop(), h.session.stop()]);
    await turn;
    await h.session.stop();
    assert.equal((await h.turn()).reason, "end_turn");
  });

  it("L10 the next request is valid: each call has its result before the new message", async () => {
    const h = open([[bash("sleep 60")], ["Hello."]], { mode: "bypassPermissions" });
    const turn = h.turn();
    await until(() => h.calls[0]?.state.status === "running" && h.calls[0].state.title !== undefined);
    await stop(h);
    await turn;
    await h.turn("Go on.");
    const entries = h.model.requests[1]?.entries ?? [];
    assert.deepEqual(
      entries.map(({ info }) => info.role),
      ["user", "assistant", "user"],
    );
    const part = entries[1]?.parts.find((one) => one.type === "tool");
    assert.equal(part?.type === "tool" && part.state.status, "error");
  });

  it("L11 a dropped connection is not Stop: the turn is aborted", async () => {
    const h = open([{ say: ["Half"], fail: failure("aborted") }]);
    assert.deepEqual(await h.turn(), { reason: "aborted", error: undefined });
  });

  it("L11 during the last tool that maxTurns allows: the turn is interrupted, and queued prompts stay queued", async () => {
    const h = open([[bash("sleep 60")]], { mode: "bypassPermissions", limits: { maxTurns: 1 } });
    const turn = h.turn();
    await until(() => h.calls[0]?.state.status === "running" && h.calls[0].state.title !== undefined);
    await h.send("And this.");
    await stop(h);
    assert.equal((await turn).reason, "interrupted");
    assert.equal(h.chat.queue.length, 1);
    assert.equal(h.chat.messages.length, 2);
  });
});
