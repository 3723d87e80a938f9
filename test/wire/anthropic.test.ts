/** Requests to Anthropic's API. */
import assert from "node:assert/strict";
import type { Entry } from "../../src/chat/apply.ts";
import type { ModelRequest } from "../../src/loop/model.ts";
import { anthropicModel } from "../../src/providers/anthropic/anthropic-model.ts";
import { anthropicBody as bytesOf } from "../../src/providers/anthropic/anthropic-request.ts";
import { type Answer, startModelServer } from "../model-server.ts";
import { ask, assistant, call, request, user } from "./ask.ts";

const requestBody = (...asked: Parameters<typeof bytesOf>) => Buffer.from(bytesOf(...asked)).toString();

const read = { name: "read", description: "Reads.", schema: { type: "object", properties: { a: { type: "number" } } } };
const pixel = "iVBORw0KGgo=";
const noIDs = { id: "x", sessionID: "x", messageID: "x" };

describe("anthropic: requests", () => {
  async function sent(asked: Partial<ModelRequest>, answer: Answer = [{ text: "ok" }]) {
    const server = await startModelServer([answer]);
    await ask(anthropicModel({ apiKey: "test-key-1", baseURL: server.url }), request(asked));
    await server.stop();
    const [first] = server.requests;
    assert.ok(first);
    return first;
  }

  it("E3 goes to /v1/messages with the key, whether the base URL ends in /v1 or not", async () => {
    const { path, headers } = await sent({});
    assert.equal(path, "/v1/messages");
    assert.equal(headers["x-api-key"], "test-key-1");
    assert.equal(headers["anthropic-version"], "2023-06-01");
    const server = await startModelServer([[{ text: "ok" }]]);
    const { finish } = await ask(anthropicModel({ apiKey: "k", baseURL: `${server.url}/v1/` }), request());
    await server.stop();
    assert.equal(finish, "stop");
  });

  it("C7 marks the system prompt and the end for caching, and sends the messages last", async () => {
    const { body, raw } = await sent({ tools: [read] });
    assert.deepEqual(body["cache_control"], { type: "ephemeral" });
    assert.deepEqual(body["system"], [{ type: "text", text: "You are a test.", cache_control: { type: "ephemeral" } }]);
    assert.deepEqual(body["tools"], [{ name: "read", description: "Reads.", input_schema: read.schema }]);
    assert.equal(Object.keys(body).at(-1), "messages");
    assert.ok(!/cache_control/.test(raw.slice(raw.indexOf('"messages"'))));
  });

  it("C7 marks live equally long: those of an hour must not follow those of five minutes", async () => {
    const hour = { type: "ephemeral", ttl: "1h" };
    const many = Array.from({ length: 16 }, (_, at) => call("read", { at }, "text"));
    const entries = [user("Go"), assistant(...many)];
    const { body, raw } = await sent({ entries, tools: [read], options: { cache_control: hour } });
    assert.deepEqual(body["cache_control"], hour);
    assert.equal(raw.split('"cache_control":{"type":"ephemeral","ttl":"1h"}').length - 1, 3);
    assert.equal(raw.split('"cache_control":').length - 1, 3);
  });

  it("I8 each call has one result with its attachments, in call order", async () => {
    const image = {
      ...noIDs,
      type: "file",
      mime: "image/png",
      filename: "a.png",
      url: `data:image/png;base64,${pixel}`,
    } as const;
    const picture = call("read", { a: 1 }, "An image");
    if (picture.state.status === "completed") picture.state.attachments = [image];
    const entries = [
      user("Go", { type: "text", text: "shown only", ignored: true }, { type: "text", text: "plan!", synthetic: true }),
      assistant(
        { type: "step-start" },
        { type: "text", text: " \n" },
        { type: "text", text: "Both." },
        { ...picture, callID: "functions.read:0" },
        {
          ...call("bash", {}, ""),
          callID: "toolu_000000001",
          state: { status: "error", input: {}, error: "No", start: 1, end: 2 },
        },
        { ...call("bash", {}, ""), callID: "toolu_000000002", state: { status: "running", input: {}, start: 1 } },
      ),
      user("And?"),
    ];
    const { body } = await sent({ entries });
    const first = entries[1]?.parts[3]?.id;
    assert.deepEqual(body["messages"], [
      {
        role: "user",
        content: [
          { type: "text", text: "Go" },
          { type: "text", text: "plan!" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Both." },
          { type: "tool_use", id: first, name: "read", input: { a: 1 } },
          { type: "tool_use", id: "toolu_000000001", name: "bash", input: {} },
          { type: "tool_use", id: "toolu_000000002", name: "bash", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: first,
            content: [
              { type: "text", text: "An image" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } },
            ],
          },
          { type: "tool_result", tool_use_id: "toolu_000000001", content: "No", is_error: true },
          { type: "tool_result", tool_use_id: "toolu_000000002", content: "Tool execution aborted", is_error: true },
          { type: "text", text: "And?" },
        ],
      },
    ]);
  });

  it("E3 thinking is sent back unchanged and in place; without a signature it stays", async () => {
    const time = { start: 1 };
    const entries = [
      user("Go"),
      assistant(
        { type: "reasoning", text: "First.", time, metadata: { signature: "sig1" } },
        { type: "reasoning", text: "", time, metadata: { redacted: "blob" } },
        { type: "text", text: "Then" },
        { type: "reasoning", text: "unsigned", time },
        call("read", { a: 1 }, "1"),
        { type: "reasoning", text: "cut off", time, metadata: { signature: "sig2" } },
      ),
      assistant({ type: "reasoning", text: "only thought", time, metadata: { signature: "sig3" } }),
      user("Go on"),
    ];
    const messages = JSON.parse(requestBody(request({ entries }))).messages;
    assert.equal(messages.length, 3);
    const types = messages[1].content.map((block: { type: string }) => block.type);
    assert.deepEqual(types, ["thinking", "redacted_thinking", "text", "tool_use"]);
    assert.deepEqual(messages[1].content[0], { type: "thinking", thinking: "First.", signature: "sig1" });
    assert.deepEqual(messages[1].content[1], { type: "redacted_thinking", data: "blob" });
  });

  it("files are sent as text with path and lines, as images or documents, or by name", () => {
    const file = { type: "file", mime: "text/plain", filename: "src/a.ts", url: "file:///w/src/a.ts" } as const;
    const entries = [
      user({ ...file, source: { start: 3, end: 4, text: "```\nx" } }, file, {
        ...file,
        mime: "application/pdf",
        filename: "a.pdf",
        url: "data:application/pdf;base64,AAAA",
      }),
    ];
    const [{ content }] = JSON.parse(requestBody(request({ entries }))).messages;
    assert.equal(content[0].text, "src/a.ts, lines 3–4:\n````\n```\nx\n````");
    assert.match(content[1].text, /src\/a\.ts/);
    assert.deepEqual(content[2].source, { type: "base64", media_type: "application/pdf", data: "AAAA" });
  });

  const told = (text: string, topics: Record<string, string>) => ({
    type: "text" as const,
    text,
    synthetic: true,
    told: topics,
  });
  const look = { name: "mcp__x__look", description: "Looks.", schema: { type: "object", properties: {} } };
  const grown = (): Entry[] => [
    user("Go", told("Today is 2026-11-22.", { date: "2026-11-22" })),
    assistant({ type: "text", text: "Yes." }),
    user("On", told("", { effort: "high" }), { type: "tools", added: [look], removed: ["read"] }),
    user("And", told("The branch is now x.", { branch: "x" })),
  ];

  it("C7 what is told later stands before the reply, as a system message, where the model takes it", () => {
    const asked = request({ model: "claude-opus-5-5", entries: grown(), tools: [read], thinking: "high" });
    const { messages, tools, output_config: effort } = JSON.parse(requestBody(asked));
    assert.deepEqual(messages, [
      { role: "user", content: [{ type: "text", text: "Go" }] },
      { role: "system", content: [{ type: "text", text: "Today is 2026-11-22." }] },
      { role: "assistant", content: [{ type: "text", text: "Yes." }] },
      {
        role: "user",
        content: [
          { type: "text", text: "On" },
          { type: "text", text: "And" },
        ],
      },
      {
        role: "system",
        content: [
          { type: "tool_removal", tool: { type: "tool_reference", name: "read" } },
          {
            type: "tool_addition",
            tool: {
              type: "tool_definition",
              definition: { name: "mcp__x__look", description: "Looks.", input_schema: look.schema },
            },
          },
          { type: "text", text: "The branch is now x." },
        ],
        output_config: { effort: "high" },
      },
    ]);
    assert.deepEqual(
      tools.map(({ name }: { name: string }) => name),
      ["read", "reserved"],
    );
    assert.equal(effort, undefined, "the head stays as it was");
  });

  it("C7 else as text of the user's message, and new tools in the request's list", () => {
    const { messages, tools } = JSON.parse(
      requestBody(request({ model: "claude-sonnet-5", entries: grown(), tools: [read] })),
    );
    assert.deepEqual(
      messages.map(({ role }: { role: string }) => role),
      ["user", "assistant", "user"],
    );
    assert.match(JSON.stringify(messages[0]), /"Go".*"Today is 2026-11-22\."/);
    assert.deepEqual(
      tools.map(({ name }: { name: string }) => name),
      ["read", "mcp__x__look"],
    );
  });

  it("E3 the header names what the model takes, on every request", async () => {
    const headers = async (model: string) => (await sent({ model })).headers["anthropic-beta"];
    assert.equal(await headers("claude-sonnet-5"), undefined);
    assert.match(
      String(await headers("claude-sonnet-5-5")),
      /thinking-binding-controls-2026-08-01.*inline-tools-2026-09-15/,
    );
    assert.equal(await headers("claude-opus-4-8"), "inline-tools-2026-09-15");
  });

  it("T1 a schema with a choice at its top becomes an object with all properties", () => {
    const schema = {
      $defs: { byID: { type: "object", properties: { id: { type: "number" } }, required: ["id"] } },
      description: "Either.",
      required: ["kind"],
      properties: { kind: { type: "string" } },
      oneOf: [
        { $ref: "#/$defs/byID" },
        { allOf: [{ properties: { path: { type: "string" }, id: { type: "string" } }, required: ["path", "id"] }] },
      ],
      additionalProperties: false,
    };
    const { tools } = JSON.parse(requestBody(request({ tools: [{ name: "x", description: "X.", schema }] })));
    assert.deepEqual(tools[0].input_schema, {
      $defs: schema.$defs,
      description: "Either.",
      type: "object",
      properties: {
        kind: { type: "string" },
        id: { anyOf: [{ type: "number" }, { type: "string" }] },
        path: { type: "string" },
      },
      required: ["kind", "id"],
    });
  });

  it("a request never ends with a reply", () => {
    const entries = [user("Go"), assistant({ type: "text", text: "Cut he" })];
    assert.equal(JSON.parse(requestBody(request({ entries }))).messages.at(-1).role, "user");
  });

  it("a changed entry is converted again", () => {
    const entry = user("One");
    const asked = request({ entries: [entry] });
    requestBody(asked);
    const [part] = entry.parts;
    assert.ok(part?.type === "text");
    part.text += " more";
    assert.match(requestBody(asked), /One more/);
    entry.parts[0] = { ...part, text: "Two more" };
    assert.match(requestBody(asked), /Two more/);
  });

  const bound = { type: "adaptive", display: "summarized", block_binding: { prefix_mismatch_behavior: "drop_block" } };
  const levels: [string, ModelRequest["thinking"], unknown, unknown][] = [
    ["claude-sonnet-4-6", "default", { type: "adaptive", display: "summarized" }, undefined],
    ["claude-opus-5-5", "high", bound, { effort: "high" }],
    ["claude-sonnet-5-5", "default", bound, undefined],
    ["claude-haiku-5-5", "low", bound, { effort: "low" }],
    ["claude-fable-5-1", "default", bound, undefined],
    ["claude-fable-5", "default", { type: "adaptive", display: "summarized" }, undefined],
    ["claude-sonnet-5", "off", { type: "disabled" }, undefined],
    ["claude-sonnet-5-5", "off", { type: "between_tools" }, undefined],
    ["claude-opus-5", "off", { type: "disabled" }, undefined],
    ["claude-opus-5-5", "off", bound, { effort: "low" }],
    ["claude-fable-5", "off", undefined, { effort: "low" }],
    ["claude-opus-4-6", "off", undefined, undefined],
    ["claude-sonnet-4-5-20250929", "default", undefined, undefined],
    ["claude-sonnet-4-20250514", "low", { type: "enabled", budget_tokens: 4000 }, undefined],
    ["claude-3-7-sonnet-latest", "high", { type: "enabled", budget_tokens: 18_976 }, undefined],
    ["claude-3-5-haiku-latest", "high", undefined, undefined],
    ["glm-4.6", "high", undefined, undefined],
    ["glm-4.6", { budgetTokens: 9000 }, { type: "enabled", budget_tokens: 9000 }, undefined],
    ["claude-haiku-4-5", { budgetTokens: 500 }, { type: "enabled", budget_tokens: 1024 }, undefined],
    ["claude-haiku-4-5", { budgetTokens: 99_000 }, { type: "enabled", budget_tokens: 18_976 }, undefined],
    ["claude-opus-4-6", { budgetTokens: 5000 }, { type: "enabled", budget_tokens: 5000 }, undefined],
    ["claude-opus-5", { budgetTokens: 5000 }, { type: "adaptive", display: "summarized" }, { effort: "low" }],
    ["claude-opus-5", { budgetTokens: 30_000 }, { type: "adaptive", display: "summarized" }, { effort: "high" }],
    ["claude-3-5-haiku-latest", { budgetTokens: 5000 }, undefined, undefined],
  ];
  for (const [model, thinking, expected, output] of levels) {
    it(`M2 thinking ${JSON.stringify(thinking)} of ${model}`, () => {
      const body = JSON.parse(requestBody(request({ model, thinking, maxTokens: 20_000 })));
      assert.deepEqual([body.thinking, body.output_config], [expected, output]);
    });
  }
});

