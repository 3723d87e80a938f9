/** Which model answers in a window: the user's choice, the setting, the environment, or the provider's default. */

import assert from "node:assert/strict";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { Keys } from "../../src/extension/models/keys.ts";
import { Models } from "../../src/extension/models/models.ts";
import { watchSettings } from "../../src/extension/settings.ts";
import { providers } from "../../src/providers/providers.ts";
import { RateLimits } from "../../src/providers/shared/rate-limits.ts";

const variables = ["RONDO_MODEL", "RONDO_TOUR"];
for (const name of ["ANTHROPIC", "OPENAI", "OPENROUTER"]) {
  variables.push(`${name}_API_KEY`, `${name}_BASE_URL`, `${name}_MODEL`);
}

describe("the model of the environment", () => {
  const kept = new Map(variables.map((name) => [name, process.env[name]]));
  let keys: Keys;
  let models: Models;
  let watch: vscode.Disposable;

  before(() => {
    watch = watchSettings(() => models?.reset());
  });
  after(() => watch.dispose());

  beforeEach(async () => {
    for (const name of variables) delete process.env[name];
    process.env["ANTHROPIC_API_KEY"] = "of the environment";
    const onDidChange = new vscode.EventEmitter<vscode.SecretStorageChangeEvent>().event;
    const [get, store, remove, names] = [async () => undefined, async () => {}, async () => {}, async () => []];
    keys = new Keys({ get, store, delete: remove, keys: names, onDidChange });
    await keys.load();
    models = new Models(keys, new RateLimits(path.join(os.tmpdir(), "rondo-limits-unused")), undefined);
  });
  afterEach(async () => {
    for (const name of ["model", "provider"]) await set(name, undefined);
    await models.dispose();
    keys.dispose();
    for (const [name, value] of kept) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  async function set(name: string, value: string | undefined): Promise<void> {
    await vscode.workspace.getConfiguration("rondo").update(name, value, vscode.ConfigurationTarget.Global);
  }
  const named = () => `${models.current?.providerID}/${models.current?.modelID}`;

  it("is taken before the provider's default", () => {
    assert.equal(named(), `anthropic/${providers.anthropic.defaultModel}`);
    process.env["ANTHROPIC_MODEL"] = "claude-of-the-environment";
    assert.equal(named(), "anthropic/claude-of-the-environment");
    process.env["ANTHROPIC_MODEL"] = "";
    assert.equal(named(), `anthropic/${providers.anthropic.defaultModel}`);
  });

  it("is that of the provider that answers, and never another's", async () => {
    process.env["OPENAI_MODEL"] = "gpt-of-the-environment";
    process.env["OPENAI_API_KEY"] = "of the environment";
    assert.equal(named(), `anthropic/${providers.anthropic.defaultModel}`);
    await set("provider", "openai");
    assert.equal(named(), "openai/gpt-of-the-environment");
    process.env["OPENAI_BASE_URL"] = "http://127.0.0.1:9/v1";
    assert.equal(named(), "openai/gpt-of-the-environment", "also at another address");
  });

  it("gives way to RONDO_MODEL, that to the setting, and the setting to the user's choice", async () => {
    process.env["ANTHROPIC_MODEL"] = "claude-of-the-environment";
    process.env["RONDO_MODEL"] = "claude-of-rondo";
    assert.equal(named(), "anthropic/claude-of-rondo");
    await set("model", "claude-of-the-settings");
    assert.equal(named(), "anthropic/claude-of-the-settings");
    models.choose({ providerID: "anthropic", modelID: "claude-that-was-chosen" });
    assert.equal(named(), "anthropic/claude-that-was-chosen");
  });
});
