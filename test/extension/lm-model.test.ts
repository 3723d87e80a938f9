import assert from "node:assert/strict";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import type { Entry } from "../../src/chat/apply.ts";
import { Keys } from "../../src/extension/models/keys.ts";
import { Models } from "../../src/extension/models/models.ts";
import { pickerList } from "../../src/extension/models/picker-list.ts";
import { vscodeModel } from "../../src/extension/models/vscode-model.ts";
import { VSCodeModels } from "../../src/extension/models/vscode-models.ts";
import type { ModelEvent, ModelRequest } from "../../src/loop/model.ts";
import { RateLimits } from "../../src/providers/shared/rate-limits.ts";
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
    fake.counted.splice(0);
    fake.count = (words) => words.length / 4;
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
    const ids = told(fake.requests[2]).flatMap((line) => /^assistant: call (\S+)/.exec(line)?.[1] ?? []);
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

  it("tells a quota from a rate limit by the names that Copilot gives its errors", async () => {
    for (const [name, kind] of [
      ["ChatQuotaExceeded", "quota"],
      ["ChatRateLimited", "rate-limit"],
    ] as const) {
      fake.answers.push(async () => {
        throw Object.assign(new Error("Sorry."), { name });
      });
      const last = (await eventsOf()).at(-1);
      assert.ok(last?.type === "error");
      assert.equal(last.error.kind, kind);
    }
  });

  it("a reply that reached its longest is cut, not failed, and goes on", async () => {
    const session = chat();
    fake.answers.push(
      async (_, say) => {
        say(text("The first half"));
        // VS Code drops parts that an error overtakes.
        await until(() => session.text() === "The first half");
        throw new Error("Response too long.");
      },
      async (_, say) => say(text(" and the second.")),
    );
    assert.equal((await session.turn("Tell me all.")).reason, "end_turn");
    assert.equal(fake.requests.length, 2);
    const [, first] = session.chat.messages;
    assert.ok(first?.info.role === "assistant" && first.info.finish === "length");
    assert.match(told(fake.requests[1]).join("\n"), /assistant: The first half\nuser: Your reply was cut/);
  });

  it("a stream that ends before it began is tried again", async () => {
    const session = chat({ "a.txt": "a\n" });
    fake.answers.push(
      async () => {},
      async (_, say) => say(call("c1", "read", { file_path: "a.txt" })),
      async () => {},
      async (_, say) => say(text("Done.")),
    );
    const end = await session.turn("Read.");
    assert.deepEqual([end, fake.requests.length], [{ reason: "end_turn", error: undefined }, 4]);
  });

  it("counts with the model's tokenizer while it answers, each text once", async () => {
    const session = chat({ "a.txt": "a\n" });
    fake.answers.push(
      async (_, say) => say(call("c1", "read", { file_path: "a.txt" })),
      async (_, say) => say(text("Done.")),
    );
    await session.turn("Read.");
    const [first, second] = session.chat.messages.flatMap(({ info }) => (info.role === "assistant" ? [info] : []));
    assert.ok(first && second);
    assert.ok(first.tokens.input > 1000 && second.tokens.input > first.tokens.input, JSON.stringify(second.tokens));
    assert.equal(second.tokens.output, 2);
    assert.equal(first.estimated ?? second.estimated, undefined);
    assert.equal(
      fake.counted.length,
      new Set(fake.counted).size,
      fake.counted.map((one) => one.slice(0, 40)).join("\n"),
    );
  });

  it("takes what the model's extension reports over what it counts", async () => {
    const usage = { prompt_tokens: 900, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 600 } };
    const data = new TextEncoder().encode(JSON.stringify(usage));
    fake.answers.push(async (_, say) => {
      say(text("Hi."));
      say(new vscode.LanguageModelDataPart(data, "usage"));
    });
    const step = (await eventsOf()).find(({ type }) => type === "finish-step");
    assert.ok(step?.type === "finish-step");
    assert.deepEqual(step.tokens, { input: 300, output: 20, reasoning: 0, cacheRead: 600, cacheWrite: 0 });
  });

  it("reports no tokens where the tokenizer is none, fails, or does not answer", async () => {
    const counts: Fake["count"][] = [
      () => 0,
      () => {
        throw new Error("no tokenizer");
      },
      () => new Promise(() => {}),
    ];
    for (const count of counts) {
      fake.count = count;
      fake.answers.push(async (_, say) => say(text("Hi.")));
      const step = (await eventsOf({ system: "You are a test." })).find(({ type }) => type === "finish-step");
      assert.ok(step?.type === "finish-step");
      assert.equal(step.tokens, undefined);
    }
  });

  it("sends no images to a model that takes none, and none of those that were refused", async () => {
    const before = fake.models;
    const [model] = before;
    assert.ok(model);
    const plain = { ...model, id: "plain", capabilities: { toolCalling: true, imageInput: false } };
    const changed = async () => {
      const done = new Promise((resolve) => {
        const listener = vscode.lm.onDidChangeChatModels(() => {
          listener.dispose();
          resolve(undefined);
        });
      });
      fake.changed();
      await done;
    };
    try {
      fake.models = [...before, plain];
      await changed();
      const hasImage = () =>
        fake.requests
          .at(-1)
          ?.messages.some(({ content }) => content.some((part) => part instanceof vscode.LanguageModelDataPart));
      await eventsOf({ entries: [picture] });
      assert.ok(hasImage());
      await eventsOf({ entries: [picture], imagelessEntries: 1 });
      assert.ok(!hasImage());
      assert.match(told(fake.requests.at(-1)).join("\n"), /a\.png, an image, is not shown/);
      await eventsOf({ entries: [picture], model: "rondo-test/plain" });
      assert.ok(!hasImage());
    } finally {
      fake.models = before;
      await changed();
    }
  });

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
    fake.answers.push(async (_, say) => say(text("A cat.")));
    const tools = [{ name: "read", description: "Reads", schema: { type: "object" } }];
    const { signal } = new AbortController();
    const more = { entries: [picture], tools, toolUse: "none" as const, temperature: 0.5, signal };
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

  it("are offered when there is no key, and used when they are chosen, with their known context windows", async () => {
    const nothing = new vscode.EventEmitter<vscode.SecretStorageChangeEvent>();
    const keys = new Keys({
      get: async () => undefined,
      store: async () => {},
      delete: async () => {},
      keys: async () => [],
      onDidChange: nothing.event,
    });
    const models = new Models(keys, new RateLimits(path.join(os.tmpdir(), "rondo-limits-unused")), undefined);
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
      await models.look(AbortSignal.timeout(10_000), () => undefined);
      const { readiness } = models;
      assert.deepEqual(readiness.type === "no-key" && readiness.offered, { isCopilot: false, names: ["Scripted"] });
      assert.ok(models.current === undefined);
      assert.deepEqual(models.firstOf("vscode"), ref);
      models.choose(ref);
      assert.deepEqual([models.readiness, models.current], [{ type: "ready" }, ref]);
      const unknown = "thinking level not available";
      const choice = {
        ...ref,
        label: "Scripted",
        group: "VS Code: rondo-test",
        price: undefined,
        images: undefined,
        unknown,
      };
      assert.deepEqual([models.choices, models.describe(ref)], [[choice], choice]);
      assert.equal(models.facts.of(ref).contextWindow, 64_000);
      const { groups, thinking } = pickerList(models, ref, "high");
      const cost = { type: "plan" } as const;
      assert.deepEqual(
        groups.find(({ kind }) => kind === "plan"),
        {
          ...{ id: "vscode/rondo-test", providerID: "vscode", name: "VS Code: rondo-test", kind: "plan" },
          state: { type: "listed" },
          models: [{ modelID: ref.modelID, label: "Scripted", window: 64_000, cost }],
        },
      );
      assert.deepEqual(thinking.levels, [], "these models decide themselves");
      assert.equal((await models.open(ref)).providerID, "vscode");
      process.env["ANTHROPIC_API_KEY"] = "k";
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

/** VS Code reads images to make large ones smaller: a broken one would fail. */
const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const base = { id: "p", sessionID: "s", messageID: "m" };
const picture: Entry = {
  info: { id: "m", sessionID: "s", createdAt: 1, role: "user", agent: "build", model: ref },
  parts: [
    { ...base, type: "text", text: "What is it?" },
    { ...base, type: "file", mime: "image/png", filename: "a.png", url: `data:image/png;base64,${data}` },
  ],
};

async function eventsOf(more: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  const { signal } = new AbortController();
  for await (const event of vscodeModel().stream({ ...request, signal, ...more })) events.push(event);
  return events;
}

const request = {
  model: ref.modelID,
  conversationID: "ses_1",
  system: "",
  entries: [],
  unboundEntries: 0,
  imagelessEntries: 0,
  contextWindow: undefined,
  tools: [],
  toolUse: "auto",
  temperature: undefined,
  options: {},
  onBytes: () => {},
  maxTokens: undefined,
  thinking: "default",
} as const;
