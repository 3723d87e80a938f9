/** A server that refuses a request teaches a rule: the request goes out again by it, and so do later ones. */
import assert from "node:assert/strict";
import { openModel } from "../../src/providers/providers.ts";
import { type ModelServer, type ReceivedRequest, startModelServer } from "../model-server.ts";
import { ask, call, replyOf, request, user } from "./ask.ts";

interface Lesson {
  status?: number;
  body: unknown;
  /** The model's name; one that tells nothing if missing. */
  model?: string;
  /** Whether the server takes the body. */
  takes: (body: Record<string, unknown>, raw: string) => boolean;
}

const openai = (message: string, param: string | null = null) => ({
  error: { message, type: "invalid_request_error", param, code: null },
});
const mistral = (...loc: (string | number)[]) => ({
  object: "error",
  message: { detail: [{ type: "extra_forbidden", loc, msg: "Extra inputs are not permitted", input: { role: "x" } }] },
  type: "invalid_request_error",
  param: null,
  code: null,
});

/** Published shapes, with the sources that stand beside the rules. */
const lessons: Readonly<Record<string, Lesson>> = {
  "OpenAI: max_tokens (litellm#13432)": {
    body: openai(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      "max_tokens",
    ),
    takes: (body) => body["max_tokens"] === undefined && body["max_completion_tokens"] === 1000,
  },
  "Mistral: max_completion_tokens (eca#231)": {
    status: 422,
    model: "kimi-latest",
    body: mistral("body", "max_completion_tokens"),
    takes: (body) => body["max_completion_tokens"] === undefined && body["max_tokens"] === 1000,
  },
  "OpenAI: too many max_tokens (NextChat#3195)": {
    body: openai(
      "max_tokens is too large: 1000. This model supports at most 512 completion tokens, whereas you provided 1000.",
      "max_tokens",
    ),
    takes: (body) => body["max_tokens"] === 512,
  },
  "DashScope: range of max_tokens (open-webui#10507)": {
    body: openai("<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 256]"),
    takes: (body) => body["max_tokens"] === 256,
  },
  "OpenAI: reasoning_effort (langchain_dart#712)": {
    body: openai("Unrecognized request argument supplied: reasoning_effort"),
    takes: (body) => body["reasoning_effort"] === undefined,
  },
  "OpenAI: a value of temperature": {
    body: openai("Unsupported value: 'temperature' does not support 0.3 with this model.", "temperature"),
    takes: (body) => body["temperature"] === undefined,
  },
  "OpenAI: tools with an effort (litellm#34569)": {
    body: openai("Function tools with reasoning_effort are not supported for x in /v1/chat/completions."),
    takes: (body) => body["reasoning_effort"] === "none",
  },
  "xAI: an effort (hermes#23435)": {
    body: {
      code: "Client specified an invalid argument",
      error: "Model x does not support parameter reasoningEffort.",
    },
    takes: (body) => body["reasoning_effort"] === undefined,
  },
  "vLLM: stream_options (ms-agent#489)": {
    body: {
      object: "error",
      message:
        "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': {}}]",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    takes: (body) => body["stream_options"] === undefined,
  },
  "FastAPI: stream_options, with the request repeated": {
    status: 422,
    body: {
      detail: [
        {
          type: "extra_forbidden",
          loc: ["body", "stream_options"],
          msg: "Extra inputs are not permitted",
          input: { max_tokens: 1, reasoning_content: "x" },
        },
      ],
    },
    takes: (body) => body["stream_options"] === undefined && body["max_tokens"] === 1000,
  },
  "Groq: reasoning_content (jan#8136)": {
    model: "kimi-k2.6",
    body: openai(
      "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
    ),
    takes: (_, raw) => !raw.includes("reasoning_content"),
  },
  "Cerebras: reasoning_content (kilocode#10375)": {
    model: "kimi-k2.6",
    body: {
      message:
        "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
      type: "invalid_request_error",
      param: "validation_error",
      code: "wrong_api_format",
    },
    takes: (_, raw) => !raw.includes("reasoning_content"),
  },
  "Mistral: reasoning_content (litellm#30835)": {
    status: 422,
    model: "deepseek-chat",
    body: mistral("body", "messages", 2, "assistant", "reasoning_content"),
    takes: (_, raw) => !raw.includes("reasoning_content"),
  },
  "opencode zen: extra_content (opencode#43089)": {
    model: "gemini-3-pro",
    body: openai(
      "Extra inputs are not permitted, field: 'messages[2].tool_calls[0].extra_content', value: {'google': {}}",
    ),
    takes: (_, raw) => !raw.includes("extra_content"),
  },
  "Kimi: reasoning_content is missing (llmgateway#2093)": {
    body: openai("thinking is enabled but reasoning_content is missing in assistant tool call message at index 2"),
    takes: (_, raw) => raw.includes('"reasoning_content":"…"'),
  },
  "DeepSeek: reasoning_content is missing (thinking_mode)": {
    body: openai("The `reasoning_content` in the thinking mode must be passed back to the API."),
    takes: (_, raw) => raw.includes('"reasoning_content":"…"'),
  },
  "Gemini: thought_signature (securo#884)": {
    body: [
      {
        error: {
          code: 400,
          message: "Function call is missing a thought_signature in functionCall parts.",
          status: "INVALID_ARGUMENT",
        },
      },
    ],
    takes: (_, raw) => raw.includes('"thought_signature":"skip_thought_signature_validator"'),
  },
  "Gemini: a schema (opencode#2687)": {
    body: [
      {
        error: {
          code: 400,
          message: `Invalid JSON payload received. Unknown name "additionalProperties" at 'tools[0].function.parameters': Cannot find field.`,
          status: "INVALID_ARGUMENT",
        },
      },
    ],
    takes: (_, raw) => !raw.includes("additionalProperties"),
  },
  "Anthropic behind a gateway: a schema (claude-code#95504)": {
    body: {
      error: {
        code: 400,
        message: "Provider returned error",
        metadata: {
          raw: '{"type":"error","error":{"type":"invalid_request_error","message":"tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"}}',
        },
      },
    },
    takes: (_, raw) => !raw.includes("oneOf"),
  },
  "Mistral: ids of calls (opencode#1680)": {
    body: {
      object: "error",
      message: "Tool call id was toolu_00000001 but must be a-z, A-Z, 0-9, with a length of 9.",
      type: "invalid_function_call",
      param: null,
      code: "3280",
    },
    takes: (_, raw) => /"tool_call_id":"[a-zA-Z0-9]{9}"/.test(raw),
  },
  "OpenAI: long ids of calls (agno#5382)": {
    body: openai(
      "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 60 instead.",
      "messages[2].tool_calls[0].id",
    ),
    takes: (_, raw) => !raw.includes("x".repeat(60)),
  },
  "Mistral: user after tool (hermes-agent#84944)": {
    body: {
      object: "error",
      message: "Unexpected role 'user' after role 'tool'",
      type: "invalid_request_message_order",
      param: null,
      code: "3230",
    },
    takes: (body) => rolesOf(body).at(-2) === "assistant",
  },
  "llama.cpp: roles must alternate": {
    status: 500,
    body: {
      error: {
        code: 500,
        message:
          "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
        type: "server_error",
      },
    },
    takes: (body) => rolesOf(body).at(-2) === "assistant",
  },
  "LM Studio: content is null (lmstudio-bug-tracker#261)": {
    body: { error: "Invalid 'content': 'content' field must be a string or an array of objects." },
    takes: (_, raw) => !raw.includes('"content":null'),
  },
  "Anthropic behind a gateway: empty content (hermes-agent#31582)": {
    model: "devstral-2512",
    body: openai("messages: text content blocks must be non-empty"),
    takes: (_, raw) => !raw.includes('"content":""'),
  },
  "a gateway: cache_control (new-api#5982)": {
    model: "anthropic/claude-sonnet-5.5",
    body: openai("Extra inputs are not permitted, field: 'messages[0].content[0].cache_control', value: {}"),
    takes: (_, raw) => !raw.includes("cache_control"),
  },
  "Z.ai: tool_choice": {
    body: { error: { code: "1210", message: "tool_choice parameter is illegal, only auto" } },
    takes: (body) => body["tool_choice"] === undefined,
  },
  "Kimi: thinking beside an effort (nanobot#3939)": {
    model: "kimi-k2.6",
    body: openai("thinking and reasoning_effort cannot be used at the same time, 'thinking'"),
    takes: (body) => body["thinking"] === undefined,
  },
};

const schema = {
  type: "object",
  properties: { a: { oneOf: [{ type: "string" }, { type: "number" }] } },
  additionalProperties: false,
};
const tools = [{ name: "read", description: "Reads.", schema }];

function asked(model: string) {
  const long = { ...call("read", { a: 1 }, "1"), callID: "x".repeat(60) };
  const entries = [user("Go"), replyOf({ providerID: "openai", modelID: model }, long), user("And?")];
  return request({ model, entries, tools, toolUse: "none", thinking: "high", temperature: 0.3 });
}

function rolesOf({ messages }: Record<string, unknown>): unknown[] {
  return Array.isArray(messages) ? messages.map(({ role }) => role) : [];
}

describe("what Chat Completions servers teach by refusing", () => {
  let server: ModelServer | undefined;
  afterEach(() => server?.stop());

  for (const [name, { status = 400, body, model = "house", takes }] of Object.entries(lessons)) {
    it(`E4 E6 ${name}`, async () => {
      const isTaken = (received: ReceivedRequest) => takes(received.body, received.raw);
      server = await startModelServer((one) => (isTaken(one) ? [{ text: "Well." }] : { status, body }));
      const open = () => openModel("openai", { apiKey: "test-key-1", baseURL: `${server?.url}/v1` });
      const first = await ask(await open(), asked(model));
      assert.equal(first.error, undefined, first.error?.message);
      assert.deepEqual(server.requests.map(isTaken), [false, true]);
      const types = first.events.map(({ type }) => type);
      assert.equal(types.filter((type) => type === "start").length, 1);
      // Another session of this process knows it, too.
      const second = await ask(await open(), asked(model));
      assert.equal(second.text, "Well.");
      assert.equal(server.requests.length, 3);
    });
  }

  it("E6 an error in the first chunk of a stream teaches, too", async () => {
    const refusal = { error: { code: 400, message: "Unsupported parameter: 'stream_options'" } };
    server = await startModelServer(({ body }) =>
      body["stream_options"] ? { bytes: `data: ${JSON.stringify(refusal)}\n\n` } : [{ text: "Well." }],
    );
    const { text, error, events } = await ask(
      await openModel("openai", { apiKey: "test-key-1", baseURL: `${server.url}/v1` }),
      request(),
    );
    assert.equal(text, "Well.", error?.message);
    assert.equal(events.filter(({ type }) => type === "start").length, 1);
  });

  it("E6 a refusal that stays is told in the server's words, and nothing is remembered of it", async () => {
    server = await startModelServer(() => ({ status: 400, body: openai("stream_options: max_tokens: no") }));
    const model = await openModel("openai", { apiKey: "test-key-1", baseURL: `${server.url}/v1` });
    const { error } = await ask(model, request());
    assert.equal(error?.kind, "invalid");
    const tries = server.requests.length;
    assert.ok(tries <= 7, `${tries} requests`);
    await ask(model, request());
    assert.equal(server.requests[tries]?.raw, server.requests[0]?.raw);
  });

  it("E6 errors of keys, quotas and windows, and of the user's own options teach nothing", async () => {
    const answers = [
      { status: 401, body: openai("Incorrect API key; tool_choice") },
      { status: 429, body: openai("Too many requests: max_tokens per minute") },
      { status: 402, body: openai("This request requires more credits, or fewer max_tokens.") },
      { status: 400, body: openai("Unrecognized request argument supplied: top_k") },
    ];
    server = await startModelServer((_, index) => answers[index] ?? { status: 500 });
    const model = await openModel("openai", { apiKey: "test-key-1", baseURL: `${server.url}/v1` });
    for (const kind of ["auth", "rate-limit", "quota", "invalid"]) {
      const { error } = await ask(model, request({ options: { top_k: 5 } }));
      assert.equal(error?.kind, kind);
    }
    assert.equal(server.requests.length, 4);
  });
});
