/** "BRUTUS Agent Loop Implementation Spec": types, main loop, processor, tool resolution. */
import assert from "node:assert/strict";
import * as z from "zod/mini";
import { newID } from "../../src/base/ids.ts";
import { AssistantMessage, Message, Part, ToolState, UserMessage } from "../../src/chat/message.ts";
import { noTokens } from "../../src/chat/token-counts.ts";
import { replay } from "../../src/record/replay.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { full, kinds, small, summarised } from "../loop/compacting.ts";
import { harnesses, until } from "../loop/harness.ts";
import { failure } from "../scripted-model.ts";

const read = (file_path: string) => ({ call: "read", input: { file_path } });
const bash = (command: string) => ({ call: "bash", input: { command } });

describe("BRUTUS: types", () => {
  const open = harnesses();

  it("D1 ids are prefix_ULID and sort by creation, also within a millisecond", () => {
    const ids = Array.from({ length: 5000 }, () => newID("msg"));
    for (const id of ids.slice(0, 10)) assert.match(id, /^msg_[0-9A-HJKMNP-TV-Z]{26}$/);
    assert.deepEqual(ids, ids.toSorted());
    assert.equal(new Set(ids).size, ids.length);
    for (const prefix of ["ses", "prt", "per", "run"] as const) assert.match(newID(prefix), new RegExp(`^${prefix}_`));
  });

  it("D2 messages are a union on role, each with its own fields", async () => {
    const h = open([["Hi."]]);
    await h.turn("Hello");
    const [user, assistant] = h.chat.messages.map(({ info }) => info);
    assert.deepEqual(UserMessage.parse(user), user);
    assert.deepEqual(AssistantMessage.parse(assistant), assistant);
    assert.partialDeepStrictEqual(user, { role: "user", agent: "build", model: { providerID: "anthropic" } });
    assert.partialDeepStrictEqual(assistant, {
      role: "assistant",
      parentID: user?.id,
      agent: "build",
      path: { cwd: h.folder, root: h.folder },
      finish: "stop",
      tokens: { input: 10, output: 5, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
    });
    assert.ok(assistant?.role === "assistant" && assistant.completedAt && assistant.cost);
    assert.ok(!Message.safeParse({ ...user, role: "system" }).success);
  });

  const base = { id: "prt_1", sessionID: "ses_1", messageID: "msg_1" };
  const samples: Record<Part["type"], object> = {
    text: { text: "x", synthetic: true, ignored: false, time: { start: 1 } },
    reasoning: { text: "x", metadata: { signature: "s" }, time: { start: 1, end: 2 } },
    file: { mime: "text/plain", filename: "a", url: "file:///a", source: { start: 1, end: 2, text: "x" } },
    tool: { callID: "c", tool: "read", state: { status: "pending", input: {}, raw: "" } },
    agent: { name: "explore" },
    comment: {
      ...{ commentID: "c", number: 1, text: "x", source: { start: 1, end: 2, text: "x" } },
      place: { type: "file", filename: "a", url: "file:///a" },
    },
    subtask: { agent: "explore", description: "d", prompt: "p" },
    compaction: { auto: true },
    "step-start": { snapshot: "s" },
    "step-finish": { reason: "stop", cost: 1, tokens: noTokens, snapshot: "s" },
    patch: { hash: "h", files: ["a"] },
    tools: { added: [{ name: "t", description: "d", schema: {} }], removed: ["u"] },
    retry: { attempt: 1, error: { code: "network", message: "m", next: "n" }, time: 1 },
  };
  for (const [type, fields] of Object.entries(samples)) {
    it(`D3 D5 the part ${type} has its own fields, and no others`, () => {
      const part = { type, ...base, ...fields };
      assert.deepEqual(Part.parse(part), part);
      assert.deepEqual(Part.parse({ ...part, foreign: 1 }), part);
      for (const name of Object.keys(base)) assert.ok(!Part.safeParse({ ...part, [name]: undefined }).success, name);
    });
  }

  it("D4 a call has the states pending, running, completed and error", () => {
    const span = { start: 1, end: 2 };
    for (const state of [
      { status: "pending", input: {}, raw: "" },
      { status: "running", input: {}, start: 1 },
      { status: "completed", input: {}, output: "o", title: "t", metadata: {}, ...span },
      { status: "error", input: {}, error: "e", ...span },
    ]) {
      assert.deepEqual(ToolState.parse(state), state);
    }
    assert.ok(!ToolState.safeParse({ status: "asking", input: {} }).success, "waiting is no fifth state");
    assert.ok(!ToolState.safeParse({ status: "completed", input: {}, ...span }).success);
  });
});

describe("BRUTUS: main loop", () => {
  const open = harnesses();

  it("Q2 a prompt for a busy session: BRUTUS refuses it, Rondo queues it unless `drop` is set", async () => {
    const h = open([{ hang: true }]);
    const turn = h.turn();
    await until(() => h.model.requests.length === 1);
    assert.deepEqual(await h.session.prompt({ parts: [{ type: "text", text: "x" }] }, "drop"), { type: "dropped" });
    assert.deepEqual(await h.send("y"), { type: "queued" });
    await h.session.stop();
    await turn;
  });

  it("L1 an abort is checked in each round", async () => {
    const h = open((_, index) => [read(`${index}.txt`)]);
    h.session.listen((event) => {
      if (event.type === "part" && event.part.type === "tool" && event.part.state.status === "error")
        void h.session.stop();
    });
    assert.equal((await h.turn()).reason, "interrupted");
    assert.equal(h.model.requests.length, 1);
  });

  it("L4 D1 ends with a reply that has an end reason and is newer than the last user message by id", async () => {
    const h = open([["One."], ["Two."]]);
    await h.turn();
    await h.session.tryAgain();
    assert.equal(h.model.requests.length, 1, "it is answered already");
    const [user, reply] = h.chat.messages.map(({ info }) => info.id);
    assert.ok((user ?? "") < (reply ?? ""));
    await h.turn();
    assert.equal(h.model.requests.length, 2);
  });

  it("L6 L7 a full window creates a compaction task, processed in the next round", async () => {
    const h = open(summarised(["S"], [{ say: ["Hi."], tokens: full }, ["Bye."]]), small);
    await h.turn();
    await h.turn();
    assert.deepEqual(kinds(h), ["step", "summary", "step"]);
  });

  it("L8 D2 the assistant's message exists before the first event and answers the user's", async () => {
    const h = open([["Hi."]], {
      openModel: async () => {
        const info = h.chat.messages.at(-1)?.info;
        assert.ok(info?.role === "assistant" && info.completedAt === undefined);
        assert.equal(info.parentID, h.chat.messages[0]?.info.id);
        return h.model;
      },
    });
    assert.equal((await h.turn()).reason, "end_turn");
  });

  it("R1 messages and parts are stored, not only kept in memory", async () => {
    const h = open([[read("a.txt")], ["Done."]], { files: { "a.txt": "x" } });
    await h.turn();
    const { chat } = replay(h.transcript.path);
    assert.deepEqual(
      chat.messages.map(({ parts }) => parts.map(({ type }) => type)),
      [
        ["text", "text"],
        ["step-start", "tool", "step-finish"],
        ["step-start", "text", "step-finish"],
      ],
    );
  });
});

describe("BRUTUS: stream processor", () => {
  const open = harnesses();
  const same = (index: number) => (index < 3 ? [{ call: "glob", input: { pattern: "*.py" } }] : ["Done."]);

  it("T6 the third identical call asks; after it is allowed the count starts again", async () => {
    const h = open((_, index) => (index < 5 ? [{ call: "glob", input: { pattern: "*.py" } }] : ["Done."]));
    const turn = h.turn();
    await h.answerNext({ kind: "loop", type: "continue" });
    assert.equal((await turn).reason, "end_turn");
    assert.equal(h.events.filter(({ type }) => type === "asked").length, 1, "the fifth is only the second after it");
  });

  it("T6 a denied call does not run, and the loop stops", async () => {
    const h = open((_, index) => same(index));
    const turn = h.turn();
    await h.answerNext({ kind: "loop", type: "stop" });
    assert.equal((await turn).reason, "blocked");
    assert.equal(h.calls[2]?.state.status, "error");
    assert.equal(h.model.requests.length, 3);
  });

  it("D4 T3 a tool's result is stored: output, title, metadata, attachments, times", async () => {
    const shot = defineTool({
      name: "shot",
      sideEffect: "read-only",
      description: "A test.",
      input: z.object({}),
      prepare: async () => ({
        title: "Take a picture",
        preview: { type: "text", text: "" },
        requires: [],
        writes: [],
        run: async () => ({
          output: "Taken.",
          metadata: { fact: "1 picture" },
          attachments: [{ type: "file", mime: "image/png", filename: "a.png", url: "data:image/png;base64,AA==" }],
        }),
      }),
    });
    const h = open([[{ call: "shot" }], ["Done."]], { tools: [...coreTools, shot] });
    await h.turn();
    const [call] = h.calls;
    assert.ok(call?.state.status === "completed");
    assert.partialDeepStrictEqual(call.state, {
      output: "Taken.",
      title: "Take a picture",
      metadata: { fact: "1 picture" },
    });
    assert.equal(call.state.attachments?.[0]?.messageID, call.messageID);
    assert.ok(call.state.end >= call.state.start);
  });

  it("T7 T4 a permission error stops the loop; another error is the call's result, and the loop continues", async () => {
    const h = open([[read("gone")], [bash("ls")], ["Never."]]);
    const turn = h.turn();
    await h.answerNext({ kind: "permission", type: "deny", words: "" });
    assert.equal((await turn).reason, "blocked");
    assert.deepEqual(
      h.calls.map(({ state }) => state.status),
      ["error", "error"],
    );
    assert.equal(h.model.requests.length, 2);
  });

  it("B1 E1 each reply has a step finish with tokens, cost, reason and time", async () => {
    const h = open([[read("a.txt")], ["Done."]], { files: { "a.txt": "x" } });
    await h.turn();
    for (const { info } of h.chat.messages.slice(1)) {
      assert.ok(info.role === "assistant" && info.tokens.input === 10 && info.cost && info.finish && info.completedAt);
    }
  });

  it("L10 I3 calls that did not finish: `Tool execution aborted`", async () => {
    const h = open([{ say: [read("a.txt"), bash("ls")], hang: true }]);
    const turn = h.turn();
    await until(() => h.calls.length === 2);
    await h.session.stop();
    await turn;
    assert.deepEqual(h.results(), ["ERROR Tool execution aborted", "ERROR Tool execution aborted"]);
  });

  it("L9 a stream error stops the loop", async () => {
    const h = open([{ say: ["Half"], fail: failure("invalid") }]);
    assert.equal((await h.turn()).reason, "error");
  });
});

describe("BRUTUS: tool resolution", () => {
  const open = harnesses();

  it("T1 a tool that the agent's rules deny entirely is not offered; MCP tools are, unless denied", async () => {
    const server = (name: string) =>
      defineTool({
        name,
        sideEffect: "network",
        description: "A test.",
        input: z.object({}),
        prepare: async () => ({
          title: name,
          preview: { type: "text", text: "" },
          requires: [],
          writes: [],
          run: async () => ({ output: "", metadata: {} }),
        }),
      });
    const h = open([["Hi."]], {
      tools: [...coreTools, server("mcp__a__x"), server("mcp__b__y")],
      rules: [
        { permission: "bash", pattern: "*", action: "deny" },
        { permission: "mcp__b__y", pattern: "*", action: "deny" },
      ],
    });
    await h.turn("Hi", { tools: { task: false } });
    const names = h.model.requests[0]?.tools.map(({ name }) => name);
    assert.deepEqual(names, ["read", "write", "edit", "glob", "grep", "mcp__a__x"]);
  });
});
