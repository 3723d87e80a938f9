import assert from "node:assert/strict";
import * as z from "zod/mini";
import type { Entry } from "../../src/chat/apply.ts";
import type { Tokens } from "../../src/chat/message.ts";
import { estimateContext, overflowLimit, visibleEntries } from "../../src/loop/context/context.ts";
import { defaultLimits } from "../../src/loop/limits.ts";
import { newSession } from "../../src/loop/session/session.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { assistant, call, user } from "../wire/ask.ts";
import { bareConfig } from "./bare.ts";
import { type Harness, harnesses } from "./harness.ts";

/** The same reply with usage from its server. */
function counted({ info, parts }: Entry, tokens: Partial<Tokens>): Entry {
  if (info.role !== "assistant") assert.fail();
  return { info: { ...info, finish: "stop", tokens: { ...info.tokens, ...tokens } }, parts };
}

describe("the size of a request", () => {
  it("C1 compaction starts at 85 % of the window, or where the reserve for the reply begins", () => {
    const at = (window: number, more = {}, limits = {}) =>
      overflowLimit(bareConfig(window, more), { ...defaultLimits, ...limits });
    assert.equal(at(128_000), 108_800);
    assert.equal(at(20_000), 16_000, "4,000 are kept free");
    assert.equal(at(8_000), 6_000, "of a small window a quarter is");
    assert.equal(at(128_000, {}, { compactAt: 0.8 }), 102_400, "the share is a setting");
    assert.equal(at(128_000, {}, { reserveFloorTokens: 30_000 }), 98_000);
    assert.equal(at(400_000, { inputLimit: 272_000 }), 268_000, "a limit of input alone counts, too");
  });

  it("C1 tokens read from and written to the cache count", () => {
    const reply = counted(assistant({ type: "text", text: "x" }), {
      input: 10,
      cacheRead: 1000,
      cacheWrite: 200,
      output: 30,
      reasoning: 20,
    });
    // Reasoning is part of the output.
    assert.equal(estimateContext([user("Hi"), reply], bareConfig(1e6)), 1240);
  });

  it("C2 everything since the last count is estimated, including results of its calls", () => {
    const reply = counted(assistant(call("read", { file_path: "a" }, "x".repeat(3500))), { input: 5000, output: 50 });
    const size = estimateContext([user("Hi"), reply, user("y".repeat(350))], bareConfig(1e6));
    assert.ok(size >= 5050 + 1000 + 100 && size < 5050 + 1000 + 100 + 50, String(size));
  });

  it("C2 without a count everything is estimated: system prompt, tools, history", () => {
    const definitions = [{ name: "t", description: "d".repeat(3500), schema: { type: "object" } }];
    const config = bareConfig(1e6, { system: "s".repeat(7000), definitions });
    const size = estimateContext([user("x".repeat(3500)), assistant({ type: "text", text: "y".repeat(3500) })], config);
    assert.ok(size >= 5000 && size < 5100, String(size));
  });

  it("C2 a word of English is at least one token", () => {
    const size = estimateContext([user("word ".repeat(8000))], bareConfig(1e6));
    assert.ok(size >= 8000 && size < 10_000, String(size));
  });
});

describe("C6 pruning", () => {
  const open = harnesses();

  /** Answers with about 8,500 tokens, the maximum for an output. */
  const big = defineTool({
    name: "big",
    sideEffect: "none",
    description: "A test.",
    input: z.object({ n: z.number() }),
    prepare: async ({ n }) => ({
      title: `Big ${n}`,
      preview: { type: "text", text: "" },
      requires: [],
      writes: [],
      run: async () => ({ output: `${n} `.padEnd(29_900, "x"), metadata: {} }),
    }),
  });
  const outputs = (h: Harness, request: number) =>
    (h.model.requests[request]?.entries ?? []).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool" && part.state.status === "completed" ? [part.state.output] : [])),
    );

  async function run(replies: number): Promise<Harness> {
    const h = open(
      (_, index) =>
        index < replies
          ? [
              { thinking: `Thought ${index}.`, signature: "c2ln" },
              { call: "big", input: { n: index } },
            ]
          : ["Done."],
      { tools: [...coreTools, big] },
    );
    await h.turn();
    return h;
  }

  it("C6 after a turn, outputs beyond the newest 40,000 tokens are removed from requests, not from the record", async () => {
    const h = await run(9);
    await h.turn("Go on.");
    const shown = outputs(h, 10);
    assert.equal(shown.length, 9);
    const kept = shown.filter((output) => output.length > 1000);
    assert.ok(kept.length === 5 && kept[0]?.startsWith("4 "), "the newest 5 are 42,500 tokens");
    for (const output of shown.slice(0, 4)) assert.match(output, /left out.*again/);
    assert.ok(h.calls.every(({ state }) => state.status === "completed" && state.output.length > 29_000));
    assert.equal(h.model.requests[9]?.unboundEntries, 0);
    const { entries = [], unboundEntries } = h.model.requests[10] ?? {};
    assert.equal(unboundEntries, entries.length - 1, "thoughts that are bound to the outputs leave with them");
    h.checkRecord();
  });

  it("C6 C7 pruning happens when it frees 20,000 tokens, and not again before that", async () => {
    const little = await run(6);
    assert.equal(little.chat.pruned, undefined, "of 51,000 tokens too little could go");
    const h = await run(9);
    const first = structuredClone(h.chat.pruned);
    assert.ok(first);
    await h.turn("Go on.");
    await h.turn("Go on.");
    assert.deepEqual(h.chat.pruned, first);
    const [one, two] = h.model.requests.slice(-2);
    assert.deepEqual(two?.entries.slice(0, one?.entries.length), one?.entries, "the prefix holds");
  });
});

describe("the effective history", () => {
  it("L2 is the whole chat before any compaction", () => {
    const chat = newSession("/");
    chat.messages = [user("a"), assistant({ type: "text", text: "b" }), user("c")];
    assert.deepEqual(visibleEntries(chat), chat.messages);
  });

  it("L2 starts at the newest finished compaction; an unfinished one is ignored", () => {
    const summary = (text: string, finish: "stop" | "interrupted") => {
      const { info, parts } = assistant({ type: "text", text });
      return { info: { ...info, summary: true, finish }, parts } as Entry;
    };
    const asked = () => user({ type: "compaction", auto: true });
    const chat = newSession("/");
    const [one, two, three] = [summary("1", "stop"), summary("2", "stop"), summary("3", "interrupted")];
    const [first, second] = [asked(), asked()];
    const later = user("later");
    chat.messages = [user("a"), assistant({ type: "text", text: "b" }), first, one];
    chat.messages.push(assistant({ type: "text", text: "c" }), second, two, later, asked(), three);
    assert.deepEqual(visibleEntries(chat), [second, two, later]);
  });
});
