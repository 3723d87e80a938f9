/** "Spec 03: Agentic Loop": the query with its options and control methods, what it emits, and how it recovers. */
import assert from "node:assert/strict";
import path from "node:path";
import type { SDKUserMessage } from "../../src/query/query-types.ts";
import { type QueryRun, queries } from "./query-runs.ts";
import { messagesOf, offered, toolResults } from "./request-bodies.ts";

const read = (file_path: string) => ({ call: { name: "read", input: { file_path } } });
const write = (file_path: string) => ({ call: { name: "write", input: { file_path, content: "x" } } });
const text = (words: string) => [{ text: words }];
const bodyOf = (run: QueryRun, request = 0) => run.requests[request]?.body ?? assert.fail();

/** Prompts that are sent one by one. */
class Prompts implements AsyncIterable<SDKUserMessage> {
  #send: ((text: string | undefined) => void)[] = [];
  #waiting: Promise<string | undefined>[] = [];

  constructor(count: number) {
    for (let at = 0; at < count; at++) {
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      this.#waiting.push(promise);
      this.#send.push(resolve);
    }
  }

  send(content: string): void {
    this.#send.shift()?.(content);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SDKUserMessage> {
    for (const one of this.#waiting) {
      const content = await one;
      if (content === undefined) return;
      yield { type: "user", message: { role: "user", content } };
    }
  }
}

describe("Claude Code: configuration", () => {
  const open = queries();

  it("K2 model, system prompt, thinking limit", async () => {
    const run = await open([text("Hi.")], {
      model: "claude-sonnet-4-5",
      systemPrompt: { type: "preset", preset: "claude_code", append: "BE BRIEF" },
      maxThinkingTokens: 2048,
    });
    await run.result();
    const { model, system, thinking } = bodyOf(run);
    assert.equal(model, "claude-sonnet-4-5");
    assert.match(JSON.stringify(system), /You are Rondo.*BE BRIEF/s);
    assert.deepEqual(thinking, { type: "enabled", budget_tokens: 2048 });
  });

  it("K2 tools, allowedTools and disallowedTools", async () => {
    const run = await open([[{ call: { name: "bash", input: { command: "echo 1" } } }], text("Done.")], {
      tools: ["bash", "read", "write"],
      disallowedTools: ["write"],
      allowedTools: ["bash(echo *)"],
    });
    await run.result();
    assert.deepEqual(offered(run.requests[0]), ["bash", "read"]);
    assert.equal(toolResults(run.requests[1])[0]?.content, "1", "it ran without a question");
  });

  it("K2 T7 without anyone to ask, calls that would ask are denied, and the run continues", async () => {
    const run = await open([[write("made.txt")], text("Then not.")]);
    const result = await run.result();
    assert.equal(result.subtype, "success");
    assert.equal(result.permission_denials.length, 1);
    assert.throws(() => run.read("made.txt"));
  });

  it("K2 S1 agent and agents: which one answers, and to which it may delegate", async () => {
    const agents = { helper: { description: "Helps.", prompt: "YOU HELP", tools: ["read"] } };
    const task = { call: { name: "task", input: { description: "d", prompt: "The task", subagent_type: "helper" } } };
    const run = await open([[task], text("From the helper."), text("Done.")], { agents });
    await run.result();
    assert.match(JSON.stringify(bodyOf(run, 1)["system"]), /YOU HELP/);
    assert.deepEqual(offered(run.requests[1]), ["read"]);
    assert.equal(toolResults(run.requests[2])[0]?.content, "From the helper.");
    const own = await open([text("Hi.")], { agents, agent: "helper" });
    await own.result();
    assert.match(JSON.stringify(bodyOf(own)["system"]), /YOU HELP/);
  });

  it("K2 sessionId, resume and continue: the history precedes the prompt", async () => {
    const first = await open([text("I keep it.")], { sessionId: "ses_first", prompt: "The number is 7." });
    await first.result();
    const sessionDir = path.join(first.folder, "sessions");
    const cwd = path.join(first.folder, "work");
    for (const more of [{ resume: "ses_first" }, { continue: true }]) {
      const run = await open([text("7.")], { ...more, sessionDir, cwd, prompt: "Which number?" });
      await run.result();
      assert.equal(run.query.sessionId, "ses_first");
      const said = JSON.stringify(messagesOf(run.requests[0]));
      assert.match(said, /The number is 7\..*I keep it\..*Which number\?/s);
    }
  });

  it("K2 additional directories: tools may work there as in the folder", async () => {
    const other = await open([text("x")], { files: { "there.txt": "found" } });
    await other.result();
    const folder = path.join(other.folder, "work");
    const run = await open([[read(path.join(folder, "there.txt"))], text("Done.")], {
      additionalDirectories: [folder],
    });
    await run.result();
    assert.match(toolResults(run.requests[1])[0]?.content ?? "", /found/);
  });

  it("K2 setting sources: rules of the folder are read when requested", async () => {
    for (const [settingSources, wanted] of [
      [["project"], true],
      [[], false],
    ] as const) {
      const run = await open([text("Hi.")], {
        files: { "AGENTS.md": "USE TABS" },
        settingSources: [...settingSources],
      });
      await run.result();
      assert.equal(JSON.stringify(bodyOf(run)["system"]).includes("USE TABS"), wanted);
    }
  });

  it("K2 unsupported options: plugins are an error, betas a note", async () => {
    const plugins = open([], { plugins: [{ type: "local", path: "x" }] });
    await assert.rejects(plugins, { code: "unsupported-option" });
    const notes: string[] = [];
    const run = await open([text("Hi.")], { betas: ["some-beta"], stderr: (line) => notes.push(line) });
    await run.result();
    assert.match(notes.join(), /betas/);
  });
});

