/** Checks a request against the published rules of its API (spec I8), and the order of its results (I9). */
import assert from "node:assert/strict";
import * as z from "zod/mini";
import type { ReceivedRequest } from "../model-server.ts";

export function assertValid(request: ReceivedRequest): void {
  assert.ok(request.raw.isWellFormed(), "a lone surrogate was sent");
  assert.doesNotMatch(request.raw, /(?<!\\)(?:\\\\)*\\ud[89ab]..(?!\\ud[c-f])/i, "half a surrogate pair was sent");
  if (request.api === "anthropic") assertAnthropic(request.body);
  else assertOpenAI(request.body);
}

const name = /^[a-zA-Z0-9_-]{1,64}$/;
const notBlank = z.string().check(z.refine((text) => text.trim() !== "", "blank text"));
const CacheControl = z.optional(z.object({ type: z.literal("ephemeral"), ttl: z.optional(z.string()) }));

const AnthropicBlock = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: notBlank, cache_control: CacheControl }),
  z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string().check(z.minLength(1)) }),
  z.strictObject({ type: z.literal("redacted_thinking"), data: z.string() }),
  z.strictObject({
    type: z.literal("tool_use"),
    id: z.string().check(z.regex(/^[a-zA-Z0-9_-]+$/)),
    name: z.string().check(z.regex(name)),
    input: z.record(z.string(), z.unknown()),
    cache_control: CacheControl,
  }),
  z.strictObject({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z.optional(z.union([z.string(), z.array(z.unknown())])),
    is_error: z.optional(z.boolean()),
    cache_control: CacheControl,
  }),
  z.looseObject({ type: z.literal("image") }),
  z.looseObject({ type: z.literal("document") }),
]);
const AnthropicMessage = z.discriminatedUnion("role", [
  z.strictObject({
    role: z.enum(["user", "assistant"]),
    content: z.union([notBlank, z.array(AnthropicBlock).check(z.minLength(1))]),
  }),
  // What changes later (mid-conversation-system-messages); empty where only the effort does.
  z.strictObject({
    role: z.literal("system"),
    content: z.array(
      z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("text"), text: notBlank, cache_control: CacheControl }),
        z.looseObject({ type: z.literal("tool_addition") }),
        z.looseObject({ type: z.literal("tool_removal") }),
      ]),
    ),
    output_config: z.optional(z.object({ effort: z.string() })),
  }),
]);
const AnthropicBody = z.looseObject({
  model: z.string(),
  max_tokens: z.int().check(z.gte(1)),
  messages: z.array(AnthropicMessage).check(z.minLength(1)),
  thinking: z.optional(z.looseObject({ type: z.string(), budget_tokens: z.optional(z.number()) })),
});

function assertAnthropic(body: unknown): void {
  const { messages, thinking, max_tokens: most } = AnthropicBody.parse(body);
  if (thinking?.budget_tokens !== undefined) assert.ok(thinking.budget_tokens < most, "thinking takes the whole reply");
  const markers = JSON.stringify(body).split('"cache_control"').length - 1;
  assert.ok(markers <= 4, `${markers} cache markers`);
  assert.equal(messages[0]?.role, "user", "the first message is the user's");
  assert.notEqual(messages.at(-1)?.role, "assistant", "the model is to answer itself");
  const ids = new Set<string>();
  let open: string[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    const before = messages[at - 1]?.role;
    if (role === "system") {
      assert.equal(before, "user", `message ${at}: a change does not follow a user message`);
      continue;
    }
    if (before === "system") assert.equal(role, "assistant", `message ${at}: a change precedes no reply`);
    assert.notEqual(role, before, `message ${at}: the roles do not alternate`);
    const blocks = typeof content === "string" ? [] : content;
    const results = blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
    assert.deepEqual(results, open, `message ${at}: not one result for each call, in their order`);
    const first = blocks.slice(0, results.length).every((block) => block.type === "tool_result");
    assert.ok(first, `message ${at}: something stands before the results`);
    open = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    for (const id of open) {
      assert.ok(!ids.has(id), `the id ${id} is used twice`);
      ids.add(id);
    }
  }
  assert.deepEqual(open, [], "a call without its result");
}

const OpenAIMessage = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("system"), content: notBlank }),
  z.looseObject({ role: z.literal("user"), content: z.union([notBlank, z.array(z.unknown()).check(z.minLength(1))]) }),
  z.looseObject({
    role: z.literal("assistant"),
    content: z.optional(z.nullable(z.string())),
    tool_calls: z.optional(
      z
        .array(
          z.looseObject({
            id: z.string().check(z.minLength(1)),
            type: z.literal("function"),
            function: z.object({ name: z.string().check(z.regex(name)), arguments: z.string() }),
          }),
        )
        .check(z.minLength(1)),
    ),
  }),
  z.looseObject({
    role: z.literal("tool"),
    tool_call_id: z.string(),
    content: z.union([z.string(), z.array(z.unknown())]),
  }),
]);
const OpenAIBody = z.looseObject({ model: z.string(), messages: z.array(OpenAIMessage).check(z.minLength(1)) });

function assertOpenAI(body: unknown): void {
  const { messages } = OpenAIBody.parse(body);
  const ids = new Set<string>();
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") {
      assert.equal(message.tool_call_id, open.shift(), `message ${at}: a result without its call, or out of order`);
      continue;
    }
    assert.deepEqual(open, [], `message ${at}: stands between a call and its result`);
    if (message.role === "system") assert.equal(at, 0);
    if (message.role !== "assistant") continue;
    const calls = message.tool_calls ?? [];
    assert.ok(calls.length > 0 || message.content?.trim(), `message ${at}: the assistant says nothing`);
    open = calls.map(({ id }) => id);
    for (const { id, function: made } of calls) {
      assert.ok(!ids.has(id), `the id ${id} is used twice`);
      ids.add(id);
      z.record(z.string(), z.unknown()).parse(JSON.parse(made.arguments));
    }
  }
  assert.deepEqual(open, [], "a call without its result");
  assert.notEqual(messages.at(-1)?.role, "assistant", "the model is to answer itself");
}
