/** What the providers publish of valid requests, checked on the body of one (I8). */
import assert from "node:assert/strict";
import * as z from "zod/mini";

const Block = z.looseObject({ type: z.string() });
const Call = z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) });

const AnthropicBody = z.looseObject({
  max_tokens: z.int().check(z.gte(1)),
  messages: z.array(z.strictObject({ role: z.enum(["user", "assistant"]), content: z.array(Block) })),
  thinking: z.optional(z.looseObject({ budget_tokens: z.optional(z.number().check(z.gte(1024))) })),
  temperature: z.optional(z.number().check(z.gte(0), z.lte(1))),
});

const OpenAIMessage = z.looseObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.nullable(z.union([z.string(), z.array(Block)])),
  tool_calls: z.optional(z.array(Call)),
  tool_call_id: z.optional(z.string()),
});

/** @throws AssertionError */
export function checkAnthropic(raw: string): void {
  checkText(raw);
  const { messages, max_tokens, thinking } = AnthropicBody.parse(JSON.parse(raw));
  if (thinking?.budget_tokens !== undefined) assert.ok(thinking.budget_tokens < max_tokens, "thinks all its answer");
  assert.deepEqual([messages.at(0)?.role, messages.at(-1)?.role], ["user", "user"]);
  const seen = new Set<unknown>();
  for (const [at, { role, content }] of messages.entries()) {
    assert.notEqual(role, messages[at - 1]?.role, "roles alternate");
    assert.ok(content.length > 0, "an empty message");
    for (const block of content) {
      if (block.type === "text") assert.match(String(block["text"]), /\S/, "a blank text");
      if (block.type === "thinking") assert.equal(typeof block["signature"], "string", "thinking without a signature");
      if (block.type !== "tool_use") continue;
      assert.match(String(block["id"]), /^[\w-]+$/);
      assert.ok(!seen.has(block["id"]), `the id ${String(block["id"])} twice`);
      seen.add(block["id"]);
    }
    const calls = content.filter(({ type }) => type === "tool_use").map((block) => block["id"]);
    const next = messages[at + 1]?.content ?? [];
    const results = next.slice(0, calls.length).map((block) => block["tool_use_id"]);
    assert.deepEqual(results, calls, "each call has its result at the beginning of the next message");
    const all = next.filter(({ type }) => type === "tool_result");
    assert.equal(all.length, calls.length, "a result without a call");
    if (role === "assistant") assert.doesNotMatch(content.at(-1)?.type ?? "", /thinking/, "ends in thinking");
  }
}

/** @throws AssertionError */
export function checkOpenAI(raw: string): void {
  checkText(raw);
  const { messages } = z.looseObject({ messages: z.array(OpenAIMessage) }).parse(JSON.parse(raw));
  assert.match(messages.at(-1)?.role ?? "", /user|tool/);
  for (const [at, { role, content, tool_calls = [] }] of messages.entries()) {
    const before = messages[at - 1]?.role;
    if (role === "assistant") assert.match(before ?? "", /user|tool/, "a reply to nothing");
    if (role === "user") assert.notEqual(before, "user");
    if (role === "tool") assert.match(before ?? "", /assistant|tool/);
    if (role === "assistant") assert.ok(tool_calls.length > 0 || /\S/.test(String(content ?? "")), "an empty reply");
    else assert.ok(content !== null && content.length > 0, `an empty ${role} message`);
    const ids = tool_calls.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, "an id twice");
    for (const call of tool_calls) assert.equal(typeof JSON.parse(call.function.arguments), "object");
    const results = messages.slice(at + 1).findIndex((message) => message.role !== "tool");
    const told = results < 0 ? messages.slice(at + 1) : messages.slice(at + 1, at + 1 + results);
    if (role === "assistant")
      assert.deepEqual(
        told.map((one) => one.tool_call_id),
        ids,
        "each call has its result",
      );
  }
}

/** No half of a surrogate pair, however deep in JSON. */
function checkText(raw: string): void {
  assert.ok(JSON.stringify(JSON.parse(raw)) === wellFormed(JSON.stringify(JSON.parse(raw))), "half of a character");
}

function wellFormed(json: string): string {
  return JSON.stringify(JSON.parse(json), (_, value: unknown) =>
    typeof value === "string" ? value.toWellFormed() : value,
  );
}
