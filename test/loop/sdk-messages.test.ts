import assert from "node:assert/strict";
import { mock } from "node:test";
import { apply } from "../../src/chat/apply.ts";
import type { ChatEvent } from "../../src/chat/events.ts";
import type { ToolPart, ToolState } from "../../src/chat/message.ts";
import type { ModelRequest } from "../../src/loop/model.ts";
import { newSession } from "../../src/loop/session/session.ts";
import type { SDKMessage } from "../../src/query/query-types.ts";
import { toBlocks, toPromptParts, toResultBlock } from "../../src/query/sdk-blocks.ts";
import { projectMessages } from "../../src/query/sdk-messages.ts";
import { failure, type Reply } from "../scripted-model.ts";
import { type Harness, harnesses, until } from "./harness.ts";

const read = (file_path: string) => ({ call: "read", input: { file_path } });

interface Watched {
  messages: SDKMessage[];
  /** Owner and cost of the replies. */
  replies: { own: boolean; cost: number | undefined }[];
  denied: ToolPart[];
}

function watch(h: Harness, partial = false): Watched {
  const watched: Watched = { messages: [], replies: [], denied: [] };
  let ids = 0;
  const projection = projectMessages({
    chat: h.chat,
    partial,
    maxRetries: () => 3,
    makeID: () => `id-${ids++}`,
    emit: (message) => watched.messages.push(structuredClone(message)),
    onReply: ({ cost }, own) => watched.replies.push({ own, cost }),
    onDenied: (part) => watched.denied.push(part),
  });
  h.session.listen((event) => projection.take(event));
  return watched;
}

/** Kinds of messages, without progress messages. */
const kinds = (messages: readonly SDKMessage[]) =>
  messages
    .filter(({ type }) => type !== "tool_progress")
    .map((message) => (message.type === "system" ? message.subtype : message.type));

/** The events of Anthropic's API inside the messages. */
function events(messages: readonly SDKMessage[]): Record<string, unknown>[] {
  return messages.flatMap((one) => (one.type === "stream_event" ? [one.event] : []));
}

/** The results of calls, in the order of their messages. */
const resultsIn = (messages: readonly SDKMessage[]) =>
  messages.flatMap((one) =>
    one.type === "user" && typeof one.message.content !== "string" ? one.message.content : [],
  );

