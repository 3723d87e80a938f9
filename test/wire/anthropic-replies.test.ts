/** Replies of Anthropic's API: what they become, and which errors are which. */
import assert from "node:assert/strict";
import { anthropicModel } from "../../src/providers/anthropic/anthropic-model.ts";
import { anthropicEvents } from "../model-server/encode.ts";
import { type Answer, startModelServer } from "../model-server.ts";
import { ask, request } from "./ask.ts";

describe("anthropic: replies", () => {
  async function reply(answer: Answer) {
    const server = await startModelServer([answer]);
    const collected = await ask(anthropicModel({ apiKey: "test-key-1", baseURL: server.url }), request());
    await server.stop();
    return collected;
  }

  it("E3 keeps thinking with its signature, and redacted thinking", async () => {
    const { reasoning, reasons } = await reply([
      { thinking: "Hm.", signature: "sig" },
      { redacted: "blob" },
      { text: "ok" },
    ]);
    assert.equal(reasoning, "Hm.");
    assert.deepEqual(reasons, [{ signature: "sig" }, { redacted: "blob" }]);
  });

  it("E3 usage counts cached tokens separately", async () => {
    const usage = { input: 3, output: 7, cacheRead: 1000, cacheWrite: 50 };
    const { tokens } = await reply({ blocks: [{ text: "ok" }], usage });
    assert.deepEqual(tokens, { ...usage, reasoning: 0 });
  });

  const stops = {
    end_turn: "stop",
    stop_sequence: "stop",
    tool_use: "tool-calls",
    max_tokens: "length",
    refusal: "refusal",
    pause_turn: "pause",
    model_context_window_exceeded: "context-full",
    something_new: "unknown",
  };
  for (const [stop, finish] of Object.entries(stops)) {
    it(`E3 ${stop} is ${finish}`, async () => {
      assert.equal((await reply({ blocks: [{ text: "ok" }], stop })).finish, finish);
    });
  }

  it("B1 usage is told when the reply begins; thoughts that were left out are told, too", async () => {
    const dropped = { type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" };
    const bytes = anthropicEvents({ blocks: [{ text: "ok" }] })
      .join("")
      .replace('"stop_reason":null,', `"stop_reason":null,"input_transformations":[${JSON.stringify(dropped)}],`);
    const { events } = await reply({ bytes });
    const usage = events.find(({ type }) => type === "usage");
    assert.deepEqual(usage?.type === "usage" && usage.tokens.input, 100);
    const skipped = events.find(({ type }) => type === "skipped");
    assert.match(
      skipped?.type === "skipped" ? skipped.what : "",
      /messages\.1\.content\.0 \(prefix_binding_mismatch\)/,
    );
  });

  const errors: [number, string, string, string][] = [
    [
      400,
      "invalid_request_error",
      "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
      "thoughts-refused",
    ],
    [
      400,
      "invalid_request_error",
      "messages.3.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
      "thoughts-refused",
    ],
    [
      400,
      "invalid_request_error",
      "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
      "thoughts-refused",
    ],
    [400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", "quota"],
    [
      400,
      "invalid_request_error",
      "You have reached your specified API usage limits. You will regain access on 2026-12-01.",
      "quota",
    ],
    [402, "billing_error", "Payment required.", "quota"],
    [429, "rate_limit_error", "You have reached the monthly spend limit of your tier.", "quota"],
    [429, "rate_limit_error", "This request would exceed your rate limit of 50 requests per minute.", "rate-limit"],
  ];
  for (const [status, type, message, kind] of errors) {
    it(`E5 ${status} ${message.slice(0, 60)} is ${kind}`, async () => {
      const { error } = await reply({ status, body: { type: "error", error: { type, message } } });
      assert.equal(error?.kind, kind);
    });
  }

  it("E6 blocks of the server's own tools are omitted", async () => {
    const own = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
    const start = `event: content_block_start\ndata: ${JSON.stringify({ type: "content_block_start", index: 9, content_block: own })}\n\n`;
    const delta = { type: "content_block_delta", index: 9, delta: { type: "input_json_delta", partial_json: "{}" } };
    const [first = "", ...rest] = anthropicEvents({ blocks: [{ text: "ok" }] });
    const bytes = `${first}${start}event: content_block_delta\ndata: ${JSON.stringify(delta)}\n\n${rest.join("")}`;
    const { text, calls, finish } = await reply({ bytes });
    assert.deepEqual([text, calls, finish], ["ok", [], "stop"]);
  });
});
