import assert from "node:assert/strict";
import { project, resultMessage, type SdkMessage } from "../../src/loop/sdk-messages.ts";
import { failure } from "../scripted-model.ts";
import { type Harness, harnesses } from "./harness.ts";

const read = (file_path: string) => ({ call: "read", input: { file_path } });

function watch(h: Harness, partial = false): SdkMessage[] {
  const messages: SdkMessage[] = [];
  const projection = project({ chat: h.chat, partial, makeID: () => "id", emit: (message) => messages.push(message) });
  projection.init({ cwd: h.folder, tools: ["read"], model: "m", mode: "default" });
  h.session.listen((event) => projection.take(event));
  return messages;
}

const result = (h: Harness, first = 0) => resultMessage(h.chat, h.chat.ended ?? assert.fail(), first, "id");

/** The events of Anthropic's API within the messages. */
function events(messages: readonly SdkMessage[]): Record<string, unknown>[] {
  // The field is an object by construction.
  return messages.flatMap((one) => (one.type === "stream_event" ? [one["event"] as Record<string, unknown>] : []));
}

describe("SDK messages", () => {
  const open = harnesses();

  it("K2 init, then each reply, then the results of its calls in call order", async () => {
    const h = open([[{ thinking: "Hm.", signature: "c2ln" }, "Both.", read("a.txt"), read("gone")], ["Done."]], {
      files: { "a.txt": "x" },
    });
    const messages = watch(h);
    await h.turn();
    assert.deepEqual(
      messages.map(({ type }) => type),
      ["system", "assistant", "user", "user", "assistant"],
    );
    const { message } = messages[1] ?? assert.fail();
    assert.partialDeepStrictEqual(message, {
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
    });
    assert.partialDeepStrictEqual(messages[2]?.["message"], { content: [{ tool_use_id: "call-0-2" }] });
    assert.partialDeepStrictEqual(messages[3]?.["message"], { content: [{ tool_use_id: "call-0-3", is_error: true }] });
    for (const one of messages) assert.equal(one.session_id, h.chat.session.id);
  });

  it("K2 the result: turns, cost, usage, text, denied calls", async () => {
    const h = open([[read("a.txt"), { call: "bash", input: { command: "ls" } }], ["Done."]], {
      files: { "a.txt": "x" },
      attended: false,
    });
    await h.turn();
    assert.partialDeepStrictEqual(result(h), {
      subtype: "success",
      is_error: false,
      num_turns: 2,
      result: "Done.",
      stop_reason: "end_turn",
      exit_reason: "end_turn",
      usage: { input_tokens: 20, output_tokens: 10 },
      permission_denials: [{ tool_name: "bash", tool_use_id: "call-0-1", tool_input: { command: "ls" } }],
    });
    assert.equal(result(h)["total_cost_usd"], 0.00014);
  });

  it("B1 an unknown price or a missing usage is null, never 0", async () => {
    const h = open([["x"]], { choices: { model: { providerID: "openai", modelID: "my-model" } } });
    await h.turn();
    assert.equal(result(h)["total_cost_usd"], null);
    const quiet = open([{ say: ["x"], tokens: "none" }]);
    await quiet.turn();
    assert.equal(result(quiet)["total_cost_usd"], null);
  });

  for (const [subtype, script, limits] of [
    ["error_max_turns", () => [read("a.txt")], { maxTurns: 1 }],
    ["error_max_budget_usd", () => [read("a.txt")], { maxBudgetUsd: 0.00001 }],
    ["error_during_execution", () => ({ fail: failure("auth") }), {}],
  ] as const) {
    it(`K2 ${subtype}`, async () => {
      const h = open(script, { files: { "a.txt": "x" }, limits });
      await h.turn();
      assert.equal(result(h)["subtype"], subtype);
      assert.equal(result(h)["is_error"], true);
    });
  }

  it("K2 partial messages are a legal stream: each block starts, grows and stops", async () => {
    const h = open([[{ thinking: "Hm." }, "Hello", read("a.txt")], ["Done."]], { files: { "a.txt": "x" } });
    const messages = watch(h, true);
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

  it("K2 H4 another try begins the message anew; Stop closes what is open", async () => {
    const h = open([
      { say: ["Half"], fail: failure("network") },
      { say: ["Who"], hang: true },
    ]);
    const messages = watch(h, true);
    const turn = h.turn();
    while (h.text() !== "Who") await new Promise((resolve) => setTimeout(resolve, 1));
    await h.session.stop();
    await turn;
    const types = events(messages).map(({ type }) => type);
    assert.equal(types.filter((type) => type === "message_start").length, 2);
    assert.equal(types.filter((type) => type === "message_stop").length, 1);
    assert.deepEqual(types.slice(-3), ["content_block_stop", "message_delta", "message_stop"]);
  });
});
