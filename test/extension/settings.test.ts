/** What the manifest offers is what is read; what does not fit counts for nothing, and the user is told. */
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { readSettings, type Settings, watchSettings } from "../../src/extension/settings.ts";

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
    properties = extension.packageJSON.contributes.configuration.properties;
  });
  after(() => watch.dispose());

  /** The settings while one of the user's has a value. */
  async function having(key: string, value: unknown): Promise<Settings> {
    const all = vscode.workspace.getConfiguration();
    await all.update(key, value, vscode.ConfigurationTarget.Global);
    const found = readSettings();
    await all.update(key, undefined, vscode.ConfigurationTarget.Global);
    return found;
  }

  it("O reads the default of each number of the loop that the manifest names", () => {
    const { limits, problems } = readSettings();
    assert.deepEqual(problems, []);
    const named = Object.entries(properties).filter(([key]) => key.startsWith(prefix));
    assert.ok(named.length >= 14);
    const read = new Map<string, unknown>(Object.entries(limits));
    for (const [key, { default: value }] of named) assert.equal(read.get(key.slice(prefix.length)), value, key);
    assert.equal(limits.maxTurns, properties["rondo.maxTurns"]?.default);
  });

  it("O leaves out a number beyond its bounds, with a sentence, and takes those at them", async () => {
    for (const [key, { minimum, maximum, default: value }] of Object.entries(properties)) {
      if (!key.startsWith(prefix)) continue;
      assert.ok(minimum !== undefined && maximum !== undefined, `${key} has bounds`);
      const number = key.slice(prefix.length);
      const read = (settings: Settings) => new Map<string, unknown>(Object.entries(settings.limits)).get(number);
      for (const fits of [minimum, maximum]) assert.equal(read(await having(key, fits)), fits, key);
      for (const beyond of [minimum - 1, maximum + 1, "many"]) {
        const settings = await having(key, beyond);
        assert.equal(read(settings), value, `${key}: ${beyond}`);
        assert.match(settings.problems.join(), new RegExp(`The setting ${key.replaceAll(".", "\\.")} cannot be used`));
      }
    }
  }).timeout(120_000);

  it("B1 reads prices: what is not said of the cache costs as much as input", async () => {
    const { prices } = await having("rondo.prices", { mine: { input: 1, output: 2 } });
    assert.deepEqual(prices, { mine: { input: 1, output: 2, cacheRead: 1, cacheWrite: 1 } });
    const { prices: none, problems } = await having("rondo.prices", { mine: { input: -1, output: 2 } });
    assert.deepEqual(none, {});
    assert.equal(problems.length, 1);
  });

  it("lets no workspace set what could send code or a key elsewhere, widen what is allowed, run a command or spend", () => {
    const free = Object.entries(properties).filter(([, { scope }]) => scope !== "machine" && scope !== "application");
    assert.deepEqual(free.map(([key]) => key).sort(), [
      "rondo.agent",
      "rondo.maxTurns",
      "rondo.model",
      "rondo.thinking",
    ]);
    assert.equal(properties["rondo.hooks"]?.scope, "application");
  });
});
