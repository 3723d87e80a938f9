/** Requests to Chat Completions servers, and special cases of their replies. */
import assert from "node:assert/strict";
import { openaiModel } from "../chat-model.ts";
import { startModelServer } from "../model-server.ts";
import type { Collected } from "./ask.ts";
import { ask, call, chatBodyText, assistant as foreign, replyOf, request, user } from "./ask.ts";

const assistant = replyOf.bind(undefined, { providerID: "openai", modelID: "test-model" });
const read = { name: "read", description: "Reads.", schema: { type: "object", properties: {} } };

describe("openai: requests", () => {
  it("E4 sends to the base URL's /chat/completions and requests usage", async () => {
    const server = await startModelServer([[{ text: "ok" }]]);
    await ask(openaiModel({ apiKey: "test-key-1", baseURL: `${server.url}/api/v1` }), request({ tools: [read] }));
    await server.stop();
    const [first] = server.requests;
    assert.equal(first?.path, "/api/v1/chat/completions");
    assert.equal(first.headers.authorization, "Bearer test-key-1");
    const { messages, ...rest } = first.body;
    assert.deepEqual(rest, {
      model: "test-model",
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 1000,
      tools: [{ type: "function", function: { name: "read", description: "Reads.", parameters: read.schema } }],
    });
    assert.deepEqual(messages, [
      { role: "system", content: "You are a test." },
      { role: "user", content: "Hello" },
    ]);
  });

  it("OpenAI itself gets the newer name of the limit; a server decides where there is none", () => {
    const body = JSON.parse(chatBodyText(request({ thinking: "low" }), true));
    assert.deepEqual([body.max_completion_tokens, body.max_tokens, body.reasoning_effort], [1000, undefined, "low"]);
    assert.equal(JSON.parse(chatBodyText(request({ maxTokens: undefined }), false)).max_tokens, undefined);
  });

  it("M2 a budget of thinking becomes an effort; models that reason get no temperature", () => {
    const body = (asked: Parameters<typeof request>[0]) => JSON.parse(chatBodyText(request(asked), true));
    const effort = (budgetTokens: number) => body({ thinking: { budgetTokens } }).reasoning_effort;
    assert.deepEqual([effort(1000), effort(12_000), effort(24_000)], ["low", "medium", "high"]);
    assert.equal(body({ temperature: 0.3 }).temperature, 0.3);
    for (const model of ["gpt-5.4", "o3", "openai/gpt-5"])
      assert.equal(body({ model, temperature: 0.3 }).temperature, undefined);
  });

  it("E4 I8 one tool message per result, then the attachments of the tools", () => {
    const image = { type: "file", mime: "image/png", filename: "a.png", url: "data:image/png;base64,AAAA" } as const;
    const picture = call("read", { a: 1 }, "An image");
    if (picture.state.status === "completed") {
      picture.state.attachments = [{ ...image, id: "x", sessionID: "x", messageID: "x" }];
    }
    const entries = [
      user("Go"),
      assistant(
        { type: "text", text: "Both." },
        { ...picture, callID: "call_1" },
        {
          ...call("bash", {}, ""),
          callID: "call_2",
          state: { status: "error", input: {}, error: "No", start: 1, end: 2 },
        },
      ),
      user("And?"),
      user("Well?"),
    ];
    assert.deepEqual(JSON.parse(chatBodyText(request({ entries, system: "" }), false)).messages, [
      { role: "user", content: "Go" },
      {
        role: "assistant",
        content: "Both.",
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "read", arguments: '{"a":1}' } },
          { id: "call_2", type: "function", function: { name: "bash", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "An image" },
      { role: "tool", tool_call_id: "call_2", content: "Error: No" },
      {
        role: "user",
        content: [
          { type: "text", text: "(Attached by the tools above.)" },
          { type: "image_url", image_url: { url: image.url } },
          { type: "text", text: "And?" },
          { type: "text", text: "Well?" },
        ],
      },
    ]);
  });

  it("a request ends with a user message or results, never with an open reply", () => {
    const last = (...entries: ReturnType<typeof user>[]) =>
      JSON.parse(chatBodyText(request({ entries }), false)).messages.at(-1).role;
    assert.equal(last(user("Go"), assistant({ type: "text", text: "Cut he" })), "user");
    assert.equal(last(user("Go"), assistant(call("read", {}, "1"))), "tool");
    assert.equal(last(user("Go"), assistant(call("read", {}, "1")), assistant({ type: "step-start" })), "tool");
  });

  it("E4 reasoning is sent back to servers that require it", () => {
    const time = { start: 1 };
    const said = (metadata: Record<string, unknown>, ...more: Parameters<typeof assistant>) => {
      const entries = [user("Go"), assistant({ type: "reasoning", text: "Hm.", time, metadata }, ...more)];
      return JSON.parse(chatBodyText(request({ entries }), false)).messages[2];
    };
    const detail = [{ type: "reasoning.text", text: "Hm.", signature: "s", index: 0 }];
    const tool = call("read", {}, "1");
    assert.equal(said({ field: "reasoning_content" }, tool).reasoning_content, "Hm.");
    const switched = [
      user("Go"),
      foreign({ type: "reasoning", text: "Hm.", time, metadata: { field: "reasoning_content" } }, tool),
    ];
    assert.equal(chatBodyText(request({ entries: switched }), false).includes("Hm."), false);
    assert.equal(said({ field: "reasoning_content" }, { type: "text", text: "ok" }).reasoning_content, undefined);
    assert.equal(said({ field: "reasoning" }, tool).reasoning, undefined);
    assert.equal(said({ signature: "s" }, tool).reasoning_content, undefined);
    assert.deepEqual(said({ field: "reasoning", reasoning_details: detail }, tool).reasoning_details, detail);
  });

  it("provider data of a call is sent back with it", () => {
    const provider = { extra_content: { google: { thought_signature: "sig" } } };
    const tool = call("read", {}, "1");
    if (tool.state.status === "completed") tool.state.metadata = { provider };
    const { messages } = JSON.parse(chatBodyText(request({ entries: [user("Go"), assistant(tool)] }), false));
    assert.deepEqual(messages[2].tool_calls[0].extra_content, provider.extra_content);
  });
});

