/** From nothing to a model that answers, for every provider of the catalogue, counted in presses of buttons. */
import assert from "node:assert/strict";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import type { ConnectCheck } from "../../src/chat/connect.ts";
import type { ModelRef } from "../../src/chat/message.ts";
import { ConnectPage } from "../../src/extension/models/connect-page.ts";
import { Keys } from "../../src/extension/models/keys.ts";
import { Models } from "../../src/extension/models/models.ts";
import type { PanelMessage } from "../../src/extension/panel/handlers.ts";
import { watchSettings } from "../../src/extension/settings.ts";
import { tryModel } from "../../src/providers/connect/check-access.ts";
import { type ProviderID, providerIDs } from "../../src/providers/providers.ts";
import { RateLimits } from "../../src/providers/shared/rate-limits.ts";
import { type ModelHost, startOllama } from "../e2e/model-hosts.ts";
import { type Answer, type ModelServer, type ReceivedRequest, startModelServer } from "../model-server.ts";

const mostPresses = 4;

/** `asks`: what the form asks after the key. `name`: a model to type, where the server lists none. */
interface KeyStory {
  key: string;
  presses: number;
  asks?: ("which" | "address")[];
  name?: string;
}

const found = "found on this machine";

/** A provider without a story is a type error. */
const stories: Record<ProviderID, KeyStory | typeof found> = {
  anthropic: { key: "sk-ant-api03-newcomer-0123456789AA", presses: 2 },
  openai: { key: "sk-proj-newcomer-0123456789", presses: 2 },
  openrouter: { key: "sk-or-v1-newcomer-0123456789", presses: 2 },
  gemini: { key: "AIzaNewcomer0123456789", presses: 2 },
  xai: { key: "xai-newcomer-0123456789", presses: 2 },
  groq: { key: "gsk_newcomer0123456789", presses: 2 },
  cerebras: { key: "csk-newcomer0123456789", presses: 2 },
  zai: { key: "0123456789abcdef0123456789abcdef.newcomer1", presses: 2 },
  bedrock: { key: "ABSKnewcomer0123456789", presses: 2, name: "anthropic.claude-sonnet-5-5" },
  "github-models": { key: "github_pat_newcomer0123456789", presses: 2 },
  deepseek: { key: "sk-0123456789abcdef0123456789abcdef", presses: 3, asks: ["which"] },
  moonshot: { key: "sk-moonshot0123456789", presses: 3, asks: ["which"] },
  qwen: { key: "sk-qwen0123456789", presses: 3, asks: ["which"] },
  mistral: { key: "0123456789newcomer0123456789abcd", presses: 3, asks: ["which"] },
  vertex: { key: "ya29.newcomer0123456789", presses: 3, asks: ["address"], name: "gemini-4-argon" },
  azure: {
    ...{ key: "azure0123456789newcomer012345678", presses: 4 },
    ...{ asks: ["which", "address"], name: "my-deployment" },
  },
  ollama: found,
  "lm-studio": found,
  "llama-cpp": found,
  vllm: found,
  jan: found,
};

const paths: Partial<Record<ProviderID, string>> = {
  ...{ anthropic: "", bedrock: "", vertex: "", "github-models": "/inference" },
};

function answer({ path: asked, headers }: ReceivedRequest): Answer {
  const key = String(headers["x-api-key"] ?? headers["api-key"] ?? headers.authorization ?? "").replace(/^Bearer /, "");
  const id = providerIDs.find((one) => asked.startsWith(`/${one}/`));
  const story = id && stories[id];
  if (story === found || story?.key === key) return [{ text: "Hello." }];
  return { status: 401, body: { error: { message: `the key of ${id} is another one` } } };
}

