/** Recorded streams of real servers, decoded by the providers; test/streams plays them through a headless run. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Entry } from "../../src/chat/apply.ts";
import type { ModelErrorKind, ModelEvent } from "../../src/loop/model.ts";
import { anthropicModel } from "../../src/providers/anthropic/anthropic-model.ts";
import { compatibleResponses } from "../../src/providers/families/compatible-responses.ts";
import { openaiResponses } from "../../src/providers/families/openai-responses.ts";
import { responsesModel } from "../../src/providers/openai-responses/responses-model.ts";
import { ResponsesEncoder } from "../../src/providers/openai-responses/responses-request.ts";
import { openaiModel } from "../chat-model.ts";
import { startModelServer } from "../model-server.ts";
import { compare, compareNext, type Expected, readExpected, recordings, type Seen } from "../streams/compare.ts";
import { ask, type Collected, replyOf, request, user } from "./ask.ts";

/** A model with the rules of OpenAI's own; its name is in no stream. */
const modelID = "gpt-5.5";

/** Kinds of errors by the recordings' words. */
const kinds: Record<string, ModelErrorKind> = {
  rate_limit: "rate-limit",
  quota: "quota",
  context_length: "context-full",
  invalid_request: "invalid",
  overloaded: "overloaded",
  server: "server",
  unknown: "server",
  truncated: "network",
  invalid_stream: "server",
};

/** A final event, whole. */
const ends = /"type": ?"response\.(completed|incomplete|failed)".*\r?\n\r?\n/;

describe("E3 E4 E5 recorded streams", () => {
  for (const { count, folder, skippedNote } of recordings(path.join(import.meta.dirname, "../.."))) {
    if (!folder) {
      console.log(skippedNote);
      for (let number = 1; number <= count; number++) it.skip(`stream ${number}`, () => {});
      continue;
    }
    const all = readExpected(folder);

    it(`are as many as compare.ts says: ${count}`, () => assert.equal(all.length, count));

    for (const expected of all.filter(({ api }) => api === "openai-responses")) {
      it(`${expected.id}, cut and in pieces`, async () => {
        const bytes = readFileSync(path.join(folder, expected.stream));
        // A cut within or after the line end of the last event is none.
        const isOver = (at: number) => ends.test(bytes.subarray(0, at).toString());
        const places = Array.from({ length: 12 }, (_, step) => Math.floor((bytes.length * step) / 12));
        const server = await startModelServer(({ body }) => {
          const cutAt = Number(body["max_output_tokens"]) - 16;
          return cutAt < places.length ? { bytes, cutAt: places[cutAt] ?? 0, cut: "end" } : { bytes, size: 61 };
        });
        const model = open(expected, server.url);
        for (const [step, at] of places.entries()) {
          const { error, finish } = await ask(model, request({ model: modelID, maxTokens: 16 + step }));
          if (isOver(at)) continue;
          assert.ok(error, `cut at ${at}`);
          assert.equal(finish, undefined);
        }
        const whole = await ask(model, request({ model: modelID, maxTokens: 16 + places.length }));
        await server.stop();
        assert.deepEqual(compare(expected, summary(expected, whole)), []);
      });
    }

    for (const expected of all) {
      it(expected.id, async () => {
        const server = await startModelServer([{ bytes: readFileSync(path.join(folder, expected.stream)) }]);
        const collected = await ask(open(expected, server.url), request({ model: modelID }));
        await server.stop();
        assert.deepEqual(compare(expected, summary(expected, collected)), []);
        if (expected.api === "openai-responses" && expected.error)
          assert.equal(collected.error?.kind, kinds[expected.error.kind]);
        if (expected.api === "openai-responses" && !collected.error)
          assert.deepEqual(compareNext(expected, nextInput(expected, collected)), []);
      });
    }
  }
});

/** Servers that leave out thoughts' ciphers are asked as servers of that kind are: thoughts in plain text go back. */
function family({ id }: Expected) {
  return /^(d4|r8[79]|r88|r9|h2)/.test(id) ? compatibleResponses : openaiResponses;
}

function open(expected: Expected, baseURL: string) {
  const access = { apiKey: "test-key", baseURL };
  if (expected.api === "anthropic-messages") return anthropicModel(access);
  if (expected.api === "openai-chat-completions") return openaiModel(access);
  return responsesModel({ ...access, rules: family(expected) });
}

/** Returns the items that the next request sends back of a reply, whose calls were answered. */
function nextInput(expected: Expected, reply: Collected): Record<string, unknown>[] {
  const entries = [user("Hello"), entryOf(reply), user("And?")];
  const body = new ResponsesEncoder(family(expected)(modelID)).encode(request({ model: modelID, entries }));
  return JSON.parse(Buffer.from(body).toString()).input.slice(2, -1);
}

/** The reply as the loop stores it. */
function entryOf({ events, calls }: Collected): Entry {
  const starts = events.filter((event) => /^(text|reasoning|tool-input)-start$/.test(event.type));
  const bare = starts.flatMap((start): Parameters<typeof replyOf>[1][] => {
    if (!("id" in start)) return [];
    const call = calls.find(({ id }) => id === start.id);
    if (start.type === "tool-input-start" && !call) return [];
    if (call) {
      const input = call.arguments.ok ? call.arguments.input : {};
      const metadata = call.provider ? { provider: call.provider } : {};
      const state = { status: "completed", input, output: "ok", title: "", metadata, start: 1, end: 2 } as const;
      return [{ type: "tool", callID: call.id, tool: call.name, state }];
    }
    const isText = start.type === "text-start";
    const end = events.find((event) => isEnd(event) && event.id === start.id);
    const deltas = events.flatMap((event) => (isDelta(event) && event.id === start.id ? [event.text] : []));
    const { text = deltas.join(""), metadata } = end && isEnd(end) ? end : {};
    const more = { text, ...(metadata && { metadata }) };
    return isText ? [{ type: "text", ...more }] : [{ type: "reasoning", time: { start: 1 }, ...more }];
  });
  return replyOf({ providerID: "openai", modelID }, ...bare);
}

function isEnd(event: ModelEvent): event is Extract<ModelEvent, { type: "text-end" | "reasoning-end" }> {
  return event.type === "text-end" || event.type === "reasoning-end";
}

function isDelta(event: ModelEvent): event is Extract<ModelEvent, { type: "text-delta" | "reasoning-delta" }> {
  return event.type === "text-delta" || event.type === "reasoning-delta";
}

function summary(
  { api }: Expected,
  { text, reasoning, reasons, thoughts, calls, finish, tokens, error }: Collected,
): Seen {
  return {
    error: error?.message,
    text,
    reasoning: api === "openai-responses" ? thoughts.filter(Boolean).join("\n\n") : reasoning,
    redacted: reasons.filter((metadata) => metadata?.["redacted"] !== undefined).length,
    calls: calls.map(({ id, name, arguments: given }) => ({ id, name, input: given.ok ? given.input : undefined })),
    finish,
    usage: tokens,
  };
}
