/** Anthropic's models on gateways and clouds: rules go by the model's name, and what a server lacks is left out. */
import assert from "node:assert/strict";
import { anthropicModel } from "../../src/providers/anthropic/anthropic-model.ts";
import { compatibleResponses } from "../../src/providers/families/compatible-responses.ts";
import { messagesRules } from "../../src/providers/families/messages-rules.ts";
import { anthropicEvents } from "../model-server/encode.ts";
import { type ModelServer, startModelServer } from "../model-server.ts";
import { ask, assistant, request, user } from "./ask.ts";

describe("rules go by the model's name", () => {
  const names: Record<string, readonly string[]> = {
    "claude-opus-5-5": [
      "anthropic/claude-opus-5.5",
      "us.anthropic.claude-opus-5-5-v1:0",
      "Claude-Opus-5-5",
      "claude-opus-5-5@20261001",
    ],
    "claude-sonnet-4-5": [
      "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "bedrock/claude-sonnet-4.5",
      "claude-4-5-sonnet",
    ],
    "claude-opus-4-6": ["databricks-claude-opus-4-6", "global.anthropic.claude-opus-4-6-v1"],
    "gpt-5.6": ["openai/gpt-5.6", "GPT-5.6", "openai.gpt-5.6-v1:0", "azure/gpt-5-6", "gpt5.6"],
    "gpt-5": ["gpt-5-2025-08-07", "databricks-gpt-5"],
    "grok-4.7": ["xai/grok-4.7", "Grok-4-7"],
  };
  for (const [name, others] of Object.entries(names)) {
    it(`M2 E4 ${name}: ${others.join(", ")}`, () => {
      const rules = name.startsWith("claude") ? messagesRules : compatibleResponses;
      for (const other of others) assert.deepEqual(rules(other), rules(name), other);
    });
  }

  it("M2 a Claude without a version is asked for nothing that any of them refuses", () => {
    const { thinking, takesTemperature, bindsThoughts } = messagesRules("claude-sonnet-latest");
    assert.deepEqual([thinking, takesTemperature, bindsThoughts], ["none", false, false]);
  });
});

describe("streams of gateways", () => {
  const events = anthropicEvents({ blocks: [{ text: "A\u2028b." }, { call: { name: "read", input: { a: 1 } } }] }).map(
    (event) => event.replace(/^event: .*\n/, ""),
  );
  const streams: Record<string, string> = {
    "with no event lines": events.join(""),
    "with CRLF": events.join("").replaceAll("\n", "\r\n"),
    "without spaces after the colon": events.join("").replaceAll("data: ", "data:"),
    "with [DONE], pings and comments": `: hello\n\ndata: {"type":"ping"}\n\n${events.join("")}data: [DONE]\n\n`,
    "with some event lines": `event: ping\ndata: {"type":"ping"}\n\n${events.join("")}`,
  };
  for (const [name, bytes] of Object.entries(streams)) {
    it(`E3 ${name} are read`, async () => {
      const server = await startModelServer([{ bytes }]);
      const reply = await ask(anthropicModel({ apiKey: "k", baseURL: server.url }), request());
      await server.stop();
      assert.equal(reply.error, undefined);
      assert.equal(reply.text, "A\u2028b.");
      assert.deepEqual(
        reply.calls.map(({ name, arguments: given }) => ({ name, given })),
        [{ name: "read", given: { ok: true, input: { a: 1 } } }],
      );
      assert.equal(reply.finish, "tool-calls");
    });
  }

  it("E5 an error without an event line ends the reply as one with it does", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const data = `data: ${JSON.stringify(error)}\n\n`;
    const server = await startModelServer([{ bytes: data }, { bytes: `event: error\n${data}` }]);
    const model = anthropicModel({ apiKey: "k", baseURL: server.url });
    const [without, withLine] = [await ask(model, request()), await ask(model, request())];
    await server.stop();
    assert.equal(without.error?.kind, "overloaded");
    assert.equal(without.error?.message, withLine.error?.message);
  });
});