describe("a newcomer", () => {
  let server: ModelServer;
  let ollama: ModelHost;
  let keys: Keys;
  let models: Models;
  let page: ConnectPage;
  let watch: vscode.Disposable;
  let check: ConnectCheck = { type: "none" };
  let chosen: ModelRef | undefined;
  let presses = 0;

  const settings = () => vscode.workspace.getConfiguration("rondo");
  const set = async (name: string, value: unknown) =>
    await settings().update(name, value, vscode.ConfigurationTarget.Global);
  /** No family knows this address by its host, and none takes it for that of a local server. */
  const addressOf = (id: ProviderID) => `${server.url.replace("127.0.0.1", "0.0.0.0")}/${id}${paths[id] ?? "/v1"}`;

  before(async () => {
    server = await startModelServer(answer);
    ollama = await startOllama("Hello.");
    for (const id of providerIDs) server.facts[`/${id}/v1/models`] = { data: [{ id: "the-only-model" }] };
    server.facts["/github-models/catalog/models"] = [{ id: "openai/gpt-5.4", capabilities: ["tool-calling"] }];
    server.facts["/lm-studio/api/v1/models"] = { models: [{ type: "llm", key: "qwen3-8b" }] };
    for (const [id, owned_by] of [
      ["llama-cpp", "llamacpp"],
      ["vllm", "vllm"],
    ]) {
      server.facts[`/${id}/v1/models`] = { data: [{ id: "qwen3-8b", owned_by }] };
    }
    server.facts["/jan/openapi.json"] = { info: { title: "Jan API Server" } };
    watch = watchSettings(() => models?.reset());
    const given = providerIDs.filter((id) => {
      const story = stories[id];
      return story !== found && !story.asks?.includes("address");
    });
    await set("providers", Object.fromEntries(given.map((id) => [id, { baseUrl: addressOf(id) }])));
    const local = providerIDs.filter((id) => stories[id] === found);
    await set("localServers", {
      ...Object.fromEntries(local.map((id) => [id, `${server.url}/${id}/v1`])),
      ollama: `${ollama.url}/v1`,
    });
  });
  after(async () => {
    for (const name of ["providers", "localServers"]) await set(name, undefined);
    watch.dispose();
    await server.stop();
    await ollama.stop();
  });

  beforeEach(async () => {
    const stored = new Map<string, string>();
    keys = new Keys({
      get: async (name) => stored.get(name),
      store: async (name, value) => void stored.set(name, value),
      delete: async (name) => void stored.delete(name),
      keys: async () => [...stored.keys()],
      onDidChange: new vscode.EventEmitter<vscode.SecretStorageChangeEvent>().event,
    });
    await keys.load();
    models = new Models(keys, new RateLimits(path.join(os.tmpdir(), "rondo-limits-unused")), undefined);
    [presses, chosen, check] = [0, undefined, { type: "none" }];
    const send = (message: PanelMessage) => {
      if (message.type === "connect") check = message.view.check;
    };
    const setModel = (ref: ModelRef) => {
      chosen = ref;
    };
    const sources = { keys, models, globalState: { update: async () => {} }, setModel };
    page = new ConnectPage({ send, stateChanged() {} }, sources);
  });
  afterEach(async () => {
    page.dispose();
    await models.dispose();
    keys.dispose();
  });

  const press = async (pressed: Promise<void> | void) => {
    presses += 1;
    await pressed;
  };

  /** Pastes the key, answers what is asked, and starts with the first model. */
  async function connectByKey(id: ProviderID, { key, asks = [], name }: KeyStory): Promise<void> {
    const { handlers } = page;
    await press(handlers["open-key-form"]({ type: "open-key-form", providerID: "" }));
    const ask = (given: string, providerID: string, address = "") =>
      handlers["check-key"]({ type: "check-key", key: given, providerID, address });
    // Checked as it is pasted.
    await ask(key, "");
    for (const asked of asks) {
      assert.equal(check.type, asked);
      await press(ask("", id, asked === "address" ? addressOf(id) : ""));
    }
    assert.equal(check.type, "accepted", JSON.stringify(check));
    const [first] = check.type === "accepted" ? check.models : [];
    const modelID = first?.modelID ?? name ?? assert.fail(`no model of ${id} is offered`);
    await press(handlers["start-with"]({ type: "start-with", modelID }));
  }

  for (const id of providerIDs) {
    const story = stories[id];
    it(`has a model of ${id} that answers${story === found ? " with one press" : ""}`, async () => {
      if (story === found) {
        await models.discover(new AbortController().signal);
        await press(page.handlers["use-found"]({ type: "use-found", providerID: id }));
      } else await connectByKey(id, story);
      const ref = chosen ?? assert.fail("no model was chosen");
      assert.equal(ref.providerID, id);
      const failure = await tryModel(await models.open(ref), ref.modelID, AbortSignal.timeout(10_000));
      assert.equal(failure?.message, undefined);
      assert.equal(presses, story === found ? 1 : story.presses);
      assert.ok(presses <= mostPresses);
    });
  }
});
