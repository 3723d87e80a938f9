import assert from "node:assert/strict";
import path from "node:path";
import { build } from "esbuild";
import { mergeDeep } from "../../src/base/json.ts";
import type { ModelRef, Tokens } from "../../src/chat/message.ts";
import { defaultLimits, type Limits } from "../../src/loop/limits.ts";
import { costOf, optionsFor, type Prices } from "../../src/loop/setup/model-facts.ts";
import { catalogModels, currentModels } from "../../src/providers/catalog/catalog.ts";
import { compareVersions, lineOf } from "../../src/providers/catalog/lines.ts";
import { describeUnknown, KnownFacts } from "../../src/providers/catalog/model-facts.ts";
import { renamedOptions } from "../../src/providers/families/messages-rules.ts";
import { providerIDs, providerOf } from "../../src/providers/providers.ts";

const sonnet = { providerID: "anthropic", modelID: "claude-sonnet-4-5" };
const million = { input: 1e6, output: 1e6, reasoning: 0, cacheRead: 1e6, cacheWrite: 1e6 };
const cheap = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 };
const providers = providerIDs.filter((id) => providerOf(id)?.catalog);

function factsWith(more: Partial<Limits>): KnownFacts {
  return new KnownFacts({ limits: () => ({ ...defaultLimits, ...more }) });
}

