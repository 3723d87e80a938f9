/** What servers of the Responses API are sent, and what is special in their replies. */
import assert from "node:assert/strict";
import type { FilePart, ToolDefinition } from "../../src/chat/message.ts";
import { compatibleResponses } from "../../src/providers/families/compatible-responses.ts";
import { openaiResponses } from "../../src/providers/families/openai-responses.ts";
import { xaiResponses } from "../../src/providers/families/xai-responses.ts";
import { responsesModel } from "../../src/providers/openai-responses/responses-model.ts";
import { ResponsesEncoder } from "../../src/providers/openai-responses/responses-request.ts";
import type { ResponsesRulesOf } from "../../src/providers/openai-responses/responses-rules.ts";
import { type Answer, startModelServer } from "../model-server.ts";
import { ask, call, replyOf, request, user } from "./ask.ts";

const model = "gpt-6.1-terra";
const read = { name: "read", description: "Reads.", schema: { type: "object" } };
const patch: ToolDefinition = {
  name: "apply_patch",
  description: "Patches.",
  schema: { type: "object", properties: { patch: { type: "string" } } },
  freeform: { grammar: "start: LINE+", argument: "patch" },
};
const cipher = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" };

function bodyOf(asked: Parameters<typeof request>[0], rules: ResponsesRulesOf = openaiResponses) {
  const whole = request({ model, ...asked });
  return JSON.parse(Buffer.from(new ResponsesEncoder(rules(whole.model)).encode(whole)).toString());
}

function input(entries: Parameters<typeof request>[0], rules?: ResponsesRulesOf): Record<string, unknown>[] {
  return bodyOf({ system: "", ...entries }, rules).input;
}

function assistant(...said: Parameters<typeof replyOf> extends [unknown, ...infer Rest] ? Rest : never) {
  return replyOf({ providerID: "openai", modelID: model }, ...said);
}

function callOf(tool: string, values: Record<string, unknown>, provider: Record<string, unknown>) {
  const made = call(tool, values, "ok");
  if (made.state.status === "completed") made.state.metadata = { provider };
  return { ...made, callID: "call_1" };
}

async function replyTo(answer: Answer, more: Parameters<typeof request>[0] = {}) {
  const server = await startModelServer([answer]);
  const reply = await ask(
    responsesModel({ apiKey: "test-key", baseURL: `${server.url}/v1`, rules: openaiResponses }),
    request({ model, ...more }),
  );
  await server.stop();
  return reply;
}

