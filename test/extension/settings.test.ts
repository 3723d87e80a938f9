/** Settings as VS Code has them: the manifest's values are read, invalid ones are replaced and reported. */
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { loopSettings } from "../../src/base/settings.ts";
import { readSettings, type Settings, watchSettings } from "../../src/extension/settings.ts";
import { extensionLimits } from "../../src/loop/limits.ts";
import { usualAddresses } from "../../src/providers/local-servers/discover.ts";

interface Property {
  default: unknown;
  scope: string;
  minimum?: number;
  maximum?: number;
}

const prefix = "rondo.loop.";

describe("settings", () => {
  let properties: Record<string, Property>;
  let watch: vscode.Disposable;

  before(() => {
    watch = watchSettings(() => {});
    const extension = vscode.extensions.getExtension("rondo.rondo");
    assert.ok(extension);
    const groups: { properties: Record<string, Property> }[] = extension.packageJSON.contributes.configuration;
    properties = Object.assign({}, ...groups.map((group) => group.properties));
  });
  after(() => watch.dispose());

  /** Sets the user's settings; VS Code applies each change after a delay. */
  async function set(values: Record<string, unknown>): Promise<Settings> {
    const all = vscode.workspace.getConfiguration();
    const updates = Object.entries(values).map(([key, value]) =>
      all.update(key, value, vscode.ConfigurationTarget.Global),
    );
    await Promise.all(updates);
    return readSettings();
  }

  /** Returns the settings while the user has set these. */
  async function having(values: Record<string, unknown>): Promise<Settings> {
    const found = await set(values);
    await set(Object.fromEntries(Object.keys(values).map((key) => [key, undefined])));
    return found;
  }

  it("O reads the default of each loop setting in the manifest", () => {
    const { limits, problems } = readSettings();
    assert.deepEqual(problems, []);
    assert.deepEqual(limits, extensionLimits);
    const named = Object.keys(properties).filter((key) => key.startsWith(prefix));
    assert.ok(named.length >= 14);
    for (const { name, limit, factor } of loopSettings) {
      assert.equal(limits[limit], Number(properties[prefix + name]?.default) * factor, name);
    }
    assert.equal(limits.maxTurns, properties["rondo.maxTurns"]?.default);
  });

  for (const names of ["new", "old"] as const) {
    it(`O rejects a number beyond its limits with a message, and accepts the limits themselves: ${names} names`, async () => {
      const numbers = loopSettings.flatMap(({ name, oldName, limit, factor }) => {
        const key = prefix + (names === "new" ? name : oldName);
        const property = properties[key];
        return property ? [{ key, property, limit, factor: names === "new" ? factor : 1 }] : [];
      });
      assert.equal(numbers.length, names === "new" ? 15 : 7);
      type Choose = (property: Property) => unknown;
      const setAll = (choose: Choose) =>
        set(Object.fromEntries(numbers.map(({ key, property }) => [key, choose(property)])));
      const at = (end: "minimum" | "maximum", by: number) => (property: Property) => (property[end] ?? Number.NaN) + by;
      for (const end of ["minimum", "maximum"] as const) {
        const { limits, problems } = await setAll(at(end, 0));
        assert.deepEqual(problems, []);
        for (const { key, property, limit, factor } of numbers) {
          assert.equal(limits[limit], at(end, 0)(property) * factor, key);
        }
      }
      for (const beyond of [at("minimum", -1), at("maximum", 1), () => "many"]) {
        const { limits, problems } = await setAll(beyond);
        for (const { key, limit } of numbers) {
          assert.equal(limits[limit], extensionLimits[limit], key);
          const sentence = problems.some((problem) => problem.includes(`The setting ${key} cannot be used`));
          assert.ok(sentence, `${key}: ${problems}`);
        }
      }
      await setAll(() => undefined);
    }).timeout(60_000);
  }

  it("O converts times in seconds to milliseconds for the loop", async () => {
    const { limits } = await having({ "rondo.loop.stallNoticeSeconds": 0.3, "rondo.loop.queueTimeoutSeconds": 1.1 });
    assert.equal(limits.stallNoticeMs, 300);
    assert.equal(limits.queueTimeoutMs, 1100);
  });

  it("O reads a time under its old name, in milliseconds, until the new one is set, even to its default", async () => {
    const old = { "rondo.loop.stallTimeout": 90_000 };
    assert.equal((await having(old)).limits.stallTimeoutMs, 90_000);
    assert.equal((await having({ ...old, "rondo.loop.stallTimeoutSeconds": 45 })).limits.stallTimeoutMs, 45_000);
    assert.equal((await having({ ...old, "rondo.loop.stallTimeoutSeconds": 180 })).limits.stallTimeoutMs, 180_000);
  });

  it("treats an empty setting as unset", async () => {
    const { agent, baseURL, limits, problems } = await having({
      "rondo.agent": "",
      "rondo.baseUrl": "",
      "rondo.maxTurns": null,
      "rondo.maxBudgetUsd": null,
    });
    assert.deepEqual(problems, []);
    assert.equal(agent, properties["rondo.agent"]?.default);
    assert.equal(baseURL, undefined);
    assert.equal(limits.maxTurns, properties["rondo.maxTurns"]?.default);
    assert.equal(limits.maxBudgetUsd, undefined);
  });

  it("L1 B2 limits of turns and budgets take 0, for none, and nothing negative", async () => {
    const names = ["maxTurns", "maxBudgetUsd", "maxDailyBudgetUsd", "maxBudgetTokens"] as const;
    const all = (value: number) => having(Object.fromEntries(names.map((name) => [`rondo.${name}`, value])));
    const none = await all(0);
    assert.deepEqual([none.problems, names.map((name) => none.limits[name])], [[], [0, 0, 0, 0]]);
    const { limits, problems } = await all(-1);
    assert.deepEqual(
      names.map((name) => limits[name]),
      [100, undefined, undefined, undefined],
    );
    for (const name of names) assert.ok(problems.some((problem) => problem.includes(`rondo.${name} cannot be used`)));
  });

  it("B1 reads prices: cache tokens without a price cost as much as input", async () => {
    const { prices } = (await having({ "rondo.prices": { mine: { input: 1, output: 2 } } })).limits;
    assert.deepEqual(prices, { mine: { input: 1, output: 2, cacheRead: 1, cacheWrite: 1 } });
    const { limits, problems } = await having({ "rondo.prices": { mine: { input: -1, output: 2 } } });
    assert.deepEqual(limits.prices, {});
    assert.equal(problems.length, 1);
  });

  it("reads settings of named providers and providers of the user's own, and says what is wrong with an entry", async () => {
    const { providers, provider, problems } = await having({
      "rondo.provider": "my-gateway",
      "rondo.providers": {
        "my-gateway": { name: "My gateway", baseUrl: "https://models.example/v1", api: "messages", models: ["a", "b"] },
        azure: { baseUrl: "https://mine.openai.azure.com/openai/v1", models: { "my-deployment": "gpt-5.4" } },
        groq: { baseUrl: "ftp://models.example" },
        gateway2: { name: "No address" },
        vscode: { baseUrl: "https://models.example/v1" },
        "my/gateway": { baseUrl: "https://models.example/v1" },
        xai: { url: "https://models.example/v1" },
        zai: "https://models.example/v1",
        qwen: { api: "soap" },
      },
    });
    assert.equal(provider, "my-gateway");
    assert.deepEqual(providers, {
      "my-gateway": {
        name: "My gateway",
        baseURL: "https://models.example/v1",
        api: "messages",
        models: ["a", "b"],
        standFor: {},
      },
      azure: {
        ...{ name: undefined, baseURL: "https://mine.openai.azure.com/openai/v1", api: undefined },
        ...{ models: ["my-deployment"], standFor: { "my-deployment": "gpt-5.4" } },
      },
    });
    const cannot = (id: string, why: string) => `The setting rondo.providers cannot be used for "${id}": ${why}.`;
    assert.deepEqual(problems, [
      cannot("groq", "baseUrl must be an http or https address"),
      cannot("gateway2", "a provider of your own needs baseUrl, its address"),
      cannot("vscode", "this ID stands for VS Code's language models"),
      cannot("my/gateway", "an ID has small letters, digits, dots and hyphens"),
      cannot("xai", "url is not known"),
      cannot("zai", "it must be an object with baseUrl, name, api or models"),
      cannot("qwen", "api must be one of auto, chat, responses, messages"),
    ]);
    const list = await having({ "rondo.providers": ["https://models.example/v1"] });
    assert.deepEqual([list.providers, list.problems.length], [{}, 1]);
  });

  it("has the usual addresses of local servers, which one's own replace and an empty one disables", async () => {
    assert.deepEqual(properties["rondo.localServers"]?.default, usualAddresses);
    assert.deepEqual(readSettings().localServers, usualAddresses);
    const { localServers, problems } = await having({
      "rondo.localServers": { ollama: "http://box:1234", vllm: "", jan: "jan", other: "http://localhost:1" },
    });
    assert.deepEqual(localServers, { ...usualAddresses, ollama: "http://box:1234/v1", vllm: "" });
    assert.deepEqual(problems, [
      'The setting rondo.localServers cannot be used for "jan": it must be an http or https address, or empty.',
      'The setting rondo.localServers cannot be used for "other": the servers are ollama, lm-studio, llama-cpp, vllm, jan.',
    ]);
  });

  it("lets no workspace set what could send code or a key elsewhere, widen permissions, run a command or spend money", () => {
    const free = Object.entries(properties).filter(([, { scope }]) => scope !== "machine" && scope !== "application");
    assert.deepEqual(free.map(([key]) => key).sort(), [
      "rondo.agent",
      "rondo.follow",
      "rondo.maxTurns",
      "rondo.model",
      "rondo.thinking",
    ]);
    assert.equal(properties["rondo.hooks"]?.scope, "application");
  });
});
