/** Agent, prompt texts, tools and options of a request. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import * as z from "zod/mini";
import { textPrompt } from "../../src/chat/prompt-input.ts";
import { ownWords } from "../../src/chat/words.ts";
import { type Agent, AgentCatalog } from "../../src/loop/agents/agents.ts";
import { newSession } from "../../src/loop/session/session.ts";
import { guidanceOf } from "../../src/providers/catalog/model-guidance.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { Harness, harnesses, until } from "./harness.ts";

const build = new AgentCatalog().find("build");
const agents = (...found: Partial<Agent>[]) => new AgentCatalog(found.map((agent) => ({ ...build, ...agent })));

describe("M1 the system prompt", () => {
  const open = harnesses();

  it("M1 contains agent, environment, rules (nearest first), memory, the call's text and the user's text, in this order", async () => {
    const h = open([["Hi."]], {
      choices: { appended: "APPENDED" },
      project: {
        agents: agents({ prompt: "AGENT" }),
        branch: "topic",
        rules: [
          { path: "AGENTS.md", text: "NEAR RULE" },
          { path: "~/.rondo/AGENTS.md", text: "FAR RULE" },
        ],
        memory: { path: ".rondo/MEMORY.md", text: "MEMORY" },
      },
    });
    await h.turn("Hi", { system: "USER SYSTEM" });
    const { system = "" } = h.model.requests[0] ?? {};
    const places = [
      ...[
        "AGENT",
        `Workspace folder: ${h.folder}`,
        "Git repository, branch topic.",
        "Platform: linux. Commands run in ",
        "Model: Claude Sonnet 5.",
      ],
      ...["NEAR RULE", "FAR RULE", "MEMORY", "APPENDED", "USER SYSTEM"],
    ].map((words) => system.indexOf(words));
    assert.ok(!places.includes(-1), system);
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
  });

  it("M1 C7 tells the state of the repository as it was when the conversation began", async () => {
    let asked = 0;
    for (const [state, words] of [
      ["none", "\nNot a git repository.\n"],
      ["clean", "\nGit repository, branch topic; when the conversation began, nothing was uncommitted.\n"],
      ["changed", "branch topic; when the conversation began, there were uncommitted changes.\n"],
      ["unknown", "\nGit repository, branch topic.\n"],
    ] as const) {
      asked = 0;
      const gitState = async () => (asked++ === 0 ? state : "unknown");
      const h = open([["Hi."], ["Hi."]], { project: { branch: "topic" }, gitState });
      await h.turn();
      await h.turn();
      assert.ok(h.model.requests[0]?.system.includes(words), h.model.requests[0]?.system);
      assert.equal(h.model.requests[1]?.system, h.model.requests[0]?.system);
      assert.equal(asked, 1);
    }
  });

  it("M1 has a short part for the model's family, wherever the model is served, and tells it after a change of model", async () => {
    const parts = {
      "Do what was asked and no more": ["anthropic/claude-sonnet-5", "openrouter/anthropic/claude-opus-5.5"],
      "Do not end your turn with a plan": ["openai/gpt-5.4", "azure/gpt-6.1-terra", "openai/o3"],
      "Never assume that a library is there": ["gemini/gemini-3-pro", "openrouter/google/gemini-3-flash"],
      "Call tools only through the interface": ["ollama/qwen3:8b", "deepseek/deepseek-chat", "groq/openai/llama"],
    };
    for (const [words, models] of Object.entries(parts)) {
      for (const name of models) {
        const [providerID = "", ...rest] = name.split("/");
        const h = open([["1"]], { choices: { model: { providerID, modelID: rest.join("/") } } });
        await h.turn();
        const { system = "" } = h.model.requests[0] ?? {};
        const [before = "", after = ""] = system.split(words);
        assert.ok(before.includes("You are Rondo") && after.includes("# Environment"), name);
        for (const other of Object.keys(parts)) assert.equal(system.includes(other), other === words, name);
      }
    }
    const h = open([["1"], ["2"]]);
    await h.turn();
    await h.turn("Hi", { model: { providerID: "openai", modelID: "gpt-5.4" } });
    const [first, second] = h.model.requests;
    assert.equal(second?.system, first?.system, "the prefix holds");
    const told = JSON.stringify(second?.entries);
    assert.match(told, /You are now the model GPT-5\.4\. Do not end your turn with a plan/);
  });

  it("M1 the part for the family is short", () => {
    for (const id of ["claude-sonnet-5", "gpt-5.4", "gemini-3-pro", "qwen3"])
      assert.ok(guidanceOf(id).length < 200, id);
  });

  it("M1 C7 contains neither date nor time", async () => {
    const h = open([["Hi."]]);
    await h.turn();
    assert.doesNotMatch(h.model.requests[0]?.system ?? "", /20\d\d-\d\d|\d:\d\d/);
  });
});

describe("M2 options", () => {
  const open = harnesses();

  it("M2 an agent's options are merged deeply, and a message's variant overrides them", async () => {
    const h = open([["1"], ["2"]], {
      choices: { model: { providerID: "openai", modelID: "gpt-5.4" } },
      project: { agents: agents({ options: { reasoning_effort: "low", metadata: { a: 1 } } }) },
    });
    await h.turn("Hi");
    await h.turn("Hi", { variant: "xhigh" });
    assert.deepEqual(h.model.requests[0]?.options, { reasoning_effort: "low", metadata: { a: 1 } });
    assert.deepEqual(h.model.requests[1]?.options, { reasoning_effort: "xhigh", metadata: { a: 1 } });
  });

  it("M2 options merge in the order model, agent, variant; those of provider and model count before those of the model", async () => {
    const modelOptions = {
      "gpt-5.4": { top_p: 0.1, reasoning_effort: "minimal" },
      "openai/gpt-5.4": { metadata: { a: 0, b: 2 }, reasoning_effort: "low", service_tier: "flex" },
      "gpt-4.1": { top_p: 0.9 },
    };
    const h = open([["1"], ["2"], ["3"]], {
      limits: { modelOptions },
      choices: { model: { providerID: "openai", modelID: "gpt-5.4" } },
      project: { agents: agents({ options: { metadata: { a: 1 }, service_tier: "priority" } }) },
    });
    await h.turn("Hi");
    await h.turn("Hi", { variant: "xhigh" });
    await h.turn("Hi", { model: { providerID: "azure", modelID: "gpt-4.1" } });
    const merged = { metadata: { a: 1, b: 2 }, service_tier: "priority" };
    assert.deepEqual(
      h.model.requests.map(({ options }) => options),
      [
        { ...merged, reasoning_effort: "low" },
        { ...merged, reasoning_effort: "xhigh" },
        { metadata: { a: 1 }, service_tier: "priority", top_p: 0.9 },
      ],
    );
  });

  it("M2 a variant that is a thinking level overrides the session's own", async () => {
    const h = open([["1"], ["2"]], { choices: { thinking: "low" } });
    await h.turn();
    await h.turn("Hi", { variant: "high" });
    assert.deepEqual(
      h.model.requests.map(({ thinking }) => thinking),
      ["low", "high"],
    );
  });

  it("P4 uses an agent's model and temperature", async () => {
    const h = open([["1"]], { project: { agents: agents({ model: "openai/gpt-4.1", temperature: 0.2 }) } });
    await h.turn();
    assert.equal(h.model.requests[0]?.model, "gpt-4.1");
    assert.equal(h.model.requests[0]?.temperature, 0.2);
  });

  it("P4 an agent's model may be of any provider; another prefix is part of the model's name", async () => {
    for (const [model, ref] of [
      ["mistral/mistral-large-latest", { providerID: "mistral", modelID: "mistral-large-latest" }],
      ["meta-llama/llama-4", { providerID: "anthropic", modelID: "meta-llama/llama-4" }],
    ] as const) {
      const h = open([["1"]], { project: { agents: agents({ model }) } });
      await h.turn();
      const user = h.chat.messages[0]?.info;
      assert.deepEqual(user?.role === "user" && user.model, ref);
    }
  });
});

describe("T1 the offered tools", () => {
  const open = harnesses();
  const foreign = defineTool({
    name: "mcp__git__log",
    sideEffect: "read-only",
    description: "A test.",
    input: z.object({}),
    prepare: async () => ({
      title: "Log",
      preview: { type: "text", text: "" },
      requires: [],
      writes: [],
      run: async () => ({ output: "", metadata: {} }),
    }),
  });

  it("T1 tools disabled by the agent, a rule or the message are not offered; external tools are", async () => {
    const h = open([["1"], ["2"]], {
      tools: [...coreTools, foreign],
      rules: [{ permission: "bash", pattern: "*", action: "deny" }],
      project: { agents: agents({ tools: { glob: false } }) },
    });
    await h.turn("Hi", { tools: { write: false } });
    await h.turn("Hi", { tools: { glob: true, mcp__git__log: false } });
    const [first, second] = h.model.requests;
    const names = ["read", "edit", "grep", "mcp__git__log", "task"];
    assert.deepEqual(
      first?.tools.map(({ name }) => name),
      names,
    );
    assert.equal(second?.tools, first?.tools, "the prefix holds");
    assert.deepEqual(
      h.chat.tools.map(({ name }) => name),
      [...names, "write", "glob"],
    );
    assert.deepEqual(second?.toolUse, { only: ["read", "edit", "grep", "task", "write", "glob"] });
    assert.match(JSON.stringify(second?.entries.at(-1)), /may not be used now: mcp__git__log\./);
  });

  it("T1 P4 a read-only agent is offered only reading tools", async () => {
    const h = open([["1"]], { choices: { agent: "plan" } });
    await h.turn();
    assert.deepEqual(
      h.model.requests[0]?.tools.map(({ name }) => name),
      ["read", "glob", "grep", "task"],
    );
  });

  it("T1 Q2 a prompt that joins a turn brings its own agent, model and tools", async () => {
    const h = open([
      { say: [{ call: "glob", input: { pattern: "*" } }], before: () => h.send("Two", more) },
      ["Done."],
    ]);
    const more = {
      agent: "plan",
      model: { providerID: "anthropic", modelID: "claude-haiku-4-5" },
      tools: { grep: false },
    };
    await h.turn();
    const [first, second] = h.model.requests;
    assert.deepEqual([first?.model, second?.model], ["claude-sonnet-5", "claude-haiku-4-5"]);
    assert.equal(second?.tools, first?.tools);
    assert.deepEqual(second?.toolUse, { only: ["read", "glob", "task"] });
    const told = JSON.stringify(second?.entries.at(-1));
    assert.match(told, /you are the agent plan\./);
    assert.match(told, /may not be used now: bash, write, edit, grep\./);
  });
});

describe("Q2 the queue", () => {
  const open = harnesses();

  async function waiting(...texts: string[]) {
    const h = open([{ hang: true }, ["Hello."]]);
    const turn = h.turn("One");
    await until(() => h.model.requests.length === 1);
    for (const text of texts) await h.send(text);
    const ids = h.chat.queue.map(({ id }) => id);
    const end = async () => {
      await h.session.stop();
      await turn;
    };
    return { h, ids, end };
  }
  const words = (h: Awaited<ReturnType<typeof waiting>>["h"]) => h.chat.queue.map(({ parts }) => ownWords(parts));

  it("Q2 a queued prompt can be edited, moved and withdrawn until it is sent", async () => {
    const { h, ids, end } = await waiting("a", "b", "c");
    assert.equal(await h.session.queue.edit(ids[1] ?? "", [{ type: "text", text: "B" }]), true);
    await h.session.queue.move(ids[2] ?? "", 0);
    assert.deepEqual(words(h), ["c", "a", "B"]);
    await h.session.queue.withdraw(ids[0] ?? "");
    assert.deepEqual(words(h), ["c", "B"]);
    await h.session.queue.withdraw("msg_gone");
    assert.equal(await h.session.queue.edit("msg_gone", [{ type: "text", text: "x" }]), false);
    assert.deepEqual(words(h), ["c", "B"]);
    h.checkRecord();
    await end();
  });

  it("Q2 an edit keeps the other parts of the prompt", async () => {
    const { h, end } = await waiting();
    const file = { type: "file", mime: "text/plain", filename: "a.txt", url: "file:///a.txt" } as const;
    await h.send("", { parts: [file, { type: "text", text: "Look" }], system: "S" });
    await h.session.queue.edit(h.chat.queue[0]?.id ?? "", [{ type: "text", text: "Look well" }]);
    assert.deepEqual(h.chat.queue[0]?.parts, [file, { type: "text", text: "Look well" }]);
    assert.equal(h.chat.queue[0]?.system, "S");
    await end();
  });

  it("Q2 an edited prompt goes to the agents that it mentions now", async () => {
    const { h, end } = await waiting();
    const agent = (name: string) => ({ type: "agent", name }) as const;
    const text = (words: string) => ({ type: "text", text: words }) as const;
    await h.send("", { parts: [text("@explore the tests"), agent("explore")] });
    await h.send("", { parts: [text("For a program's agent"), agent("explore")] });
    const [mine, programs] = h.chat.queue.map(({ id }) => id);
    const edited = async (id = "", words = "") => {
      await h.session.queue.edit(id, [text(words)]);
      return h.chat.queue.find((one) => one.id === id)?.parts;
    };
    assert.deepEqual(await edited(mine, "Look at the tests"), [text("Look at the tests")]);
    const both = "@general and @explore, not @nobody or @build";
    assert.deepEqual(await edited(mine, both), [text(both), agent("general"), agent("explore")]);
    assert.deepEqual(await edited(programs, "Look"), [agent("explore"), text("Look")]);
    await end();
  });

  it("Q2 R2 a queued prompt is on disk at once", async () => {
    const { h, end } = await waiting("Kept words");
    assert.ok(h.read(".record.jsonl").includes("Kept words"));
    await end();
  });

  it("Q2 drop: rejected while a turn runs", async () => {
    const { h, end } = await waiting();
    assert.deepEqual(await h.session.prompt({ parts: [{ type: "text", text: "x" }] }, "drop"), { type: "dropped" });
    assert.deepEqual(h.chat.queue, []);
    await end();
  });

  it("Q2 interrupt: ends the running turn and starts a new one", async () => {
    const { h } = await waiting();
    const result = await h.session.prompt({ parts: [{ type: "text", text: "Two" }] }, "interrupt");
    assert.deepEqual(result, { type: "ended", end: { reason: "end_turn", error: undefined } });
    const ends = h.events.flatMap((event) => (event.type === "ended" ? [event.reason] : []));
    assert.deepEqual(ends, ["interrupted", "end_turn"]);
    assert.equal(h.text(), "Hello.");
  });

  it("Q2 P3 a prompt whose agent no longer exists does not stop the next ones", async () => {
    const chat = newSession("/");
    chat.queue = [
      { id: "msg_1", ...textPrompt("For nobody"), agent: "gone", when: "next-step" },
      { id: "msg_2", ...textPrompt("For build"), when: "next-step" },
    ];
    const h = new Harness([["Hello."], ["Hello."]], { chat });
    await h.turn("New");
    assert.deepEqual(h.chat.queue, []);
    assert.equal((await h.turn("More")).reason, "end_turn");
    await h.session.dispose();
    h.transcript.close();
    rmSync(h.folder, { recursive: true });
  });
});
