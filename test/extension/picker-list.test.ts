/** The list of the panel's model picker, from real servers: who is asked, what is known meanwhile, and who fails. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import type { PickerGroup, PickerList } from "../../src/chat/model-list.ts";
import { Keys } from "../../src/extension/models/keys.ts";
import { Models } from "../../src/extension/models/models.ts";
import { pickerList } from "../../src/extension/models/picker-list.ts";
import { watchSettings } from "../../src/extension/settings.ts";
import { RateLimits } from "../../src/providers/shared/rate-limits.ts";

const names = ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "RONDO_MODEL", "RONDO_TOUR", "XAI_API_KEY"];

/** A server whose answer to each path can be changed while it runs. */
class Host {
  readonly answers = new Map<string, unknown>();
  readonly asked: string[] = [];
  #server: Server | undefined;
  #port = 0;

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      this.asked.push(request.url ?? "");
      const body = this.answers.get(request.url ?? "");
      response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(body ?? {}));
    });
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    this.#port = typeof address === "object" && address ? address.port : 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((done) => this.#server?.close(done));
  }
}

describe("the list of the model picker", () => {
  const kept = new Map(names.map((name) => [name, process.env[name]]));
  const host = new Host();
  const local = new Host();
  let keys: Keys;
  let models: Models;
  let watch: vscode.Disposable;

  before(async () => {
    // Before the first setting is changed: tests that ran before may have read the settings.
    watch = watchSettings(() => models?.reset());
    for (const name of names) delete process.env[name];
    process.env["ANTHROPIC_API_KEY"] = "of the environment";
    await host.start();
    await local.start();
    process.env["ANTHROPIC_BASE_URL"] = host.url;
    const onDidChange = new vscode.EventEmitter<vscode.SecretStorageChangeEvent>().event;
    const [get, store, remove, all] = [async () => undefined, async () => {}, async () => {}, async () => []];
    keys = new Keys({ get, store, delete: remove, keys: all, onDidChange });
    await keys.load();
    await set("localServers", { ollama: local.url, "lm-studio": "", "llama-cpp": "", vllm: "", jan: "" });
    await set("providers", { "my-gateway": { name: "My gateway", baseUrl: `${host.url}/v1` } });
    models = new Models(keys, new RateLimits(path.join(os.tmpdir(), "rondo-limits-unused")), undefined);
  });
  after(async () => {
    watch.dispose();
    await models.dispose();
    keys.dispose();
    for (const name of ["localServers", "providers"]) await set(name, undefined);
    await host.stop();
    await local.stop();
    for (const [name, value] of kept) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  async function set(name: string, value: unknown): Promise<void> {
    await vscode.workspace.getConfiguration("rondo").update(name, value, vscode.ConfigurationTarget.Global);
  }
  const list = (): PickerList => pickerList(models, models.current, "default");
  const group = (id: string): PickerGroup => list().groups.find((one) => one.id === id) ?? assert.fail(`no ${id}`);
  const { signal } = new AbortController();

  it("has what is known before anything is asked, and asks nothing", () => {
    const [first] = list().groups;
    assert.equal(first?.id, "anthropic");
    assert.deepEqual(first?.state, { type: "listed" });
    assert.deepEqual(group("my-gateway").models, []);
    assert.deepEqual([host.asked, local.asked], [[], []]);
    const xai = list().unconnected.find(({ id }) => id === "xai");
    assert.deepEqual([xai?.name, xai?.needs], ["xAI (Grok)", { type: "key" }]);
    assert.ok(xai?.models.some((name) => name.startsWith("Grok")));
    assert.deepEqual(
      list().unconnected.filter(({ needs }) => needs.type === "address"),
      [{ id: "ollama", name: "Ollama", models: [], needs: { type: "address", usual: `${local.url}/v1` } }],
    );
  });

  it("says who is being asked, then what each lists: window, price, free, and what is not known", async () => {
    host.answers.set("/v1/models", {
      data: [
        { id: "big", name: "Big", context_length: 1_000_000, pricing: { prompt: "0.000002", completion: "0.00001" } },
        { id: "gratis", context_length: 64_000, pricing: { prompt: "0", completion: "0" } },
        { id: "plain" },
        { id: "trick", name: "Claude\u202eedualC" },
        { id: "plain" },
      ],
    });
    local.answers.set("/api/version", { version: "0.30.1" });
    local.answers.set("/api/tags", { models: [{ name: "qwen3:8b" }] });
    local.answers.set("/api/ps", { models: [{ name: "qwen3:8b", model: "qwen3:8b", context_length: 32_768 }] });
    let changes = 0;
    const asked = models.ask(signal, () => (changes += 1));
    assert.deepEqual(group("my-gateway").state, { type: "asking" });
    await asked;
    assert.ok(changes > 1);
    assert.deepEqual(group("my-gateway"), {
      ...{ id: "my-gateway", providerID: "my-gateway", name: "My gateway", kind: "provider" },
      state: { type: "listed" },
      models: [
        { modelID: "big", label: "Big", window: 1_000_000, cost: { type: "usd", input: 2, output: 10 } },
        { modelID: "gratis", label: "gratis", window: 64_000, cost: { type: "free" } },
        { modelID: "plain", label: "plain", window: undefined, cost: { type: "unknown" } },
        { modelID: "trick", label: "trick", window: undefined, cost: { type: "unknown" } },
      ],
    });
    assert.deepEqual(group("ollama").models, [
      { modelID: "qwen3:8b", label: "qwen3:8b", window: 32_768, cost: { type: "free" } },
    ]);
    assert.equal(group("ollama").kind, "found");
    assert.equal(list().groups.at(-1)?.id, "ollama");
    assert.ok(!list().unconnected.some(({ id }) => id === "ollama"));
  });

  it("asks a server that does not answer again when the user wants it, and that one alone", async () => {
    models.reset();
    await host.stop();
    await models.ask(signal, () => {});
    const failed = { type: "failed", problem: "My gateway does not answer", remedy: "ask-again" };
    assert.deepEqual(group("my-gateway").state, failed);
    await host.start();
    const before = [host.asked.length, local.asked.length];
    const again = models.askAgain("my-gateway", signal);
    assert.deepEqual(group("my-gateway").state, { type: "asking" });
    await again;
    assert.deepEqual(group("my-gateway").state, { type: "listed" });
    assert.equal(group("my-gateway").models[0]?.modelID, "big");
    assert.deepEqual([host.asked.length, local.asked.length], [(before[0] ?? 0) + 1, before[1]]);
  });

  it("keeps the chosen model where its server does not list it, or does not answer", async () => {
    const chosen = { providerID: "ollama", modelID: "gone:7b" };
    models.choose(chosen);
    await local.stop();
    await models.askAgain("ollama", signal);
    const shown = pickerList(models, chosen, "default").groups.find(({ id }) => id === "ollama");
    assert.deepEqual(
      shown?.models.map(({ modelID }) => modelID),
      ["gone:7b"],
    );
    assert.deepEqual(
      [shown?.kind, shown?.state],
      ["provider", { type: "failed", problem: "Ollama does not answer", remedy: "ask-again" }],
    );
    await local.start();
    await models.askAgain("ollama", signal);
    const found = pickerList(models, chosen, "default").groups.find(({ id }) => id === "ollama");
    assert.deepEqual(
      found?.models.map(({ modelID }) => modelID),
      ["gone:7b", "qwen3:8b"],
    );
  });

  it("knows which levels of thinking a model takes", () => {
    const levels = (modelID: string) => pickerList(models, { providerID: "anthropic", modelID }, "high").thinking;
    assert.deepEqual(levels("claude-opus-4-7"), { level: "high", levels: ["default", "off", "low", "medium", "high"] });
    assert.deepEqual(levels("claude-fable-5").levels, ["default", "low", "medium", "high"]);
    assert.deepEqual(pickerList(models, { providerID: "my-gateway", modelID: "plain" }, "high").thinking.levels, []);
    assert.deepEqual(pickerList(models, { providerID: "vscode", modelID: "copilot/gpt" }, "high").thinking.levels, []);
  });
});
