/** "OpenCode Agent Loop Specification": entry points, loop, loop detection, tools, prompt, options, retries. */
import assert from "node:assert/strict";
import * as z from "zod/mini";
import { mergeDeep } from "../../src/base/json.ts";
import { type Agent, AgentCatalog } from "../../src/loop/agents/agents.ts";
import { ModelError } from "../../src/loop/model.ts";
import { isRetryable, retryDelay } from "../../src/loop/reply/reply.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { openaiModel } from "../chat-model.ts";
import { entriesOf, full, kinds, small, summarised, textOf } from "../loop/compacting.ts";
import { harnesses, until } from "../loop/harness.ts";
import { type ModelServer, startModelServer } from "../model-server.ts";
import { failure } from "../scripted-model.ts";

const read = (file_path: string) => ({ call: "read", input: { file_path } });
const build = new AgentCatalog().find("build");
const agents = (more: Partial<Agent>) => new AgentCatalog([{ ...build, ...more }]);

describe("OpenCode: entry points", () => {
  const open = harnesses();

  it("P1 D2 PromptInput: each field has its effect", async () => {
    const h = open([["Found."], ["x"]]);
    const model = { providerID: "anthropic", modelID: "claude-haiku-4-5" };
    await h.turn("", {
      messageID: "msg_mine",
      model,
      agent: "plan",
      tools: { grep: false },
      system: "SPEAK FRENCH",
      variant: "high",
      parts: [
        { type: "text", text: "Look at this." },
        { type: "file", mime: "text/plain", filename: "a.txt", url: "file:///a.txt" },
        { type: "agent", name: "explore" },
      ],
    });
    const [message] = h.chat.messages;
    assert.partialDeepStrictEqual(message?.info, {
      id: "msg_mine",
      role: "user",
      agent: "plan",
      model,
      system: "SPEAK FRENCH",
      variant: "high",
    });
    assert.deepEqual(
      message?.parts.filter((part) => part.type !== "text" || !part.synthetic).map(({ type }) => type),
      ["text", "file", "subtask"],
    );
    const [task, request] = h.model.requests;
    assert.match(task?.system ?? "", /^You answer a question/, "the agent that was mentioned works first");
    assert.equal(request?.model, "claude-haiku-4-5");
    assert.equal(request?.thinking, "high");
    assert.ok(request?.system.endsWith("SPEAK FRENCH"));
    assert.deepEqual(
      request?.tools.map(({ name }) => name),
      ["read", "glob", "task"],
    );
  });

  it("P1 noReply: the message is stored without an answer", async () => {
    const h = open([["x"]]);
    assert.deepEqual(await h.send("For later", { noReply: true }), { type: "stored" });
    assert.equal(h.model.requests.length, 0);
    await h.turn("Now");
    assert.deepEqual(
      entriesOf(h, 0).map(({ info }) => info.role),
      ["user", "user"],
    );
  });

  it("Q2 L1 a prompt waits while the session's loop runs, instead of starting a second one", async () => {
    const h = open([{ say: ["One."], before: () => h.send("Two") }, ["Two."]]);
    await h.turn("One");
    assert.equal(h.loopEvents.filter(({ type }) => type === "loop:start").length, 1);
    assert.equal(h.text(), "Two.");
  });
});

