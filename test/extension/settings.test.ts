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
    const numbers = Object.entries(properties).filter(([key]) => key.startsWith(prefix));
    /** All numbers at once: VS Code takes its time over each change. */
    const havingAll = async (value: (property: Property) => unknown) => {
      const all = vscode.workspace.getConfiguration();
      for (const [key, property] of numbers) await all.update(key, value(property), vscode.ConfigurationTarget.Global);
      return readSettings();
    };
    const check = ({ limits, problems }: Settings, expected: (property: Property) => unknown, bad: boolean) => {
      const read = new Map<string, unknown>(Object.entries(limits));
      for (const [key, property] of numbers) {
        assert.equal(read.get(key.slice(prefix.length)), expected(property), key);
        const sentence = problems.some((problem) => problem.includes(`The setting ${key} cannot be used`));
        assert.equal(sentence, bad, `${key}: ${problems}`);
      }
    };
    const at = (end: "minimum" | "maximum", by: number) => (property: Property) => (property[end] ?? Number.NaN) + by;
    for (const end of ["minimum", "maximum"] as const) check(await havingAll(at(end, 0)), at(end, 0), false);
    for (const beyond of [at("minimum", -1), at("maximum", 1), () => "many"]) {
      check(await havingAll(beyond), (property) => property.default, true);
    }
    await havingAll(() => undefined);
  }).timeout(60_000);

  it("B1 reads prices: what is not said of the cache costs as much as input", async () => {
    const { prices } = (await having("rondo.prices", { mine: { input: 1, output: 2 } })).limits;
    assert.deepEqual(prices, { mine: { input: 1, output: 2, cacheRead: 1, cacheWrite: 1 } });
    const { limits, problems } = await having("rondo.prices", { mine: { input: -1, output: 2 } });
    assert.deepEqual(limits.prices, {});
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
