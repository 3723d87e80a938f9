import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Keys } from "../../src/extension/models/keys.ts";
import { Models } from "../../src/extension/models/models.ts";
import { vscodeModel } from "../../src/extension/models/vscode-model.ts";
import { VSCodeModels } from "../../src/extension/models/vscode-models.ts";
import { type Harness, harnesses, until } from "../loop/harness.ts";
import type { Fake } from "./lm-extension/main.js";

const ref = { providerID: "vscode", modelID: "rondo-test/scripted" };
const text = (words: string) => new vscode.LanguageModelTextPart(words);
const call = (id: string, name: string, input: object) => new vscode.LanguageModelToolCallPart(id, name, input);

/** Returns the request's text for the model, one line per part. */
function told(request: Fake["requests"][number] | undefined): string[] {
  return (request?.messages ?? []).flatMap(({ role, content }) => {
    const who = role === vscode.LanguageModelChatMessageRole.User ? "user" : "assistant";
    return content.map((part) => {
      if (part instanceof vscode.LanguageModelTextPart) return `${who}: ${part.value}`;
      if (part instanceof vscode.LanguageModelToolCallPart) return `${who}: call ${part.callId} ${part.name}`;
      if (!(part instanceof vscode.LanguageModelToolResultPart)) return `${who}: ?`;
      const words = part.content.map((one) => (one instanceof vscode.LanguageModelTextPart ? one.value : "?"));
      return `${who}: result ${part.callId} ${words.join("").trim()}`;
    });
  });
}