describe("OpenCode: loop", () => {
  const open = harnesses();

  it("L3 fails without a user message", async () => {
    const h = open([["x"], ["y"]]);
    await h.turn();
    h.chat.messages.shift();
    await h.session.tryAgain();
    assert.equal(h.chat.ended?.reason, "error");
    assert.equal(h.model.requests.length, 1);
    h.chat.messages.length = 0;
  });

  for (const [finish, requests] of [
    ["stop", 1],
    ["content-filter", 1],
    ["refusal", 1],
    ["tool-calls", 2],
    ["unknown", 2],
  ] as const) {
    it(`L4 a newer reply that finished with ${finish} ${requests === 1 ? "ends the loop" : "continues it"}`, async () => {
      const say = requests === 1 ? ["Words."] : [{ call: "glob", input: { pattern: "*" } }];
      const h = open([{ say, finish }, ["Done."]]);
      await h.turn();
      assert.equal(h.model.requests.length, requests);
    });
  }

  it("L5 the agent `title` creates a title at the first step, in the background", async () => {
    const h = open(
      ({ tools, system }) => (tools.length === 0 ? [system.includes("TITLES") ? "Fix the cart" : "?"] : ["Hello."]),
      {
        titles: true,
        project: { agents: new AgentCatalog([{ ...new AgentCatalog().find("title"), prompt: "TITLES" }]) },
      },
    );
    await h.turn("Repair it");
    await until(() => h.chat.session.title !== "Repair it");
    assert.equal(h.chat.session.title, "Fix the cart");
    await h.turn("Again");
    assert.equal(h.model.requests.filter(({ tools }) => tools.length === 0).length, 1);
  });

  it("L6 S1 K3 a pending subtask runs before the model is called, and then the loop continues", async () => {
    const h = open([["Found it in a.ts."], ["Then I know."]]);
    await h.turn("", {
      parts: [
        { type: "text", text: "Where is it?" },
        { type: "subtask", agent: "explore", description: "Find it", prompt: "FIND IT" },
      ],
    });
    assert.match(textOf(entriesOf(h, 0).at(-1)), /FIND IT$/);
    assert.deepEqual(h.results(), ["Found it in a.ts."]);
    assert.equal(entriesOf(h, 1).length, 2, "the subtask's call is in the request");
    assert.equal(h.text(), "Then I know.");
    assert.equal(h.chat.ended?.steps, 1, "the subtask is no reply of the model");
  });

  it("L6 L7 C3 an overflow creates a compaction part; the next round processes it; then the loop continues", async () => {
    const h = open(summarised(["S"], [{ say: [read("a.txt")], tokens: full }, ["Done."]]), {
      ...small,
      files: { "a.txt": "x" },
    });
    await h.turn();
    const parts = h.events.flatMap((event) =>
      event.type === "part" && event.part.type === "compaction" ? [event.part] : [],
    );
    assert.deepEqual(
      parts.map(({ auto }) => auto),
      [true],
    );
    assert.deepEqual(kinds(h), ["step", "summary", "step"]);
  });

  it("L8 the last step of an agent with a step limit has a reminder and no tools", async () => {
    const h = open([[read("a.txt")], ["That is it."]], {
      files: { "a.txt": "x" },
      project: { agents: agents({ steps: 2 }) },
    });
    await h.turn();
    assert.deepEqual(
      h.model.requests.map(({ toolUse }) => toolUse),
      ["auto", "none"],
    );
    assert.match(textOf(entriesOf(h, 1).at(-1)), /last step/);
  });

  it("L8 reminders: the message tells the model about Plan mode", async () => {
    const h = open([["x"]], { mode: "plan" });
    await h.turn();
    assert.match(textOf(entriesOf(h, 0)[0]), /The mode is Plan/);
  });

  it("L8 T7 stop: a denial without a reason ends the loop", async () => {
    const h = open([[{ call: "bash", input: { command: "ls" } }], ["Never."]]);
    const turn = h.turn();
    await h.answerNext({ kind: "permission", type: "deny", words: "" });
    assert.equal((await turn).reason, "blocked");
    assert.equal(h.model.requests.length, 1);
  });

  it("L9 the result is the last assistant message", async () => {
    const h = open([[read("a.txt")], ["The last word."]], { files: { "a.txt": "x" } });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.equal(h.chat.messages.at(-1)?.info.role, "assistant");
    assert.equal(h.text(), "The last word.");
  });
});

describe("OpenCode: loop detection", () => {
  const open = harnesses();
  const same = () => [{ call: "glob", input: { pattern: "*.py" } }];

  it("T6 the third identical call in a row asks, and suggests the tool's name for Always allow", async () => {
    const h = open((_, index) => (index < 3 ? same() : ["Done."]));
    const turn = h.turn();
    const request = await h.answerNext({ kind: "loop", type: "continue" });
    assert.equal(request.tool, "glob");
    assert.deepEqual(request.always, [{ permission: "doom_loop", pattern: "glob", action: "allow" }]);
    assert.equal((await turn).reason, "end_turn");
    assert.ok(h.calls.every(({ state }) => state.status === "completed"));
  });

  it("T6 a different input, or another tool in between, is no loop", async () => {
    const h = open(
      (_, index) =>
        index < 5 ? [index % 2 === 0 ? read("a.txt") : { call: "glob", input: { pattern: `${index}` } }] : ["Done."],
      { files: { "a.txt": "x" } },
    );
    assert.equal((await h.turn()).reason, "end_turn");
    assert.ok(!h.events.some(({ type }) => type === "asked"));
  });
});

describe("OpenCode: tool call repair", () => {
  const open = harnesses();

  it("T4 a name in another case becomes lower case; an unknown one becomes `invalid`", async () => {
    const h = open(
      [
        [
          { call: "READ", input: { file_path: "a.txt" } },
          { call: "Fly", input: { to: "x" } },
        ],
        ["Done."],
      ],
      { files: { "a.txt": "x" } },
    );
    await h.turn();
    const [first, second] = h.results();
    assert.equal(first, "1\tx");
    assert.match(second ?? "", /^ERROR There is no tool named "Fly"\. The tools are: bash, read/);
  });
});

