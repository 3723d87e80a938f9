/** A server that leaves out what is beyond its window and says nothing, over the real SDK (spec C2). */
import assert from "node:assert/strict";
import { defaultLimits } from "../../src/loop/limits.ts";
import type { KnownFacts } from "../../src/providers/catalog/model-facts.ts";
import { KnownFacts as Facts } from "../../src/providers/catalog/model-facts.ts";
import { openModel } from "../../src/providers/providers.ts";
import { type ModelServer, type ReceivedRequest, startModelServer } from "../model-server.ts";
import { type Harness, harnesses } from "./harness.ts";

const window = 4096;
const ref = { providerID: "ollama", modelID: "qwen3" };
/** About 1,000 tokens. */
const prose =
  "The committee met on Tuesday to decide whether the old bridge should be repaired or replaced, and after hours of patient discussion they agreed that a new one, built further down the river, would serve the town better. ".repeat(
    19,
  );

/** What Ollama's /v1 reports of a request that it has cut. */
const cuts: Readonly<Record<string, (tokens: number) => number>> = {
  "the size of its window (TradingAgents#168)": () => window,
  "half of its window, which is what it keeps (ollama llm/llama_server.go)": () => window / 2 + 3,
  "a little less, because it drops whole messages (ollama server/prompt.go)": (tokens) => window - 200 + (tokens % 190),
};

describe("C2 Ollama's /v1 cuts silently", () => {
  const open = harnesses();
  let server: ModelServer | undefined;
  afterEach(() => server?.stop());

  const isSummary = ({ body }: ReceivedRequest) =>
    body["tool_choice"] === "none" || /summar/i.test(JSON.stringify(body["messages"]).slice(-1500));
  const tokensOf = ({ raw }: ReceivedRequest) => Math.round(raw.length / 4.2);

  async function start(
    reported: (tokens: number) => number,
  ): Promise<{ h: Harness; facts: KnownFacts; sizes: number[] }> {
    const sizes: number[] = [];
    const started = await startModelServer((request) => {
      const tokens = tokensOf(request);
      sizes.push(tokens);
      const input = tokens > window ? reported(tokens) : tokens;
      return {
        blocks: [{ text: isSummary(request) ? "Goal: a bridge. Done: nothing yet." : prose }],
        usage: { input, output: 5 },
      };
    });
    server = started;
    const facts = new Facts({ limits: () => defaultLimits });
    const model = await openModel("ollama", { apiKey: undefined, baseURL: `${started.url}/v1`, api: "chat" });
    const h = open([], { choices: { model: ref }, tools: [], facts, openModel: async () => model });
    return { h, facts, sizes };
  }

  for (const [name, reported] of Object.entries(cuts)) {
    it(`and reports ${name}`, async () => {
      const { h, facts, sizes } = await start(reported);
      for (let turn = 0; turn < 12 && h.told().length === 0; turn++) {
        assert.equal((await h.turn("Go on.")).reason, "end_turn");
        const scale = facts.tokenScale(ref);
        assert.ok(scale > 0.8 && scale < 1.25, `the estimate was corrected by ${scale} for a reply that was cut`);
      }
      const noticed = sizes.at(-1) ?? 0;
      assert.ok(noticed < 2.5 * window, `noticed only at ${noticed} tokens`);
      const [told = "", ...more] = h.told();
      assert.match(told, /^The server has left out part of the conversation.*OLLAMA_CONTEXT_LENGTH=64000/);
      assert.deepEqual(more, [], "in one sentence");
      const { contextWindow } = facts.of(ref);
      assert.ok(contextWindow <= window && contextWindow >= window / 2, `${contextWindow}`);
      const asked = sizes.length;
      for (let turn = 0; turn < 4; turn++) {
        const { reason, error } = await h.turn("Go on.");
        assert.equal(reason, "end_turn", error?.message);
      }
      assert.deepEqual(h.told().length, 1, "once");
      const later = sizes.slice(asked);
      assert.ok(
        later.every((tokens) => tokens <= window),
        `cut again: ${later}`,
      );
      assert.ok(h.chat.messages.some(({ parts }) => parts[0]?.type === "compaction"));
    });
  }
});
