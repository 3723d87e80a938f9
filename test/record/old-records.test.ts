/**
 * Records of version 0.4.0 stay readable. `fixtures/0.4.0` holds what that version wrote for a session with a retried
 * request, tool calls, a permission denial, a queued prompt, a subagent, a question, a subtask, loop detection, Stop,
 * compaction, a rewind and a reached budget. `interrupted.jsonl` is the end of a record whose process was killed.
 */
import assert from "node:assert/strict";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Chat } from "../../src/chat/apply.ts";
import type { Part } from "../../src/chat/message.ts";
import { textPrompt } from "../../src/chat/prompt-input.ts";
import { Session } from "../../src/loop/session/session.ts";
import { Sessions } from "../../src/record/sessions.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import { registryOf } from "../../src/tools/registry.ts";
import { ScriptedModel } from "../scripted-model.ts";
import { plainDeps } from "./deps.ts";

const fixtures = path.join(import.meta.dirname, "fixtures", "0.4.0");
const id = "ses_01M81HXR918E0J0YGX1MQW0SCZ";

describe("records of version 0.4.0", () => {
  let folder: string;
  let sessions: Sessions;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-old-records-"));
    sessions = new Sessions(path.join(folder, "sessions"));
    cpSync(fixtures, sessions.folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("R1 a part of a type that no longer exists is ignored, without a broken line", () => {
    const before = sessions.open(id).chat;
    const part = {
      type: "snapshot",
      id: "prt_1",
      sessionID: id,
      messageID: before.messages[0]?.info.id,
      snapshot: "s",
    };
    appendFileSync(path.join(sessions.folder, `${id}.jsonl`), `${JSON.stringify({ type: "part", part })}\n`);
    const { chat, broken } = sessions.open(id);
    assert.deepEqual(broken, []);
    assert.deepEqual(chat.messages, before.messages);
  });

  it("R1 R3 the whole record replays", () => {
    const { chat, broken } = sessions.open(id);
    assert.deepEqual(broken, []);
    assert.equal(chat.session.title, "Make it print 3");
    assert.deepEqual(prompts(chat), [
      "Make it print 3.",
      "Clean up.",
      "And keep the docs.",
      "Where is x?",
      "Where is y?",
      "Read it again and again.",
      "List.",
      "Go on.",
      "A better way.",
      "Read a.js.",
    ]);
    assert.deepEqual(
      parts(chat, "tool").map(({ tool, state }) => [tool, state.status, /denied":true/.test(JSON.stringify(state))]),
      [
        ["read", "completed", false],
        ["edit", "completed", false],
        ["bash", "completed", false],
        ["bash", "error", true],
        ["task", "completed", false],
        ["ask_user", "completed", false],
        ["read", "error", false],
        ["task", "completed", false],
        ["read", "completed", false],
        ["read", "completed", false],
        ["read", "error", true],
        ["bash", "error", false],
        ["read", "error", false],
      ],
    );
    for (const type of ["file", "reasoning", "subtask", "compaction", "patch"] as const) {
      assert.equal(parts(chat, type).length, 1, type);
    }
    assert.deepEqual(chat.queue, []);
  });

  it("R5 S1 the list shows the session without its subagents, whose records replay too", () => {
    const [summary, ...others] = sessions.list();
    assert.deepEqual(others, []);
    assert.partialDeepStrictEqual(summary, { id, title: "Make it print 3", failed: false });
    assert.ok((summary?.cost ?? 0) > 5, "its cost is known");
    const children = parts(sessions.open(id).chat, "tool").flatMap(({ state }) =>
      state.status === "completed" && state.metadata.childID ? [sessions.open(state.metadata.childID)] : [],
    );
    assert.deepEqual(
      children.map(({ chat, broken }) => [chat.session.parentID, chat.session.title, broken]),
      [
        [id, "Find the x", []],
        [id, "Find y", []],
      ],
    );
  });

  it("Q3 C3 the session continues after its summary", async () => {
    const { chat, requests } = await continued();
    const first = requests[0] ?? assert.fail();
    assert.ok(first.entries.some(({ info }) => info.role === "assistant"));
    const lastReply = first.entries.findLastIndex(({ info }) => info.role === "assistant");
    assert.ok(first.unboundEntries > lastReply, "what its thoughts are bound to is not known");
    assert.equal(chat.prefix?.system, requests.at(-1)?.system);
    const sent = JSON.stringify(first.entries);
    for (const text of ["Make a.js print 3.", "This stays."]) assert.ok(sent.includes(text), text);
    for (const text of ["Keep it.", "A wrong way."]) assert.ok(!sent.includes(text), text);
    assert.deepEqual(prompts(chat).slice(-2), ["Read a.js.", "What now?"]);
    assert.deepEqual(sessions.open(id).chat.messages, chat.messages);
  });

  it("R4 Q3 an interrupted turn is closed when the session continues", async () => {
    appendFileSync(sessions.path(id), readFileSync(path.join(fixtures, "interrupted.jsonl")));
    const queued = sessions.open(id).chat.queue.map(({ when }) => when);
    assert.deepEqual(queued, ["next-step"], "0.4.0 knew no other time");
    const { chat, requests } = await continued();
    assert.deepEqual(
      parts(chat, "tool")
        .slice(-2)
        .map(({ tool, state }) => [tool, state.status]),
      [
        ["bash", "error"],
        ["read", "error"],
      ],
    );
    assert.ok(parts(chat, "text").some(({ text }) => text === "I look for it."));
    assert.deepEqual(prompts(chat).slice(-3), ["Ask @explore.", "And hurry.", "What now?"]);
    assert.deepEqual(chat.queue, []);
    assert.ok(JSON.stringify(requests.at(-1)?.entries).includes("And hurry."));
    assert.deepEqual(sessions.open(id).chat.messages, chat.messages);
  });

  async function continued(): Promise<{ chat: Chat; requests: ScriptedModel["requests"] }> {
    const replay = sessions.open(id);
    const { chat } = replay;
    const recorder = sessions.transcript(id, () => assert.fail(), replay);
    // The last reply of the record filled the context window, so the conversation is compacted first.
    const model = new ScriptedModel([["A second summary."], ["Done."]]);
    const session = new Session(
      chat,
      {
        mode: "default",
        modeEnd: undefined,
        agent: "build",
        thinking: "default",
        appended: "",
        model: { providerID: "anthropic", modelID: "claude-sonnet-5" },
      },
      {
        ...plainDeps,
        host: nodeHost({ folders: [folder], trusted: true, overflowDir: sessions.outputs(id) }),
        tools: registryOf(coreTools),
        recorder,
        openModel: async () => model,
        attended: false,
        sendsWaiting: false,
      },
    );
    const result = await session.prompt(textPrompt("What now?"));
    assert.equal(result.type === "ended" && result.end.reason, "end_turn");
    await session.dispose();
    recorder.close();
    return { chat: JSON.parse(JSON.stringify(chat)), requests: model.requests };
  }
});

/** Returns the words of each prompt. A request for compaction has none. */
function prompts({ messages }: Chat): string[] {
  return messages
    .filter(({ info }) => info.role === "user")
    .map(({ parts }) => parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : [])).join(""))
    .filter((text) => text !== "");
}

function parts<Type extends Part["type"]>({ messages }: Chat, type: Type): Extract<Part, { type: Type }>[] {
  return messages
    .flatMap(({ parts }) => parts)
    .filter((part): part is Extract<Part, { type: Type }> => part.type === type);
}
