/** "OpenCode Agent Loop Specification": the processor's table of stream events, one test for each row. */
import assert from "node:assert/strict";
import type { Part } from "../../src/chat/message.ts";
import { noTokens } from "../../src/chat/token-counts.ts";
import { type Model, ModelError, type ModelEvent } from "../../src/loop/model.ts";
import { type Harness, harnesses, until } from "../loop/harness.ts";

type Step = ModelEvent | ((h: Harness) => unknown);

describe("OpenCode: stream events", () => {
  const open = harnesses();

  /** Plays the events of one reply; functions check the chat in between. Later replies are empty. */
  async function play(steps: readonly Step[], files: Record<string, string> = {}): Promise<Harness> {
    let asked = 0;
    const looked: unknown[] = [];
    const model: Model = {
      providerID: "anthropic",
      async *stream() {
        if (asked++ > 0) return yield* last;
        for (const step of steps) {
          if (typeof step === "function") {
            try {
              step(h);
            } catch (error) {
              looked.push(error);
            }
          } else yield step;
        }
      },
    };
    const h = open([], { openModel: async () => model, files, mode: "bypassPermissions" });
    await h.turn();
    if (looked.length > 0) throw looked[0];
    return h;
  }

  const end: ModelEvent[] = [
    { type: "finish-step", reason: "stop", tokens: { ...noTokens, input: 1000, output: 100 } },
    { type: "finish" },
  ];
  const words: ModelEvent[] = [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", text: "Words." },
    { type: "text-end", id: "t" },
  ];
  const last: ModelEvent[] = [{ type: "start" }, { type: "start-step" }, ...words, ...end];
  const call = (name: string, input: Record<string, unknown>): ModelEvent => ({
    type: "tool-call",
    id: "c",
    name,
    raw: JSON.stringify(input),
    arguments: { ok: true, input },
  });

  const partsOf = (h: Harness, message = 1): Part[] => h.chat.messages[message]?.parts ?? [];
  const part = <Type extends Part["type"]>(h: Harness, type: Type) => {
    const found = partsOf(h).find((one): one is Extract<Part, { type: Type }> => one.type === type);
    return found ?? assert.fail(`there is no part ${type}`);
  };

  it("E1 H1 start: the session is busy", async () => {
    await play([{ type: "start" }, (h) => assert.equal(h.chat.status.type, "busy"), ...words, ...end]);
  });

  it("E1 reasoning-start, -delta, -end: a part that grows and is closed with the provider's data", async () => {
    const h = await play([
      { type: "reasoning-start", id: "r" },
      (now) => assert.equal(part(now, "reasoning").text, ""),
      { type: "reasoning-delta", id: "r", text: "Hm" },
      { type: "reasoning-delta", id: "r", text: ", yes." },
      (now) =>
        assert.deepEqual([part(now, "reasoning").text, part(now, "reasoning").time.end], ["Hm, yes.", undefined]),
      { type: "reasoning-end", id: "r", metadata: { signature: "c2ln" } },
      ...words,
      ...end,
    ]);
    const { metadata, time } = part(h, "reasoning");
    assert.deepEqual(metadata, { signature: "c2ln" });
    assert.ok(time.end !== undefined);
  });

  it("E1 D4 tool-input-start: a pending call", async () => {
    await play([
      { type: "tool-input-start", id: "c", name: "glob" },
      (h) => {
        const { state, tool, callID } = part(h, "tool");
        assert.deepEqual([tool, callID, state], ["glob", "c", { status: "pending", input: {}, raw: "" }]);
      },
      call("glob", { pattern: "*" }),
      ...end,
    ]);
  });

  it("E2 tool-input-delta: OpenCode ignores it; Rondo's panel shows the arguments growing, and the call stays pending", async () => {
    await play([
      { type: "tool-input-start", id: "c", name: "glob" },
      { type: "tool-input-delta", id: "c", text: '{"pat' },
      { type: "tool-input-delta", id: "c", text: 'tern":"*"}' },
      { type: "tool-input-end", id: "c" },
      (h) => assert.deepEqual(part(h, "tool").state, { status: "pending", input: {}, raw: '{"pattern":"*"}' }),
      call("glob", { pattern: "*" }),
      ...end,
    ]);
  });

  it("E1 D4 tool-call and its result: running, then completed with output, title and times", async () => {
    const h = await play(
      [{ type: "tool-input-start", id: "c", name: "read" }, call("read", { file_path: "a.txt" }), ...end],
      {
        "a.txt": "x",
      },
    );
    const statuses = h.events.flatMap((event) =>
      event.type === "part" && event.part.type === "tool" ? [event.part.state.status] : [],
    );
    assert.deepEqual([...new Set(statuses)], ["pending", "running", "completed"]);
    const { state } = part(h, "tool");
    assert.ok(state.status === "completed" && state.title === "Read a.txt" && state.end >= state.start);
    assert.match(state.output, /1\tx/);
  });

  it("E1 D4 tool-error: the call is in error with the message", async () => {
    const h = await play([call("read", { file_path: "gone" }), ...end]);
    const { state } = part(h, "tool");
    assert.ok(state.status === "error" && /gone/.test(state.error) && state.end >= state.start);
  });

  it("E1 L9 error: ends the reply and keeps the received part", async () => {
    const error = new ModelError("auth", "The key is wrong.", "Set another.");
    const h = await play([...words, { type: "error", error }]);
    const info = h.chat.messages[1]?.info;
    assert.deepEqual(info?.role === "assistant" && info.error, {
      code: "auth",
      message: "The key is wrong.",
      next: "Set another.",
    });
    assert.equal(part(h, "text").text, "Words.");
  });

  it("E1 start-step and finish-step: the step's boundaries, usage, cost and reason", async () => {
    const h = await play(last);
    assert.deepEqual(
      partsOf(h).map(({ type }) => type),
      ["step-start", "text", "step-finish"],
    );
    const { reason, tokens, cost } = part(h, "step-finish");
    assert.deepEqual([reason, tokens.input, tokens.output], ["stop", 1000, 100]);
    assert.ok(cost !== undefined && cost > 0);
    const info = h.chat.messages[1]?.info;
    assert.partialDeepStrictEqual(info, { finish: "stop", cost, tokens });
  });

  it("E1 a step that changed files has a patch that names them; another step has none", async () => {
    const h = await play([call("write", { file_path: "made.txt", content: "x\n" }), ...end]);
    const patch = part(h, "patch");
    assert.deepEqual(patch.files, ["made.txt"]);
    assert.ok(patch.hash);
    const other = await play([call("glob", { pattern: "*" }), ...end]);
    assert.ok(!partsOf(other).some(({ type }) => type === "patch"));
  });

  it("E1 text-start, -delta, -end: a part that grows and is closed", async () => {
    const h = await play([
      { type: "text-start", id: "t" },
      (now) => assert.equal(part(now, "text").text, ""),
      { type: "text-delta", id: "t", text: "Hello" },
      { type: "text-delta", id: "t", text: ", you." },
      (now) => assert.equal(part(now, "text").time?.end, undefined),
      { type: "text-end", id: "t" },
      ...end,
    ]);
    assert.equal(part(h, "text").text, "Hello, you.");
    assert.ok(part(h, "text").time?.end !== undefined);
  });

  it("E1 finish: nothing more happens", async () => {
    await play([...words, ...end, (h) => assert.equal(h.chat.messages.length, 2)]);
  });

  it("E6 unknown events are skipped and logged", async () => {
    const h = await play([{ type: "skipped", what: "the event ping2" }, ...words, ...end]);
    assert.equal(h.chat.ended?.reason, "end_turn");
    assert.ok(h.notes.some((note) => note.includes("ping2")));
  });

  it("E5 H4 a stream without its end is a network error and retried; nothing is duplicated", async () => {
    const h = await play([...words]);
    await until(() => h.chat.status.type === "idle");
    assert.equal(partsOf(h).filter(({ type }) => type === "text").length, 1);
    assert.ok(partsOf(h).some((one) => one.type === "retry" && one.error.code === "network"));
  });
});