describe("OpenCode: tool resolution and system prompt", () => {
  const open = harnesses();

  it("T1 the registry and MCP servers, minus what permissions and the message disable", async () => {
    const server = defineTool({
      name: "mcp__git__log",
      sideEffect: "network",
      description: "A test.",
      input: z.object({}),
      prepare: async () => assert.fail(),
    });
    const h = open([["x"]], {
      tools: [...coreTools, server],
      rules: [{ permission: "bash", pattern: "*", action: "deny" }],
    });
    await h.turn("Hi", { tools: { write: false, edit: false } });
    const names = h.model.requests[0]?.tools.map(({ name }) => name);
    assert.deepEqual(names, ["read", "glob", "grep", "mcp__git__log", "task"]);
  });

  it("M1 the agent's prompt or the default one, then the call's system text, then the user's", async () => {
    const h = open([["x"], ["y"]], {
      choices: { appended: "CUSTOM" },
      project: { agents: new AgentCatalog([{ ...build, name: "poet", prompt: "YOU RHYME" }]) },
    });
    await h.turn("Hi", { agent: "poet", system: "USER" });
    await h.turn("Hi");
    const [own = "", next] = h.model.requests.map(({ system }) => system);
    assert.match(own, /^YOU RHYME.*CUSTOM\s+USER$/s);
    assert.doesNotMatch(own, /You are Rondo/);
    assert.equal(next, own, "C7: what changes is told at the end");
    const told = JSON.stringify(h.model.requests[1]?.entries.at(-1));
    assert.match(told, /you are the agent build\..*You are Rondo.*place of the further ones before:\\n\\nCUSTOM"/);
  });
});

describe("OpenCode: options layering", () => {
  const open = harnesses();
  let server: ModelServer | undefined;
  afterEach(() => server?.stop());

  it("M2 provider, then model, agent and variant: merged deeply, the later wins", () => {
    const layers = [{ a: { x: 1, y: 1 }, b: 1 }, { a: { y: 2 } }, { b: 3, c: [1, 2] }, { a: { z: 4 }, c: [3] }];
    assert.deepEqual(layers.reduce(mergeDeep, {}), { a: { x: 1, y: 2, z: 4 }, b: 3, c: [3] });
  });

  it("M2 in requests: an agent's options override the provider's, a variant overrides both", async () => {
    server = await startModelServer([[{ text: "Hi." }]]);
    const { url, requests } = server;
    const options = { top_p: 0.5, reasoning_effort: "low", stream_options: { extra: 1 } };
    const h = open([], {
      choices: { model: { providerID: "openai", modelID: "gpt-5.4" } },
      project: { agents: agents({ options }) },
      openModel: async () => openaiModel({ apiKey: "sk-test", baseURL: `${url}/v1` }),
    });
    await h.turn("Hi", { variant: "xhigh" });
    assert.partialDeepStrictEqual(requests[0]?.body, {
      top_p: 0.5,
      reasoning_effort: "xhigh",
      stream: true,
      stream_options: { include_usage: true, extra: 1 },
    });
  });
});

describe("OpenCode: status and retry", () => {
  const open = harnesses();
  const statuses = (h: ReturnType<typeof open>) =>
    h.events.flatMap((event) => (event.type === "status" ? [event.status.type] : []));

  it("H1 idle, busy, idle, with retry in between, whether the retry succeeds or not", async () => {
    const h = open([
      ["Hi."],
      { fail: failure("server") },
      ["Hi."],
      { fail: failure("server") },
      { fail: failure("auth") },
    ]);
    for (let turn = 0; turn < 3; turn++) await h.turn();
    assert.deepEqual(statuses(h), [
      ...["busy", "idle"],
      ...["busy", "retry", "busy", "idle"],
      ...["busy", "retry", "busy", "idle"],
    ]);
  });

  it("H2 which errors are retried; the provider's own answer decides", () => {
    const again = ["network", "rate-limit", "overloaded", "server"] as const;
    const never = ["no-key", "auth", "unknown-model", "context-full", "invalid", "aborted"] as const;
    for (const kind of again) assert.ok(isRetryable(failure(kind)), kind);
    for (const kind of never) assert.ok(!isRetryable(failure(kind)), kind);
    assert.ok(isRetryable(new ModelError("invalid", "", "", { shouldRetry: true })));
    assert.ok(!isRetryable(new ModelError("server", "", "", { shouldRetry: false })));
  });

  it("H3 min(1000·2^(attempt−1) + jitter, 60000), or the delay that the server requests", () => {
    for (let attempt = 1; attempt <= 12; attempt++) {
      const least = Math.min(1000 * 2 ** (attempt - 1), 60_000);
      const delay = retryDelay(attempt, 1000, failure("server"));
      assert.ok(delay >= least && delay <= Math.min(least + 1000, 60_000), `${attempt}: ${delay}`);
    }
    assert.equal(retryDelay(1, 1000, failure("rate-limit", { retryAfterMs: 90_000 })), 90_000);
  });
});