describe("gateways of the Messages API", () => {
  let server: ModelServer | undefined;
  afterEach(() => server?.stop());

  type Sent = Record<string, unknown> & { messages: { role: string }[] };
  const tool = { name: "late", description: "Late.", schema: { type: "object", properties: {} } };
  const entries = [
    user("Go"),
    assistant({ type: "text", text: "Yes." }),
    user(
      "On.",
      { type: "text", text: "Speak French.", synthetic: true, told: { rules: "1", effort: "high" } },
      { type: "tools", added: [tool], removed: [] },
    ),
  ];

  /** What a server refuses, in whose words, and what holds of the request that it takes. */
  const lacks: readonly [
    string,
    (body: Sent, betas: string, raw: string) => string | false,
    (body: Sent) => boolean,
  ][] = [
    [
      "block_binding",
      ({ thinking }) =>
        JSON.stringify(thinking).includes("block_binding") &&
        "thinking.adaptive.block_binding: Extra inputs are not permitted",
      ({ thinking }) => JSON.stringify(thinking) === '{"type":"adaptive","display":"summarized"}',
    ],
    [
      "unknown betas",
      (_, betas) => betas !== "" && "Unexpected value(s) `inline-tools-2026-09-15` for the `anthropic-beta` header.",
      ({ messages, tools }) => messages.at(-1)?.role === "system" && Array.isArray(tools) && tools.length === 1,
    ],
    [
      "system messages",
      ({ messages }) =>
        messages.some(({ role }) => role === "system") && "messages.3.role: Input should be 'user' or 'assistant'",
      (body) => body.messages.at(-1)?.role === "user" && JSON.stringify(body).includes("Speak French."),
    ],
    [
      "tools that come later",
      (_, __, raw) => raw.includes("tool_addition") && "messages.3.content.1: Input tag 'tool_addition' found",
      ({ tools }) => Array.isArray(tools) && tools.length === 1,
    ],
    [
      "a mark at the end",
      (body) => "cache_control" in body && "cache_control: Extra inputs are not permitted",
      (body) => JSON.stringify(body.messages.at(-2)).includes("cache_control"),
    ],
    [
      "adaptive thinking",
      ({ thinking }) =>
        JSON.stringify(thinking ?? "").includes("adaptive") && "adaptive thinking is not supported on this model",
      (body) => !("thinking" in body),
    ],
    [
      "an effort",
      (body) =>
        JSON.stringify(body).includes("output_config") && "output_config.effort: Extra inputs are not permitted",
      ({ thinking }) => JSON.stringify(thinking).includes("adaptive"),
    ],
  ];
  for (const [what, refuse, holds] of lacks) {
    it(`E3 E5 ${what}: left out after the refusal, and from then on`, async () => {
      const started = await startModelServer(({ body, headers, raw }) => {
        const message = refuse(body as Sent, String(headers["anthropic-beta"] ?? ""), raw); // as Anthropic's types say
        if (message === false) return [{ text: "ok" }];
        return { status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } };
      });
      server = started;
      const model = anthropicModel({ apiKey: "test-key", baseURL: started.url });
      const asked = request({ model: "claude-sonnet-5-5", entries, thinking: "default" });
      const first = await ask(model, asked);
      assert.equal(first.error?.message, undefined);
      const tries = started.requests.length;
      assert.ok(tries >= 2);
      const { body } = started.requests.at(-1) ?? assert.fail();
      assert.ok(holds(body as Sent), JSON.stringify(body));
      assert.equal((await ask(model, asked)).text, "ok");
      assert.equal(started.requests.length, tries + 1);
    });
  }

  it("E5 a server that always finds something to refuse is not asked for ever", async () => {
    const words = ["thinking.type.enabled is not supported", "adaptive thinking is not supported on this model"];
    const started = await startModelServer((_, at) => ({
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error", message: words[at % 2] } },
    }));
    server = started;
    const model = anthropicModel({ apiKey: "test-key", baseURL: started.url });
    assert.equal((await ask(model, request({ model: "claude-opus-5-5" }))).error?.kind, "invalid");
    assert.ok(started.requests.length <= 8);
  });
});