describe("VS Code models", () => {
  let fake: Fake;
  const make = harnesses();
  const chat = (files: Record<string, string> = {}): Harness =>
    make([], { files, openModel: async () => vscodeModel(), choices: { model: ref }, limits: { maxRetries: 1 } });

  before(async () => {
    const extension = vscode.extensions.getExtension<Fake>("rondo-test.lm-extension");
    assert.ok(extension, "the tests' own extension is not there");
    fake = await extension.activate();
  });

  beforeEach(() => {
    fake.answers.splice(0);
    fake.requests.splice(0);
  });

  it("a whole turn: reads, asks before it edits, and answers", async () => {
    const session = chat({ "cart.ts": "const total = 1;\n" });
    fake.answers.push(
      async (_, say) => {
        say(text("I look "));
        say(text("at it."));
        say(call("c1", "read", { file_path: "cart.ts" }));
      },
      async (_, say) => say(call("c2", "edit", { file_path: "cart.ts", old_string: "1", new_string: "2" })),
      async (_, say) => say(text("Done.")),
    );
    const ended = session.turn("Make it 2.");
    const asked = await session.answerNext({ kind: "permission", type: "once" });
    assert.equal(asked.title, "Edit cart.ts?");
    assert.deepEqual(await ended, { reason: "end_turn", error: undefined });
    assert.equal(session.read("cart.ts"), "const total = 2;\n");
    assert.equal(session.text(), "Done.");
    assert.equal(fake.requests.length, 3);
    const [system = "", ...said] = told(fake.requests[2]);
    assert.match(system, /^user: .*Rondo/s);
    assert.ok(said.includes("user: Make it 2."), said.join("\n"));
    assert.deepEqual(
      said.filter((line) => line.startsWith("assistant")),
      ["assistant: I look at it.", "assistant: call c1 read", "assistant: call c2 edit"],
    );
    assert.match(said.find((line) => line.startsWith("user: result c1")) ?? "", /const total = 1;/);
    const { tools = [], toolMode } = fake.requests[0]?.options ?? {};
    assert.ok(tools.some(({ name, inputSchema }) => name === "edit" && inputSchema !== undefined));
    assert.equal(toolMode, vscode.LanguageModelChatToolMode.Auto);
  });

  it("calls without an id or with a repeated one get their own ids", async () => {
    const session = chat({ "a.txt": "a\n" });
    const read = { file_path: "a.txt" };
    fake.answers.push(
      async (_, say) => {
        say(call("", "read", read));
        say(call("x", "read", { ...read, limit: 1 }));
        say(call("x", "read", { ...read, limit: 2 }));
      },
      async (_, say) => say(call("x", "read", { ...read, limit: 3 })),
      async (_, say) => say(text("Done.")),
    );
    await session.turn("Read.");
    const ids = told(fake.requests[2]).flatMap((line) => /call (\S+)/.exec(line)?.[1] ?? []);
    assert.equal(new Set(ids).size, 4);
    for (const id of ids)
      assert.equal(told(fake.requests[2]).filter((line) => line.includes(`result ${id} `)).length, 1);
  });

  it("Stop reaches the model, and ends the turn even when the model ignores it", async () => {
    const session = chat();
    let heard = false;
    fake.answers.push(async ({ token }, say) => {
      token.onCancellationRequested(() => {
        heard = true;
      });
      say(text("I think"));
      await new Promise(() => {});
    });
    const ended = session.turn("Think.");
    await until(() => session.text() === "I think");
    await session.session.stop();
    assert.equal((await ended).reason, "interrupted");
    await until(() => heard);
    assert.equal(session.text(), "I think");
  });

  for (const [name, error, kind] of [
    ["no permission", vscode.LanguageModelError.NoPermissions("not allowed"), "auth"],
    ["a model that no longer exists", vscode.LanguageModelError.NotFound("gone"), "unknown-model"],
    ["an exhausted quota", vscode.LanguageModelError.Blocked("You have used it up"), "rate-limit"],
    ["a full context window", new Error("Message exceeds token limit."), "context-full"],
    ["any other error", new Error("The moon is in the way"), "server"],
  ] as const) {
    it(`says what ${name} means and what to do`, async () => {
      const events = [];
      fake.answers.push(async () => {
        throw error;
      });
      const { signal } = new AbortController();
      for await (const event of vscodeModel().stream({ ...request, signal })) events.push(event);
      const last = events.at(-1);
      assert.ok(last?.type === "error", JSON.stringify(events));
      assert.equal(last.error.kind, kind, last.error.message);
      assert.ok(last.error.message.includes(error.message), last.error.message);
      assert.notEqual(last.error.next, "");
    });
  }

  it("names a model that does not exist", async () => {
    const events = [];
    const { signal } = new AbortController();
    for await (const event of vscodeModel().stream({ ...request, model: "nobody/none", signal })) events.push(event);
    assert.deepEqual(
      events.map((event) => (event.type === "error" ? event.error.kind : event.type)),
      ["unknown-model"],
    );
  });

  it("sends images unchanged and the temperature, and no tools where calls are not allowed", async () => {
    const base = { id: "p", sessionID: "s", messageID: "m" };
    const info = { id: "m", sessionID: "s", createdAt: 1, role: "user" as const, agent: "build", model: ref };
    // VS Code reads images to make large ones smaller: a broken one would fail.
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const url = `data:image/png;base64,${data}`;
    const parts = [
      { ...base, type: "text" as const, text: "What is it?" },
      { ...base, type: "file" as const, mime: "image/png", filename: "a.png", url },
    ];
    fake.answers.push(async (_, say) => say(text("A cat.")));
    const tools = [{ name: "read", description: "Reads", schema: { type: "object" } }];
    const { signal } = new AbortController();
    const more = { entries: [{ info, parts }], tools, toolUse: "none" as const, temperature: 0.5, signal };
    const events = [];
    for await (const event of vscodeModel().stream({ ...request, ...more })) events.push(event);
    const text3 = ["text-start", "text-delta", "text-end"];
    const types = events.map((event) => (event.type === "error" ? event.error.message : event.type));
    assert.deepEqual(types, ["start", "start-step", ...text3, "finish-step", "finish"]);
    const [asked] = fake.requests;
    const image = asked?.messages[0]?.content[1];
    assert.ok(image instanceof vscode.LanguageModelDataPart);
    assert.deepEqual([image.mimeType, Buffer.from(image.data).toString("base64")], ["image/png", data]);
    assert.deepEqual([asked?.options.tools ?? [], asked?.options.modelOptions], [[], { temperature: 0.5 }]);
  });

  it("are used when there is no key, with their known context windows", async () => {
    const nothing = new vscode.EventEmitter<vscode.SecretStorageChangeEvent>();
    const keys = new Keys({
      get: async () => undefined,
      store: async () => {},
      delete: async () => {},
      keys: async () => [],
      onDidChange: nothing.event,
    });
    const models = new Models(keys, undefined);
    const hidden = [
      "ANTHROPIC_API_KEY",
      "OPENAI_API_KEY",
      "ANTHROPIC_BASE_URL",
      "OPENAI_BASE_URL",
      "RONDO_TOUR",
      "RONDO_MODEL",
    ];
    const before = hidden.map((name) => [name, process.env[name]] as const);
    for (const name of hidden) delete process.env[name];
    try {
      assert.equal(models.readiness.type, "no-key");
      await models.load();
      assert.deepEqual([models.readiness, models.current], [{ type: "ready" }, ref]);
      const choice = { ...ref, label: "Scripted", group: "VS Code: rondo-test", price: undefined };
      assert.deepEqual([models.choices, models.describe(ref)], [[choice], choice]);
      assert.deepEqual(models.windows, { "vscode/rondo-test/scripted": 64_000 });
      assert.equal((await models.open(ref)).providerID, "vscode");
      process.env["ANTHROPIC_API_KEY"] = "k";
      assert.equal(models.current?.providerID, "anthropic");
      models.choose(ref);
      assert.deepEqual(models.current, ref);
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      keys.dispose();
      await models.dispose();
    }
  });

  it("lists models with their context windows, and reports changes", async () => {
    const models = new VSCodeModels();
    const before = fake.models;
    try {
      assert.deepEqual(models.known, []);
      const own = async () => (await models.list()).filter(({ modelID }) => modelID.startsWith("rondo-test/"));
      const scripted = { ...ref, label: "Scripted", window: 64_000 };
      assert.deepEqual(await own(), [scripted]);
      fake.models = [...before, ...before.map((one) => ({ ...one, id: "second", name: "Second" }))];
      const changed = new Promise((resolve) => models.onDidChange(() => resolve(undefined)));
      fake.changed();
      await changed;
      assert.deepEqual(await own(), [scripted, { ...scripted, modelID: "rondo-test/second", label: "Second" }]);
      fake.models = [];
      const gone = new Promise((resolve) => models.onDidChange(() => resolve(undefined)));
      fake.changed();
      await gone;
      assert.deepEqual(await own(), []);
    } finally {
      fake.models = before;
      fake.changed();
      models.dispose();
    }
  });
});

const request = {
  model: ref.modelID,
  system: "",
  entries: [],
  tools: [],
  toolUse: "auto",
  temperature: undefined,
  options: {},
  onBytes: () => {},
  maxTokens: undefined,
  thinking: "default",
} as const;
