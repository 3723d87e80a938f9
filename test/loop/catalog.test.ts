import assert from "node:assert/strict";
import { mergeDeep } from "../../src/chat/json.ts";
import { costOf, knownModel, knownModels, optionsFor } from "../../src/loop/setup/model-catalog.ts";

const sonnet = { providerID: "anthropic", modelID: "claude-sonnet-4-5" };
const million = { input: 1e6, output: 1e6, reasoning: 0, cacheRead: 1e6, cacheWrite: 1e6 };
const cheap = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 };

describe("model prices", () => {
  it("B1 each kind of token has its own price", () => {
    assert.equal(costOf(sonnet, million), 3 + 15 + 0.3 + 3.75);
    assert.equal(costOf(sonnet, { ...million, output: 0, cacheRead: 0, cacheWrite: 0 }), 3);
  });

  it("B1 an unknown price is never 0, and can be set", () => {
    const mine = { providerID: "openai", modelID: "my-model" };
    assert.equal(costOf(mine, million), undefined);
    assert.equal(costOf({ ...sonnet, providerID: "openai" }, million), undefined);
    assert.equal(costOf({ ...mine, modelID: "toString" }, million, {}), undefined);
    assert.equal(costOf(mine, million, { "my-model": cheap }), 4.1);
    assert.equal(costOf(mine, million, { "openai/my-model": cheap, "my-model": { ...cheap, input: 9 } }), 4.1);
  });

  it("B1 settings override known prices", () => {
    assert.equal(costOf(sonnet, million, { "claude-sonnet-4-5": cheap }), 4.1);
    const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    assert.equal(costOf(sonnet, million, { "claude-sonnet-4-5": free }), 0);
  });

  it("B1 reasoning may have its own price, and may be counted outside the output", () => {
    const tokens = { input: 0, output: 1e6, reasoning: 4e5, cacheRead: 0, cacheWrite: 0 };
    assert.equal(costOf(sonnet, tokens), 15);
    assert.equal(costOf(sonnet, tokens, { "claude-sonnet-4-5": { ...cheap, reasoning: 10 } }), 0.6 * 2 + 0.4 * 10);
    assert.equal(costOf(sonnet, { ...tokens, reasoning: 2e6 }), 45);
  });

  it("dated names are the same models", () => {
    assert.equal(knownModel({ ...sonnet, modelID: "claude-sonnet-4-5-20250929" })?.label, "Claude Sonnet 4.5");
    assert.equal(knownModel({ providerID: "openai", modelID: "gpt-5.4-2026-03-05" })?.label, "GPT-5.4");
    assert.equal(knownModel({ providerID: "openai", modelID: "gpt-5.4-pro" }), undefined);
  });

  it("C1 an input limit leaves space in the window", () => {
    const mini = knownModel({ providerID: "openai", modelID: "gpt-5.4-mini" });
    assert.deepEqual([mini?.inputLimit, mini?.contextWindow], [272_000, 400_000]);
    for (const { inputLimit = 0, contextWindow, maxOutput } of knownModels)
      assert.ok(inputLimit + maxOutput <= contextWindow);
  });
});

describe("model options", () => {
  it("M2 a variant overrides the agent deeply; thinking levels are no options", () => {
    const agent = { output_config: { format: "text", effort: "low" }, top_k: 5 };
    assert.deepEqual(optionsFor(sonnet, "max", agent), { output_config: { format: "text", effort: "max" }, top_k: 5 });
    assert.deepEqual(optionsFor({ ...sonnet, providerID: "openai" }, "xhigh"), { reasoning_effort: "xhigh" });
    for (const variant of [undefined, "", "off", "low", "medium", "high"])
      assert.deepEqual(optionsFor(sonnet, variant), {});
  });

  it("M2 merging replaces lists and plain values, and changes neither input", () => {
    const base = { a: { b: 1, c: [1, 2] }, d: "x", e: { f: 1 } };
    const over = { a: { c: [3] }, d: { g: 1 }, e: null, h: undefined };
    const before = structuredClone([base, over]);
    assert.deepEqual(mergeDeep(base, over), { a: { b: 1, c: [3] }, d: { g: 1 }, e: null });
    assert.deepEqual([base, over], before);
  });

  it("M2 a field cannot change prototypes", () => {
    const { a } = mergeDeep({ a: {} }, JSON.parse('{"__proto__":{"evil":1},"a":{"__proto__":{"evil":1}}}'));
    assert.deepEqual(a, {});
    assert.equal("evil" in Object(a), false);
    assert.equal("evil" in {}, false);
  });
});