describe("Claude Code: control", () => {
  const open = queries();

  it("K2 SetModel and SetMaxThinkingTokens apply from the next request", async () => {
    const prompts = new Prompts(2);
    const run = await open(() => text("Hi."), { prompt: prompts });
    prompts.send("One");
    await run.until("result");
    await run.query.setModel("claude-haiku-4-5");
    await run.query.setMaxThinkingTokens(4096);
    prompts.send("Two");
    await run.until("result");
    assert.deepEqual([bodyOf(run, 0)["model"], bodyOf(run, 1)["model"]], ["claude-sonnet-5", "claude-haiku-4-5"]);
    assert.deepEqual(bodyOf(run, 1)["thinking"], { type: "enabled", budget_tokens: 4096 });
  });

  it("K2 SetPermissionMode applies at once", async () => {
    const run: QueryRun = await open([[write("made.txt")], text("Done.")], {
      hooks: { PreToolUse: [{ hooks: [async () => await run.query.setPermissionMode("acceptEdits")] }] },
    });
    await run.result();
    assert.equal(run.read("made.txt"), "x");
  });

  it("K2 Q3 Close ends the run and releases connection and lock", async () => {
    const run = await open([{ bytes: ": x\n\n", hang: true }]);
    await run.until("system/init");
    while (run.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await run.query.close();
    await (run.requests[0]?.left ?? assert.fail());
    assert.equal((await run.query.next()).done, true);
  });

  it("L11 K2 Interrupt leaves the query usable: the next prompt is answered", async () => {
    const prompts = new Prompts(2);
    const run = await open([{ bytes: ": x\n\n", hang: true }, text("Still here.")], { prompt: prompts });
    prompts.send("One");
    while (run.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await run.query.interrupt();
    await run.until("result");
    prompts.send("Two");
    const result = await run.until("result");
    assert.equal(result.type === "result" && result.result, "Still here.");
  });
});

describe("Claude Code: algorithm", () => {
  const open = queries();

  it("K4 SessionStart comes first with its source, SessionEnd last with its reason", async () => {
    const heard: unknown[] = [];
    const note = async (input: Record<string, unknown>) =>
      void heard.push([input["hook_event_name"], input["source"] ?? input["reason"] ?? ""]);
    const events = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"] as const;
    const hooks = Object.fromEntries(events.map((event) => [event, [{ hooks: [note] }]]));
    const run = await open([text("Hi.")], { hooks });
    await run.result();
    const names = heard.map((one) => (Array.isArray(one) ? one[0] : ""));
    assert.deepEqual(names.toSorted(), [...events].toSorted());
    assert.equal(names.at(-1), "SessionEnd");
    assert.ok(names.indexOf("SessionStart") < names.indexOf("Stop"));
    assert.deepEqual(
      heard.find((one) => Array.isArray(one) && one[0] === "SessionStart"),
      ["SessionStart", "startup"],
    );
  });

  it("K4 a PreToolUse hook that denies: its reason is the result, and the tool does not run", async () => {
    const run = await open([[write("made.txt")], text("Then not.")], {
      permissionMode: "bypassPermissions",
      hooks: { PreToolUse: [{ hooks: [async () => ({ decision: "block", reason: "Not on Fridays." })] }] },
    });
    await run.result();
    const [told] = toolResults(run.requests[1]);
    assert.ok(told?.isError);
    assert.match(told.content, /Not on Fridays\./);
    assert.throws(() => run.read("made.txt"));
  });

  it("B1 the cost of a reply: tokens of each kind times their price per million", async () => {
    const usage = { input: 1_000_000, output: 100_000, cacheRead: 0, cacheWrite: 0 };
    const run = await open([{ blocks: text("Hi."), usage }], {
      prices: { "claude-sonnet-5": { input: 3, output: 15 } },
    });
    assert.equal((await run.result()).total_cost_usd, 3 + 1.5);
    const unknown = await open([text("Hi.")], { model: "local" });
    assert.equal((await unknown.result()).total_cost_usd, null, "never 0 for what is not known");
  });

  it("K2 emits init, progress before and after each tool, a boundary at compaction, and the result", async () => {
    const usage = { input: 17_000, output: 100 };
    const run = await open([{ blocks: [read("a.txt")], usage }, text("The summary."), text("Done.")], {
      files: { "a.txt": "x" },
      model: "local",
      contextWindow: 20_000,
    });
    await run.result();
    assert.deepEqual(run.kinds, [
      ...["system/init", "assistant", "tool_progress", "tool_progress", "user"],
      ...["system/status", "system/compact_boundary", "system/status", "assistant", "result"],
    ]);
    const boundary = run.messages.find((one) => one.type === "system" && one.subtype === "compact_boundary");
    assert.partialDeepStrictEqual(boundary, { compact_metadata: { trigger: "auto", pre_tokens: 17_100 } });
  });

  for (const status of [429, 500, 502, 503, 529]) {
    it(`H2 ${status}: retried, and reported`, async () => {
      const run = await open([{ status, body: {} }, text("Here.")]);
      const result = await run.result();
      assert.equal(result.result, "Here.");
      assert.equal(run.kinds.filter((kind) => kind === "system/api_retry").length, 1);
      assert.equal(run.requests.length, 2);
    });
  }

  it("H2 E5 a dropped connection is retried without duplicating anything", async () => {
    const run = await open([{ blocks: text("Half of the answer"), cutAt: 400 }, text("Whole.")]);
    assert.equal((await run.result()).result, "Whole.");
    assert.equal(run.kinds.filter((kind) => kind === "assistant").length, 1);
  });

  it("H3 fails with an error message after three retries", async () => {
    const run = await open(() => ({ status: 500, body: {} }));
    const result = await run.result();
    assert.equal(run.requests.length, 4);
    assert.deepEqual([result.subtype, result.exit_reason], ["error_during_execution", "error"]);
    assert.ok(result.errors?.[0]);
  });

  it("H5 FallbackModel answers when the model stays overloaded", async () => {
    const run = await open(
      ({ body }) => (body["model"] === "claude-haiku-4-5" ? text("Here.") : { status: 529, body: {} }),
      {
        fallbackModel: "claude-haiku-4-5",
      },
    );
    assert.equal((await run.result()).result, "Here.");
    assert.equal(run.requests.length, 5);
  });
});
