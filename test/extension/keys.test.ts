/** Where keys come from. VS Code gives its secret storage to an activated extension only, so this one is a map. */
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Keys } from "../../src/extension/models/keys.ts";

class Storage implements vscode.SecretStorage {
  readonly secrets = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.SecretStorageChangeEvent>();
  readonly onDidChange = this.#changed.event;
  broken = false;

  async keys(): Promise<string[]> {
    return [...this.secrets.keys()];
  }

  async get(key: string): Promise<string | undefined> {
    if (this.broken) throw new Error("the keyring is locked");
    return this.secrets.get(key);
  }

  async store(key: string, value: string): Promise<void> {
    this.secrets.set(key, value);
    this.#changed.fire({ key });
  }

  async delete(key: string): Promise<void> {
    this.secrets.delete(key);
    this.#changed.fire({ key });
  }
}

describe("keys", () => {
  const kept = process.env["OPENAI_API_KEY"];
  let storage: Storage;
  let keys: Keys;

  beforeEach(async () => {
    process.env["OPENAI_API_KEY"] = "of the environment";
    storage = new Storage();
    keys = new Keys(storage);
    await keys.load();
  });
  afterEach(() => {
    keys.dispose();
    if (kept === undefined) delete process.env["OPENAI_API_KEY"];
    else process.env["OPENAI_API_KEY"] = kept;
  });

  const key = () => keys.keyOf("openai")?.key;

  it("prefers a stored key to the environment's, which is used again when the stored one is deleted", async () => {
    assert.equal(key(), "of the environment");
    await keys.set("openai", "stored");
    assert.equal(key(), "stored");
    assert.deepEqual([...storage.secrets], [["rondo.key.openai", "stored"]]);
    await keys.set("openai", "");
    assert.equal(storage.secrets.size, 0);
    assert.equal(key(), "of the environment");
  });

  it("stores the environment's key, which is then used whatever the environment says", async () => {
    assert.equal(await keys.storeFromEnvironment("openai"), true);
    process.env["OPENAI_API_KEY"] = "another";
    assert.deepEqual(keys.keyOf("openai"), { key: "of the environment", from: "storage" });
    assert.equal(await keys.storeFromEnvironment("openai"), false);
    assert.equal(await keys.storeFromEnvironment("my-gateway"), false);
    assert.deepEqual([...storage.secrets], [["rondo.key.openai", "of the environment"]]);
  });

  it("notices a key that another window stores", async () => {
    const heard = new Promise<void>((resolve) => keys.onDidChange(resolve));
    await storage.store("rondo.key.openai", "of another window");
    await heard;
    assert.equal(key(), "of another window");
  });

  it("falls back to the environment when the storage cannot be read", async () => {
    storage.broken = true;
    await keys.load();
    assert.equal(key(), "of the environment");
  });

  it("says where a key is from, also of providers that only the settings name", async () => {
    assert.equal(keys.keyOf("openai")?.from, "environment");
    await keys.set("openai", "stored");
    assert.equal(keys.keyOf("openai")?.from, "storage");
    assert.equal(keys.keyOf("my-gateway"), undefined);
    await keys.set("my-gateway", "own");
    assert.deepEqual(keys.keyOf("my-gateway"), { key: "own", from: "storage" });
  });

  it("reads no secrets but those that are there", async () => {
    const read: string[] = [];
    const get = storage.get.bind(storage);
    storage.get = (name) => {
      read.push(name);
      return get(name);
    };
    storage.secrets.set("rondo.key.groq", "k").set("rondo.mcp.other", "x");
    await keys.load();
    assert.deepEqual(read, ["rondo.key.groq"]);
  });
});