function events(...all: object[]): Answer {
  return { bytes: all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") };
}

const completed = { type: "response.completed", response: { status: "completed" } };

describe("responses: requests", () => {
  it("E4 the first request of the default model", () => {
    assert.deepEqual(bodyOf({ tools: [read] }), {
      model,
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "ses_test",
      parallel_tool_calls: true,
      text: { verbosity: "low" },
      tools: [
        {
          type: "function",
          name: "read",
          description: "Reads.",
          parameters: { properties: {}, type: "object" },
          strict: false,
        },
      ],
      input: [
        { type: "message", role: "developer", content: [{ type: "input_text", text: "You are a test." }] },
        { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] },
      ],
      reasoning: { summary: "auto" },
      max_output_tokens: 1000,
    });
  });

  it("E3 thoughts go back as they came, with the ids of what followed them, or neither", () => {
    const entries = [
      user("Go"),
      assistant(
        { type: "reasoning", text: "", time: { start: 1 }, metadata: { item: cipher } },
        { type: "text", text: "I read.", metadata: { id: "msg_1", phase: "commentary" } },
        callOf("read", { a: 1 }, { kind: "function_call", id: "fc_1", arguments: '{ "a": 1 }' }),
      ),
    ];
    const said = { type: "message", role: "assistant", content: [{ type: "output_text", text: "I read." }] };
    const called = { type: "function_call", call_id: "call_1", name: "read", arguments: '{ "a": 1 }' };
    const output = { type: "function_call_output", call_id: "call_1", output: "ok" };
    assert.deepEqual(input({ entries }).slice(1), [
      cipher,
      { ...said, id: "msg_1", status: "completed", phase: "commentary" },
      { ...called, id: "fc_1" },
      output,
    ]);
    const bare = [{ ...said, phase: "commentary" }, called, output];
    assert.deepEqual(input({ entries, unboundEntries: 2 }).slice(1), bare, "unbound");
    const foreign = [said, { ...called, arguments: '{"a":1}' }, output];
    assert.deepEqual(input({ entries, model: "gpt-6.1-sol" }).slice(1), foreign, "another model");
  });

  it("E3 thoughts without what followed them stay out, as those without encrypted content do", () => {
    const thought = { type: "reasoning", text: "Hm.", time: { start: 1 } } as const;
    const cut = [user("Go"), assistant({ ...thought, metadata: { item: cipher } }), user("And?")];
    assert.deepEqual(
      input({ entries: cut }).map(({ role }) => role),
      ["user", "user"],
    );
    const plain = { type: "reasoning", id: "rs_1", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] };
    const said = { type: "text", text: "Yes", metadata: { id: "msg_1" } } as const;
    const entries = [user("Go"), assistant({ ...thought, metadata: { item: plain } }, said), user("And?")];
    assert.deepEqual(
      input({ entries }).map(({ type, id }) => [type, id]),
      [
        ["message", undefined],
        ["message", undefined],
        ["message", undefined],
      ],
    );
    const local = input(
      { entries: entries.map((one) => ({ ...one, info: { ...one.info, model: other } })), model: "qwen3" },
      compatibleResponses,
    );
    assert.deepEqual(local[1], plain);
  });

  it("E4 a tool with a grammar gets its text as it is, where the model knows such tools", () => {
    const entries = [
      user("Go"),
      assistant(
        { type: "reasoning", text: "", time: { start: 1 }, metadata: { item: cipher } },
        callOf("apply_patch", { patch: "*** Begin" }, { kind: "custom_tool_call", id: "ctc_1" }),
      ),
    ];
    const body = bodyOf({ tools: [patch], entries, toolUse: { only: ["apply_patch"] } });
    assert.deepEqual(body.tools, [
      {
        type: "custom",
        name: "apply_patch",
        description: "Patches.",
        format: { type: "grammar", syntax: "lark", definition: "start: LINE+" },
      },
    ]);
    assert.deepEqual(body.input.slice(-2), [
      { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "apply_patch", input: "*** Begin" },
      { type: "custom_tool_call_output", call_id: "call_1", output: "ok" },
    ]);
    const tools = [{ type: "custom", name: "apply_patch" }];
    assert.deepEqual(body.tool_choice, { type: "allowed_tools", mode: "auto", tools });
    const older = bodyOf({ model: "gpt-4.1", tools: [patch], entries, toolUse: { only: ["apply_patch"] } });
    assert.equal(older.tools[0].type, "function");
    assert.equal(older.tool_choice, undefined);
    assert.deepEqual(
      older.input.slice(-2).map(({ type }: { type: string }) => type),
      ["function_call", "function_call_output"],
    );
  });

  it("I8 images and PDFs stand in results, or in a user message where results are text", () => {
    const file = { id: "x", sessionID: "x", messageID: "x", type: "file", filename: "a" } as const;
    const files: FilePart[] = [
      { ...file, mime: "image/png", url: "data:image/png;base64,AAAA" },
      { ...file, mime: "application/pdf", url: "data:application/pdf;base64,BBBB" },
    ];
    const picture = callOf("read", {}, { kind: "function_call" });
    if (picture.state.status === "completed") picture.state.attachments = files;
    const entries = [user("Go"), assistant(picture)];
    const content = [
      { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" },
      { type: "input_file", filename: "a", file_data: "data:application/pdf;base64,BBBB" },
    ];
    assert.deepEqual(input({ entries }).at(-1)?.["output"], [{ type: "input_text", text: "ok" }, ...content]);
    const apart = input({ entries, model: "grok-4.7" }, xaiResponses).slice(-2);
    assert.equal(apart[0]?.["output"], "ok");
    assert.deepEqual(apart[1]?.["content"], [
      { type: "input_text", text: "(Attached by the tools above.)" },
      ...content,
    ]);
  });

  it("C7 tools that come later stand at their place, or at the end of the list where the model knows no such item", () => {
    const later = { name: "mcp_look", description: "Looks.", schema: { type: "object", properties: {} } };
    const entries = [user("Go"), user({ type: "tools", added: [later], removed: ["read"] })];
    const body = bodyOf({ tools: [read], entries });
    assert.deepEqual(
      body.tools.map(({ name }: { name: string }) => name),
      ["read"],
    );
    assert.deepEqual(body.input[2].tools[0].name, "mcp_look");
    assert.equal(body.input[2].type, "additional_tools");
    const changed = [
      user("Go"),
      user({ type: "tools", added: [{ ...read, description: "Reads more." }], removed: [] }),
    ];
    const told = bodyOf({ tools: [read], entries: changed }).input[2];
    assert.deepEqual([told.role, /Reads more/.test(told.content[0].text)], ["developer", true]);
    const only = ["read", "mcp_look"];
    assert.equal(bodyOf({ tools: [read], entries, toolUse: { only } }).tool_choice, undefined);
    const older = bodyOf({ model: "gpt-5.1", tools: [read], entries });
    assert.deepEqual(
      older.tools.map(({ name }: { name: string }) => name),
      ["read", "mcp_look"],
    );
  });

  it("C7 what Rondo tells of changes is a developer message, where the model takes that", () => {
    const entries = [user("Go", { type: "text", text: "The mode is plan.", synthetic: true, told: { mode: "plan" } })];
    const roles = (name: string) => input({ entries, model: name }).map(({ role }) => role);
    assert.deepEqual(roles(model), ["user", "developer"]);
    assert.deepEqual(roles("gpt-5.1"), ["user"]);
  });

  it("M2 levels of thinking are those that the model has; options of Chat Completions keep their meaning", () => {
    const effort = (name: string, thinking: "off" | "low" | "high") =>
      bodyOf({ model: name, thinking }).reasoning?.effort;
    assert.deepEqual([effort(model, "off"), effort(model, "high")], ["none", "high"]);
    assert.deepEqual([effort("gpt-6.2-sol", "off"), effort("gpt-5-pro", "low")], ["low", "high"]);
    assert.equal(effort("gpt-4.1", "high"), undefined);
    const told = { type: "text", text: "", synthetic: true, told: { effort: "high" } } as const;
    const later = {
      entries: [user("Hello"), assistant({ type: "text", text: "Hi." }), user("Go on.", told)],
      thinking: "high",
    } as const;
    const updates = (name: string) =>
      input({ ...later, model: name }).filter(({ type }) => /update/.test(String(type)));
    assert.deepEqual(updates("gpt-6.2-sol"), [{ type: "configuration_update", reasoning: { effort: "high" } }]);
    assert.equal(bodyOf({ ...later, model: "gpt-6.2-sol" }).reasoning.effort, undefined, "the head stays");
    assert.deepEqual([updates("gpt-5.5"), bodyOf({ ...later, model: "gpt-5.5" }).reasoning.effort], [[], "high"]);
    const options = { reasoning_effort: "xhigh", verbosity: "high", max_tokens: 50, metadata: { a: 1 } };
    const { reasoning, text, max_output_tokens, metadata, max_tokens } = bodyOf({ options });
    assert.deepEqual(reasoning, { effort: "xhigh", summary: "auto" });
    assert.deepEqual([text, max_output_tokens, metadata, max_tokens], [{ verbosity: "high" }, 50, { a: 1 }, undefined]);
    assert.equal(bodyOf({ temperature: 0.3 }).temperature, undefined);
    assert.equal(bodyOf({ temperature: 0.3, model: "gpt-4.1" }).temperature, 0.3);
  });

  it("E4 a parameter that the server does not take is left out of this request and of those that follow", async () => {
    const message = "Your organization must be verified to generate reasoning summaries.";
    const refusal = {
      error: { message, type: "invalid_request_error", param: "reasoning.summary", code: "unsupported_value" },
    };
    const server = await startModelServer(({ body }) =>
      JSON.stringify(body).includes('"summary"') ? { status: 400, body: refusal } : [{ text: "ok" }],
    );
    const opened = responsesModel({ apiKey: "test-key", baseURL: `${server.url}/v1`, rules: openaiResponses });
    for (const text of ["ok", "ok"]) assert.equal((await ask(opened, request({ model }))).text, text);
    await server.stop();
    assert.equal(server.requests.length, 3);
    const stubborn = await startModelServer(() => ({ status: 400, body: refusal }));
    const refused = responsesModel({ apiKey: "test-key", baseURL: stubborn.url, rules: openaiResponses });
    assert.match((await ask(refused, request({ model }))).error?.message ?? "", /must be verified/);
    await stubborn.stop();
    assert.equal(stubborn.requests.length, 2);
  });
});