describe("what models cost", () => {
  const price = (ref: ModelRef, prices: Prices = {}) => factsWith({ prices }).of(ref).price;
  const cost = (ref: ModelRef, tokens: Tokens, prices?: Prices) => costOf(price(ref, prices), tokens);

  it("B1 each kind of token has its price", () => {
    assert.equal(cost(sonnet, million), 3 + 15 + 0.3 + 3.75);
    assert.equal(cost(sonnet, { ...million, output: 0, cacheRead: 0, cacheWrite: 0 }), 3);
  });

  it("B1 what stays in the cache for an hour costs more", () => {
    const written = { ...million, input: 0, output: 0, cacheRead: 0 };
    assert.equal(cost(sonnet, { ...written, cacheWriteHour: 4e5 }), 0.6 * 3.75 + 0.4 * 6);
    const given = { "claude-sonnet-4-5": cheap };
    assert.equal(cost(sonnet, { ...written, cacheWriteHour: 1e6 }, given), 1);
  });

  it("B1 a long request costs its tier's price as a whole, cached tokens included", () => {
    const ref = { providerID: "openai", modelID: "gpt-5.4" };
    const tokens = { input: 272_000, output: 1000, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
    assert.equal(cost(ref, tokens), (272_000 * 2.5 + 1000 * 15) / 1e6);
    assert.equal(cost(ref, { ...tokens, input: 1, cacheRead: 272_000 }), (5 + 272_000 * 0.5 + 1000 * 22.5) / 1e6);
    const haiku = { providerID: "anthropic", modelID: "claude-haiku-5-5" };
    assert.equal(cost(haiku, { ...tokens, input: 100_001 }), (100_001 * 0.5 + 1000 * 2.5) / 1e6);
  });

  it("B1 an unknown price is never 0, and can be set", () => {
    const mine = { providerID: "openai", modelID: "my-model" };
    assert.equal(cost(mine, million), undefined);
    assert.equal(cost({ ...sonnet, providerID: "openai" }, million), undefined);
    assert.equal(cost({ ...mine, modelID: "toString" }, million, {}), undefined);
    assert.equal(cost({ ...mine, providerID: "toString" }, million, {}), undefined);
    assert.equal(cost(mine, million, { "my-model": cheap }), 4.1);
    assert.equal(cost(mine, million, { "openai/my-model": cheap, "my-model": { ...cheap, input: 9 } }), 4.1);
  });

  it("B1 the settings go before what is known", () => {
    assert.equal(cost(sonnet, million, { "claude-sonnet-4-5": cheap }), 4.1);
    const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    assert.equal(cost(sonnet, million, { "claude-sonnet-4-5": free }), 0);
  });

  it("B1 reasoning may have its own price, and may be counted outside the output", () => {
    const tokens = { input: 0, output: 1e6, reasoning: 4e5, cacheRead: 0, cacheWrite: 0 };
    assert.equal(cost(sonnet, tokens), 15);
    assert.equal(cost(sonnet, tokens, { "claude-sonnet-4-5": { ...cheap, reasoning: 10 } }), 0.6 * 2 + 0.4 * 10);
    assert.equal(cost(sonnet, { ...tokens, reasoning: 2e6 }), 45);
  });
});

describe("what is known of models", () => {
  const of = (ref: ModelRef, more: Partial<Limits> = {}) => factsWith(more).of(ref);
  const openai = (modelID: string) => of({ providerID: "openai", modelID });

  it("dated names are the same models", () => {
    assert.equal(of({ ...sonnet, modelID: "claude-sonnet-4-5-20250929" }).label, "Claude Sonnet 4.5");
    assert.deepEqual([openai("gpt-5.4-2026-03-05").label, openai("gpt-5.4-2026-03-05").unknown], ["GPT-5.4", []]);
  });

  it("C1 a request ends where the price doubles, unless the user sets the window", () => {
    const terra = { providerID: "openai", modelID: "gpt-6.1-terra" };
    assert.deepEqual([of(terra).inputLimit, of(terra).contextWindow], [272_000, 1_050_000]);
    assert.equal(of(terra, { forcedWindow: 1_050_000 }).inputLimit, 922_000);
    assert.equal(openai("gpt-6.2-sol").inputLimit, 272_000, "a newer one of the line");
    const { inputLimit } = of({ providerID: "bedrock", modelID: "us.openai.gpt-6.1-terra" });
    assert.equal(inputLimit, 272_000);
  });

  it("M1 names of Bedrock that the catalogue does not have are those of the makers' models", () => {
    const facts = of({ providerID: "openai", modelID: "jp.anthropic.claude-opus-4-6-v1" });
    assert.equal(facts.contextWindow, 1_000_000);
    assert.equal(of({ providerID: "bedrock", modelID: "claude-haiku-5-5" }).contextWindow, 1_000_000);
  });

  it("the SDKs' bundles leave the catalogue to the program that loads them", async () => {
    const { metafile } = await build({
      entryPoints: ["openai.ts", "anthropic/anthropic-model.ts", "ollama/ollama-model.ts"].map((file) =>
        path.resolve(import.meta.dirname, "../../src/providers", file),
      ),
      outdir: "unused",
      format: "esm",
      write: false,
      metafile: true,
      bundle: true,
      platform: "node",
      packages: "external",
    });
    for (const [name, { inputs }] of Object.entries(metafile.outputs)) {
      assert.ok(!Object.keys(inputs).some((file) => /catalog\/catalog(-file)?\.ts$/.test(file)), name);
    }
  });

  it("C1 a limit of input leaves room in the window", () => {
    const mini = openai("gpt-5.4-mini");
    assert.deepEqual([mini.inputLimit, mini.contextWindow], [272_000, 400_000]);
    for (const providerID of providers) {
      for (const modelID of catalogModels(providerID)) {
        const { inputLimit, contextWindow, maxOutput = 0 } = of({ providerID, modelID });
        assert.ok(
          inputLimit <= contextWindow && maxOutput <= contextWindow && maxOutput > 0,
          `${providerID}/${modelID}`,
        );
        if (inputLimit < contextWindow) assert.ok(inputLimit + maxOutput <= contextWindow, `${providerID}/${modelID}`);
      }
    }
  });

  it("a model newer than the catalogue has what its line has, without a price", () => {
    const sol = openai("gpt-6.9-sol");
    const { contextWindow, maxOutput, api, price, unknown } = sol;
    const known = openai("gpt-6.1-sol");
    assert.deepEqual([contextWindow, maxOutput, api], [known.contextWindow, known.maxOutput, "responses"]);
    assert.deepEqual([price, unknown], [undefined, ["window", "price"]]);
    const opus = of({ providerID: "anthropic", modelID: "claude-opus-6" });
    assert.deepEqual([opus.contextWindow, opus.maxOutput], [1_000_000, 128_000]);
    assert.ok(opus.flags.includes("toolChanges"));
    assert.equal(of({ providerID: "anthropic", modelID: "claude-novel-7" }).contextWindow, 1_000_000);
  });

  it("a gateway's name for a known model tells its sizes, not its price", () => {
    const { contextWindow, price } = openai("anthropic/claude-sonnet-5.5");
    assert.deepEqual([contextWindow, price], [1_000_000, undefined]);
    const azure = of({ providerID: "azure", modelID: "gpt-6.1-terra" });
    assert.deepEqual(azure.price, openai("gpt-6.1-terra").price);
    assert.equal(of({ providerID: "azure", modelID: "gpt-4.1" }).label, "GPT-4.1");
  });

  it("nothing is known of a model of one's own, and that is said", () => {
    const mine = openai("my-model");
    assert.deepEqual([mine.contextWindow, mine.inputLimit, mine.maxOutput], [128_000, 128_000, undefined]);
    assert.equal(describeUnknown(mine), "window unknown, 128k assumed; price unknown");
    const told = { windows: { "openai/my-model": 32_000 }, prices: { "my-model": cheap } };
    const known = of({ providerID: "openai", modelID: "my-model" }, told);
    assert.deepEqual([known.contextWindow, describeUnknown(known)], [32_000, ""]);
    assert.equal(of(sonnet, { ...told, forcedWindow: 16_000 }).contextWindow, 16_000);
  });

  it("a provider that serves models of another one names it", () => {
    const named = providerIDs.map((id) => providerOf(id)?.alsoServes).filter((id) => id !== undefined);
    assert.deepEqual(named, ["openai", "anthropic"]);
    for (const id of named) assert.ok(catalogModels(id).length > 0, id);
  });

  it("the menu has the newest of each line, once", () => {
    const shown = currentModels("anthropic");
    assert.ok(shown.includes("claude-sonnet-5-5") && shown.includes("claude-haiku-4-5"));
    assert.ok(!shown.includes("claude-haiku-4-5-20251001") && !shown.includes("claude-sonnet-4-5"));
    for (const providerID of providers) {
      const standard = providerOf(providerID)?.defaultModel;
      if (standard !== undefined) assert.ok(currentModels(providerID).includes(standard), providerID);
    }
  });

  it("lines of models", () => {
    for (const [id, line] of [
      ["claude-sonnet-4-5-20250929", "claude-sonnet-*"],
      ["gpt-5.6-terra", "gpt-*-terra"],
      ["gpt-5.4-2026-03-05", "gpt-*"],
      ["kimi-k3.1-pro", "kimi-k*-pro"],
      ["global.anthropic.claude-opus-4-5-20251101-v1:0", "global.anthropic.claude-opus-*"],
      ["mistral-large-2512", "mistral-large"],
    ] as const)
      assert.equal(lineOf(id), line);
    assert.ok(compareVersions("claude-sonnet-5-5", "claude-sonnet-5") > 0);
    assert.ok(compareVersions("claude-sonnet-4-5-20250929", "claude-sonnet-4-6") < 0);
    assert.ok(compareVersions("gpt-5.10", "gpt-5.9") > 0);
    assert.equal(compareVersions("mistral-large-4", "mistral-large-4-0-8"), 0);
  });
});

describe("model options", () => {
  it("M2 a variant overrides the agent deeply; thinking levels are no options", () => {
    const agent = { output_config: { format: "text", effort: "low" }, top_k: 5 };
    const options = optionsFor("max", agent);
    assert.deepEqual(options, { ...agent, reasoning_effort: "max" });
    assert.deepEqual(renamedOptions(options), { output_config: { format: "text", effort: "max" }, top_k: 5 });
    assert.deepEqual(renamedOptions(agent), agent);
    for (const variant of [undefined, "", "off", "low", "medium", "high"]) assert.deepEqual(optionsFor(variant), {});
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