describe("SDK messages", () => {
  const open = harnesses();

  it("K2 each reply, then the results of its calls in call order", async () => {
    const h = open([[{ thinking: "Hm.", signature: "c2ln" }, "Both.", read("a.txt"), read("gone")], ["Done."]], {
      files: { "a.txt": "x" },
    });
    const { messages } = watch(h);
    await h.turn();
    assert.deepEqual(kinds(messages), ["assistant", "user", "user", "assistant"]);
    assert.partialDeepStrictEqual(messages[0], {
      message: {
        role: "assistant",
        model: "claude-sonnet-5",
        stop_reason: "tool_use",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "c2ln" },
          { type: "text", text: "Both." },
          { type: "tool_use", id: "call-0-2", name: "read", input: { file_path: "a.txt" } },
          { type: "tool_use", id: "call-0-3", name: "read", input: { file_path: "gone" } },
        ],
        usage: { input_tokens: 10, output_tokens: 5 },
      },
    });
    const results = resultsIn(messages);
    assert.partialDeepStrictEqual(results, [{ tool_use_id: "call-0-2" }, { tool_use_id: "call-0-3", is_error: true }]);
    for (const one of messages) assert.equal(one.session_id, h.chat.session.id);
  });

  it("K2 T5 concurrent calls begin and end once each, and results are in call order", async () => {
    const h = open([["slow.txt", "quick.txt"].map(read), ["Done."]], {
      files: { "slow.txt": "x".repeat(1_000_000), "quick.txt": "y" },
    });
    const { messages } = watch(h);
    await h.turn();
    const progress = messages.flatMap((one) => (one.type === "tool_progress" ? [one.tool_use_id] : []));
    assert.deepEqual(progress.toSorted(), ["call-0-0", "call-0-0", "call-0-1", "call-0-1"]);
    const told = resultsIn(messages);
    assert.partialDeepStrictEqual(told, [{ tool_use_id: "call-0-0" }, { tool_use_id: "call-0-1" }]);
  });

  it("K2 a long call is reported every 5 seconds", () => {
    mock.timers.enable({ apis: ["setInterval", "Date"] });
    try {
      const chat = newSession("/work", "ses");
      const messages: SDKMessage[] = [];
      const { take, close } = projectMessages({
        chat,
        partial: false,
        maxRetries: () => 0,
        makeID: () => "id",
        emit: (message) => messages.push(message),
        onReply() {},
        onDenied() {},
      });
      const happen = (event: ChatEvent) => {
        apply(chat, event);
        take(event);
      };
      const put = (state: ToolState) => {
        const base = { id: "p", sessionID: "ses", messageID: "m", callID: "c", tool: "bash" };
        happen({ type: "part", part: { type: "tool", ...base, state } });
      };
      happen({ type: "status", status: { type: "busy", since: 0 } });
      put({ status: "running", input: {}, start: 0 });
      for (let second = 0; second < 11; second++) mock.timers.tick(1000);
      put({ status: "completed", input: {}, output: "", title: "", metadata: {}, start: 0, end: 11_000 });
      put({ status: "running", input: {}, start: 11_000 });
      close();
      mock.timers.tick(11_000);
      const elapsed = messages.map((one) => one.type === "tool_progress" && one.elapsed_time_seconds);
      assert.deepEqual(elapsed, [0, 5, 10, 11, 0]);
    } finally {
      mock.timers.reset();
    }
  });

  it("S1 messages and calls of a subagent carry the call that started it", async () => {
    const task = { subagent_type: "explore", description: "Look around", prompt: "Look." };
    const h = open([[{ call: "task", input: task }], [read("a.txt")], ["It says x."], ["Done."]], {
      files: { "a.txt": "x" },
    });
    const { messages, replies } = watch(h, true);
    await h.turn();
    const owners = messages.flatMap((one) =>
      one.type === "assistant" || one.type === "user" ? [[one.type, one.parent_tool_use_id ?? null]] : [],
    );
    assert.deepEqual(owners, [
      ["assistant", null],
      ["assistant", "call-0-0"],
      ["user", "call-0-0"],
      ["assistant", "call-0-0"],
      ["user", null],
      ["assistant", null],
    ]);
    assert.deepEqual(
      replies.map(({ own }) => own),
      [true, false, false, true],
    );
    const started = events(messages).filter(({ type }) => type === "message_start");
    assert.equal(started.length, 2, "only the session's own replies are streamed");
  });

  it("T7 each call that was not allowed is reported once", async () => {
    const h = open([[{ call: "bash", input: { command: "ls" } }], ["I see."]], { attended: false });
    const { denied } = watch(h);
    await h.turn();
    assert.deepEqual(
      denied.map(({ tool, callID }) => [tool, callID]),
      [["bash", "call-0-0"]],
    );
  });

  it("K2 a failed reply says so; a notice to the user is its own message", async () => {
    const h = open([{ say: ["Half"], fail: failure("auth") }]);
    const { messages, replies } = watch(h);
    await h.turn();
    assert.partialDeepStrictEqual(messages, [
      { type: "assistant", error: "authentication_failed", message: { content: [{ text: "Half" }] } },
    ]);
    assert.equal(replies.length, 1);
    const [reply] = replies;
    assert.ok(reply?.own && (reply.cost ?? 0) > 0, "half a reply costs what is estimated");
    const told = open([["Done."]]);
    const watched = watch(told);
    await told.send("Go", {
      parts: [
        { type: "text", text: "Go" },
        { type: "text", text: "For you.", ignored: true },
      ],
    });
    assert.partialDeepStrictEqual(watched.messages[0], { subtype: "informational", content: "For you." });
  });

  it("C5 a silent turn is not reported, but counted", async () => {
    const isSilent = ({ entries }: ModelRequest) => entries.findLast(({ info }) => info.role === "user")?.info.silent;
    const work: Reply[] = [{ say: [read("a.txt")], tokens: { input: 116_000 } }, { say: ["Done."] }];
    const h = open((request) => (isSilent(request) ? ["NO_REPLY"] : (work.shift() ?? [])), {
      files: { "a.txt": "x" },
      choices: { model: { providerID: "anthropic", modelID: "local" } },
      limits: { compactAt: 0.95 },
      project: { memory: { path: ".rondo/MEMORY.md", text: "" } },
    });
    const { messages, replies } = watch(h, true);
    await h.turn();
    assert.equal(h.model.requests.length, 3);
    assert.equal(replies.length, 3);
    assert.ok(!JSON.stringify(messages).includes("NO_REPLY"));
    assert.equal(kinds(messages).filter((kind) => kind === "assistant").length, 2);
  });

  it("C3 a compaction: compacting, the boundary with the size before it, then nothing", async () => {
    const h = open([{ say: ["A long answer."], tokens: { input: 900, output: 100 } }, ["The summary."]]);
    const { messages } = watch(h, true);
    await h.turn();
    const before = messages.length;
    await h.session.compact();
    assert.partialDeepStrictEqual(messages.slice(before), [
      { subtype: "status", status: "compacting" },
      { subtype: "compact_boundary", compact_metadata: { trigger: "manual", pre_tokens: 1000 } },
      { subtype: "status", status: null },
    ]);
    assert.equal(messages.length, before + 3);
  });

  it("K2 partial messages form a legal stream: each block starts, grows and stops", async () => {
    const h = open([[{ thinking: "Hm." }, "Hello", read("a.txt")], ["Done."]], { files: { "a.txt": "x" } });
    const { messages } = watch(h, true);
    await h.turn();
    const all = events(messages);
    const first = all.slice(0, all.findIndex(({ type }) => type === "message_stop") + 1);
    const block = (index: number, deltas: number) => [
      `content_block_start ${index}`,
      ...Array.from({ length: deltas }, () => `content_block_delta ${index}`),
      `content_block_stop ${index}`,
    ];
    assert.deepEqual(
      first.map(({ type, index }) => (index === undefined ? type : `${type} ${index}`)),
      ["message_start", ...block(0, 1), ...block(1, 2), ...block(2, 2), "message_delta", "message_stop"],
    );
    const json = first.flatMap(({ delta }) => Object(delta).partial_json ?? []).join("");
    assert.deepEqual(JSON.parse(json), { file_path: "a.txt" });
  });

  it("K2 H4 a retry begins the message again; Stop closes open blocks", async () => {
    const h = open([
      { say: ["Half"], fail: failure("network") },
      { say: ["Who"], hang: true },
    ]);
    const { messages } = watch(h, true);
    const turn = h.turn();
    await until(() => h.text() === "Who");
    await h.session.stop();
    await turn;
    const types = events(messages).map(({ type }) => type);
    assert.equal(types.filter((type) => type === "message_start").length, 2);
    assert.equal(types.filter((type) => type === "message_stop").length, 1);
    assert.deepEqual(types.slice(-3), ["content_block_stop", "message_delta", "message_stop"]);
    assert.ok(kinds(messages).includes("api_retry"));
  });

  it("K2 blocks: redacted thinking, results with images, prompts with files", () => {
    const base = { id: "p", sessionID: "s", messageID: "m" };
    const redacted = { ...base, type: "reasoning", text: "", metadata: { redacted: "x" }, time: { start: 0 } } as const;
    assert.deepEqual(toBlocks(redacted), [{ type: "redacted_thinking", data: "x" }]);
    assert.deepEqual(toBlocks({ ...base, type: "text", text: "For you.", ignored: true }), []);
    const picture = {
      ...base,
      type: "file",
      mime: "image/png",
      filename: "a.png",
      url: "data:image/png;base64,eA==",
    } as const;
    const state = {
      status: "completed",
      input: {},
      output: "A picture.",
      title: "",
      metadata: {},
      start: 0,
      end: 1,
    } as const;
    const call = { ...base, type: "tool", callID: "c", tool: "read" } as const;
    const source = { type: "base64", media_type: "image/png", data: "eA==" } as const;
    assert.deepEqual(toResultBlock({ ...call, state: { ...state, attachments: [picture] } })?.content, [
      { type: "text", text: "A picture." },
      { type: "image", source },
    ]);
    assert.equal(toResultBlock({ ...call, state: { status: "running", input: {}, start: 0 } }), undefined);
    const content = [
      { type: "image", source } as const,
      { type: "tool_result", tool_use_id: "c", content: "" } as const,
    ];
    assert.deepEqual(toPromptParts({ type: "user", message: { role: "user", content } }), [
      { type: "file", mime: "image/png", filename: "image-1.png", url: "data:image/png;base64,eA==" },
    ]);
  });
});