const other = { providerID: "openai", modelID: "qwen3" };

describe("responses: replies", () => {
  it("E4 a refusal is said, and is why the reply ended", async () => {
    const { text, finish } = await replyTo(
      events(
        { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1" } },
        { type: "response.refusal.delta", output_index: 0, delta: "I cannot" },
        { type: "response.refusal.done", output_index: 0, refusal: "I cannot help." },
        {
          type: "response.output_item.done",
          output_index: 0,
          item: { type: "message", id: "msg_1", content: [{ type: "refusal", refusal: "I cannot help." }] },
        },
        completed,
      ),
    );
    assert.deepEqual([text, finish], ["I cannot help.", "refusal"]);
  });

  it("E4 the input of a freeform tool is its argument", async () => {
    const item = {
      type: "custom_tool_call",
      id: "ctc_1",
      call_id: "call_1",
      name: "apply_patch",
      input: "*** Begin\n",
    };
    const { calls } = await replyTo(
      events(
        { type: "response.output_item.added", output_index: 0, item: { ...item, input: "" } },
        { type: "response.custom_tool_call_input.delta", output_index: 0, delta: "*** Beg" },
        { type: "response.custom_tool_call_input.done", output_index: 0, input: "*** Begin\n" },
        { type: "response.output_item.done", output_index: 0, item },
        completed,
      ),
      { tools: [patch] },
    );
    assert.deepEqual(calls, [
      {
        id: "call_1",
        name: "apply_patch",
        raw: '{"patch":"*** Begin\\n"}',
        arguments: { ok: true, input: { patch: "*** Begin\n" } },
        provider: { kind: "custom_tool_call", id: "ctc_1", name: "apply_patch" },
      },
    ]);
  });

  it("E3 encrypted thoughts that only the final snapshot has are kept", async () => {
    const bare = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }] };
    const { reasons, thoughts } = await replyTo(
      events(
        { type: "response.output_item.added", output_index: 0, item: bare },
        { type: "response.output_item.done", output_index: 0, item: bare },
        {
          type: "response.completed",
          response: { status: "completed", output: [{ ...bare, encrypted_content: "gAAAA" }] },
        },
      ),
    );
    assert.deepEqual(thoughts, ["Hm."]);
    assert.deepEqual(reasons, [{ item: { ...bare, encrypted_content: "gAAAA" } }]);
  });

  it("E6 says what the server left out, and what it did unasked", async () => {
    const input_transformations = [{ type: "reasoning_dropped" }];
    const { events: all, finish } = await replyTo(
      events(
        { type: "response.created", response: { input_transformations } },
        { type: "response.output_item.added", output_index: 0, item: { type: "web_search_call", id: "ws_1" } },
        { type: "response.web_search_call.searching", output_index: 0, item_id: "ws_1" },
        { type: "response.output_item.done", output_index: 0, item: { type: "web_search_call", id: "ws_1" } },
        { type: "response.completed", response: { status: "completed", input_transformations } },
      ),
    );
    const notes = all.flatMap((event) => (event.type === "skipped" ? [event.what] : []));
    assert.equal(notes.length, 2);
    assert.match(notes[0] ?? "", /reasoning dropped/);
    assert.match(notes[1] ?? "", /web_search_call/);
    assert.equal(finish, "stop");
  });

  it("E4 usage with numbers as strings, what was written to the cache, and what it cost", async () => {
    const usage = {
      input_tokens: "120",
      input_tokens_details: { cached_tokens: "80", cache_write_tokens: 30 },
      output_tokens: "7",
      output_tokens_details: { reasoning_tokens: "3" },
      cost: "0.25",
    };
    const { tokens, events: all } = await replyTo(
      events({ type: "response.completed", response: { status: "completed", usage } }),
    );
    assert.deepEqual(tokens, { input: 10, output: 7, reasoning: 3, cacheRead: 80, cacheWrite: 30 });
    const end = all.find((event) => event.type === "finish-step");
    assert.equal(end?.type === "finish-step" && end.costUsd, 0.25);
  });

  const failures: [string, object[], string][] = [
    [
      "a quota",
      [{ type: "error", error: { type: "insufficient_quota", code: "insufficient_quota", message: "No." } }],
      "quota",
    ],
    ["an error with its fields at the top", [{ type: "error", code: "server_error", message: "No." }], "server"],
    ["a bare error", [{ error: { message: "No.", type: "throttling_error", code: "429" } }], "rate-limit"],
    [
      "a failed response",
      [{ type: "response.failed", response: { error: { code: "rate_limit_exceeded", message: "No." } } }],
      "rate-limit",
    ],
    [
      "a full window",
      [{ type: "response.failed", response: { error: { code: "context_length_exceeded", message: "No." } } }],
      "context-full",
    ],
    [
      "a response that is completed as failed",
      [{ type: "response.completed", response: { status: "failed" } }],
      "server",
    ],
    ["an end without a final event", [{ type: "response.output_text.delta", delta: "Hi" }], "network"],
  ];
  for (const [title, sent, kind] of failures) {
    it(`H2 ${title} is ${kind}`, async () => {
      const { error, finish } = await replyTo(events(...sent));
      assert.deepEqual([error?.kind, finish], [kind, undefined], error?.message);
    });
  }

  const refusals: [string, string, string][] = [
    ["The encrypted content gAAA could not be verified.", "invalid_encrypted_content", "thoughts-refused"],
    [
      "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
      "",
      "thoughts-refused",
    ],
    ["Invalid content type. image_url is only supported by certain models.", "", "images-refused"],
    ["Invalid value: 'x'.", "invalid_value", "invalid"],
  ];
  for (const [message, code, kind] of refusals) {
    it(`H2 “${message}” is ${kind}`, async () => {
      const body = { error: { message, code: code || null, type: "invalid_request_error", param: "input[1]" } };
      assert.equal((await replyTo({ status: 400, body })).error?.kind, kind);
    });
  }
});