describe("anthropic: temperature", () => {
  const sent = (asked: Partial<ModelRequest>) =>
    JSON.parse(requestBody(request({ temperature: 0.3, ...asked }))).temperature;

  it("M2 is sent when the model does not think, up to 1", () => {
    assert.equal(sent({ model: "claude-haiku-4-5" }), 0.3);
    assert.equal(sent({ model: "glm-4.6", temperature: 1.5 }), 1);
    assert.equal(sent({ model: "claude-opus-4-6", thinking: "off" }), 0.3);
    assert.equal(sent({ temperature: undefined }), undefined);
  });

  it("M2 is omitted when thinking forbids it or the model has none", () => {
    assert.equal(sent({ model: "claude-haiku-4-5", thinking: "low", maxTokens: 20_000 }), undefined);
    assert.equal(sent({ model: "claude-opus-4-6" }), undefined);
    assert.equal(sent({ model: "claude-sonnet-5", thinking: "off" }), undefined);
    const thinking = { type: "enabled", budget_tokens: 2000 };
    assert.equal(sent({ model: "claude-haiku-4-5", options: { thinking } }), undefined);
  });

  it("M2 a thinking budget stays below the reply's limit, no matter who set it", () => {
    const asked = request({
      model: "claude-haiku-4-5",
      thinking: { budgetTokens: 9000 },
      options: { max_tokens: 4096 },
    });
    assert.deepEqual(JSON.parse(requestBody(asked)).thinking, { type: "enabled", budget_tokens: 3072 });
  });
});