describe("openai: replies", () => {
  async function reply(...chunks: unknown[]): Promise<Collected> {
    const lines = chunks.map((chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`);
    const server = await startModelServer([{ bytes: lines.join("") }]);
    const collected = await ask(openaiModel({ apiKey: "test-key-1", baseURL: server.url }), request());
    await server.stop();
    return collected;
  }
  const delta = (said: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta: said, finish_reason }],
  });
  const fragment = (piece: object) => delta({ tool_calls: [piece] });

  it("E4 reasoning details are joined, with the signature that comes last", async () => {
    const detail = (more: object) => delta({ reasoning_details: [{ type: "reasoning.text", index: 0, ...more }] });
    const { reasoning, reasons, text } = await reply(
      detail({ text: "Hm, ", format: "x" }),
      detail({ text: "yes." }),
      detail({ signature: "sig" }),
      delta({ content: "ok" }, "stop"),
      "[DONE]",
    );
    assert.deepEqual([reasoning, text], ["Hm, yes.", "ok"]);
    const reasoning_details = [{ type: "reasoning.text", index: 0, text: "Hm, yes.", format: "x", signature: "sig" }];
    assert.deepEqual(reasons, [{ field: "details", reasoning_details }]);
  });

  it("E4 arguments as an object, a name before and after them, two calls without index or id", async () => {
    const { calls, finish } = await reply(
      fragment({ index: 0, id: "a", function: { name: "read", arguments: { a: 1 } } }),
      fragment({ index: 1, id: "b", function: { arguments: '{"b":' } }),
      fragment({ index: 1, function: { name: "list", arguments: "2}" } }),
      fragment({ function: { name: "glob", arguments: "{}" } }),
      fragment({ function: { name: "grep", arguments: "{}" } }),
      delta({}, "tool_calls"),
      "[DONE]",
    );
    assert.equal(finish, "tool-calls");
    assert.deepEqual(
      calls.map(({ name, raw }) => [name, raw]),
      [
        ["read", '{"a":1}'],
        ["list", '{"b":2}'],
        ["glob", "{}"],
        ["grep", "{}"],
      ],
    );
    assert.equal(new Set(calls.map(({ id }) => id)).size, 4);
  });

  it("E4 a call in the old format: function_call, with the name possibly repeated", async () => {
    const { calls, finish } = await reply(
      delta({ role: "assistant", content: null, function_call: { name: "read", arguments: "" } }),
      delta({ function_call: { arguments: '{"file_' } }),
      delta({ function_call: { name: "read", arguments: 'path":"a"}' } }),
      delta({}, "function_call"),
      "[DONE]",
    );
    assert.equal(finish, "tool-calls");
    assert.deepEqual(
      calls.map(({ name, raw }) => [name, raw]),
      [["read", '{"file_path":"a"}']],
    );
  });

  it("E4 provider data of a call is kept", async () => {
    const extra_content = { google: { thought_signature: "sig" } };
    const { calls } = await reply(
      fragment({ index: 0, id: "a", function: { name: "read", arguments: "{}" }, extra_content }),
      delta({}, "tool_calls"),
      "[DONE]",
    );
    assert.deepEqual(calls[0]?.provider, { extra_content });
  });

  const stops = {
    stop: "stop",
    length: "length",
    model_length: "length",
    content_filter: "content-filter",
    eos: "stop",
  };
  for (const [stop, finish] of Object.entries(stops)) {
    it(`E4 ${stop} is ${finish}`, async () => {
      assert.equal((await reply(delta({ content: "ok" }, stop), "[DONE]")).finish, finish);
    });
  }

  it("E4 a reply without a reason is complete with [DONE] and cut off without; with a reason it is complete without [DONE]", async () => {
    assert.equal((await reply(delta({ content: "ok" }), "[DONE]")).finish, "stop");
    assert.equal((await reply(delta({ content: "ok" }))).error?.kind, "network");
    assert.equal((await reply(delta({ content: "ok" }, "stop"))).finish, "stop");
    assert.equal((await reply("[DONE]")).error?.kind, "network");
  });

  it("E4 E6 an answer that is no stream is read as one: a whole reply, an error with status 200, a stream by another name", async () => {
    const called = { id: "call_1", type: "function", function: { name: "read", arguments: '{"a":1}' } };
    const message = {
      role: "assistant",
      content: "ok",
      reasoning_content: "Hm.",
      tool_calls: [called, { ...called, id: "call_2" }],
    };
    const usage = { prompt_tokens: 10, completion_tokens: 5 };
    const server = await startModelServer([
      { status: 200, body: { choices: [{ index: 0, message, finish_reason: "tool_calls" }], usage } },
      { status: 200, body: { error: { message: "Insufficient credits", code: 402 } } },
      { status: 200, body: [{ error: { message: "Overloaded", code: 503 } }] },
      { status: 200, body: `data: ${JSON.stringify(delta({ content: "ok" }, "stop"))}\n\ndata: [DONE]\n\n` },
    ]);
    const model = openaiModel({ apiKey: "test-key-1", baseURL: server.url });
    const whole = await ask(model, request());
    assert.deepEqual([whole.text, whole.reasoning, whole.finish], ["ok", "Hm.", "tool-calls"]);
    assert.deepEqual(
      whole.calls.map(({ id }) => id),
      ["call_1", "call_2"],
    );
    assert.equal(whole.tokens?.input, 10);
    assert.equal((await ask(model, request())).error?.kind, "quota");
    assert.equal((await ask(model, request())).error?.kind, "overloaded");
    assert.equal((await ask(model, request())).text, "ok");
    await server.stop();
  });

  it("a reply that the server aborted is an error", async () => {
    assert.equal((await reply(delta({ content: "ok" }), delta({}, "error"), "[DONE]")).error?.kind, "server");
  });

  it("E4 usage without choices, with choices, or missing", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 2 } };
    const counted = { input: 10, output: 5, reasoning: 2, cacheRead: 0, cacheWrite: 0 };
    assert.deepEqual((await reply(delta({ content: "ok" }, "stop"), { choices: [], usage }, "[DONE]")).tokens, counted);
    assert.deepEqual((await reply({ ...delta({ content: "ok" }, "stop"), usage }, "[DONE]")).tokens, counted);
    assert.equal((await reply(delta({ content: "ok" }, "stop"), "[DONE]")).tokens, undefined);
  });
});
