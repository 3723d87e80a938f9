/** Agents that work on a prompt before the model is called: mentioned in it, or as its subtasks. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { failure } from "../scripted-model.ts";
import { cast, made, whoIs } from "./cast.ts";
import { type Harness, harnesses } from "./harness.ts";

describe("mentions", () => {
  const open = harnesses();

  it("L6 S1 a mentioned agent works on the prompt before the model is called", async () => {
    const h = open(cast({ main: [["It is in a.txt."]], helper: [["a.txt:1"]] }), { project: { agents: made } });
    const file = { type: "file" as const, mime: "text/plain", filename: "b.txt", url: "file:///b.txt" };
    const parts = [file, { type: "text" as const, text: "@helper Where is x?" }];
    const end = await h.turn("", { parts: [...parts, { type: "agent", name: "helper" }] });
    assert.equal(end.reason, "end_turn");
    assert.deepEqual(h.model.requests.map(whoIs), ["helper", "main"]);
    assert.deepEqual(h.results(), ["a.txt:1"]);
    assert.deepEqual(h.calls[0]?.state.input, {
      description: "@helper Where is x?",
      prompt: "@helper Where is x?\n\nFiles that the user attached: b.txt",
      subagent_type: "helper",
    });
    const told = JSON.stringify(h.model.requests[1]?.entries.map(({ parts }) => parts));
    assert.ok(told.includes("Where is x?") && told.includes("a.txt:1"), "the model is told the prompt and the result");
  });

  it("K1 events of a subagent have their own run", async () => {
    const h = open(cast({ main: [["Done."]], helper: [[{ call: "glob", input: { pattern: "*" } }], ["None."]] }), {
      project: { agents: made },
    });
    await h.turn("", {
      parts: [
        { type: "text", text: "Look" },
        { type: "agent", name: "helper" },
      ],
    });
    const starts = h.loopEvents.flatMap((event) => (event.type === "loop:start" ? [event] : []));
    assert.deepEqual(
      starts.map(({ sessionId }) => sessionId),
      [h.chat.session.id, ...Object.keys(h.chat.children)],
    );
    const tools = h.loopEvents.flatMap((event) => (event.type === "tool:start" ? [[event.toolName, event.runId]] : []));
    assert.deepEqual(tools, [
      ["task", starts[0]?.runId],
      ["glob", starts[1]?.runId],
    ]);
  });

  it("K1 T4 the end of each call is told with its result, also of subagents, of failed and of denied calls", async () => {
    const calls = [
      { call: "glob", input: { pattern: "*.md" } },
      { call: "read", input: { file_path: "gone" } },
    ];
    const denied = { call: "bash", input: { command: "echo x" } };
    const helper = [[...calls, denied], ["None."]];
    const main = [[{ call: "task", input: { description: "x", prompt: "x", subagent_type: "helper" } }], ["Done."]];
    const h = open(cast({ main, helper }), { project: { agents: made }, files: { "a.md": "x" }, attended: false });
    await h.turn();
    const ends = h.loopEvents.flatMap((event) => (event.type === "tool:end" ? [event] : []));
    const parts = [h.chat, ...Object.values(h.chat.children)].flatMap(({ messages }) =>
      messages.flatMap((entry) => entry.parts.flatMap((part) => (part.type === "tool" ? [part] : []))),
    );
    assert.deepEqual(ends.map(({ toolName }) => toolName).sort(), ["bash", "glob", "read", "task"]);
    for (const { partId, toolCallId, toolName, result, output } of ends) {
      const part = parts.find(({ id }) => id === partId);
      assert.ok(part && part.callID === toolCallId && part.tool === toolName);
      assert.equal(part.state.status, result);
      assert.equal(part.state.status === "completed" ? part.state.output : "", result === "completed" ? output : "");
      assert.equal(part.state.status === "error" ? part.state.error : "", result === "error" ? output : "");
      assert.notEqual(output, "");
    }
  });
});

describe("subtasks", () => {
  const open = harnesses();
  const subtask = (name: string, prompt: string) =>
    ({ type: "subtask", agent: name, description: "Look first", prompt }) as const;

  it("L6 run before the model is called, in order, as calls of task; the turn continues with their results", async () => {
    const h = open(cast({ main: [["Both said."]], helper: [["One."]], reader: [["Two."]] }), {
      project: { agents: made },
    });
    const parts = [
      subtask("helper", "First."),
      subtask("reader", "Second."),
      { type: "text" as const, text: "Compare." },
    ];
    const end = await h.turn("", { parts });
    assert.equal(end.reason, "end_turn");
    assert.deepEqual(h.model.requests.map(whoIs), ["helper", "reader", "main"]);
    assert.deepEqual(h.results(), ["One.", "Two."]);
    assert.deepEqual(
      h.calls.map(({ tool }) => tool),
      ["task", "task"],
    );
    const [user, first, second, last] = h.chat.messages;
    for (const reply of [first, second]) {
      assert.ok(reply?.info.role === "assistant" && reply.info.finish === "tool-calls");
      assert.equal(reply.info.parentID, user?.info.id);
    }
    assert.equal(last?.info.role === "assistant" && last.info.finish, "stop");
    assert.equal(h.text(), "Both said.");
  });

  it("L6 a failure is reported to the model, and the subtask is not repeated", async () => {
    const h = open(cast({ main: [["I see."]], helper: [{ fail: failure("invalid") }] }), { project: { agents: made } });
    assert.equal((await h.turn("", { parts: [subtask("helper", "Look.")] })).reason, "end_turn");
    assert.match(h.results()[0] ?? "", /^ERROR The subagent failed/);
    assert.equal(h.calls.length, 1);
  });

  it("R2 the call that starts a subagent is recorded before the subagent starts", async () => {
    let before = "";
    const h: Harness = open(
      (request) => {
        if (whoIs(request) === "main") return ["Done."];
        before = readFileSync(path.join(h.folder, ".record.jsonl"), "utf8");
        return ["One."];
      },
      { project: { agents: made } },
    );
    await h.turn("", { parts: [subtask("helper", "Look.")] });
    assert.match(before, /"childID":"ses_/);
    assert.ok(h.children.every((file) => existsSync(file)));
  });
});
