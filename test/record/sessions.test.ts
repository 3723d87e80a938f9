import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { textPrompt } from "../../src/chat/prompt-input.ts";
import { newSession, Session } from "../../src/loop/session/session.ts";
import { RecordError } from "../../src/loop/storage.ts";
import { claimPath, lockPath, RecordLock } from "../../src/record/session-lock.ts";
import { Sessions } from "../../src/record/sessions.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import { registryOf } from "../../src/tools/registry.ts";
import { type Script, ScriptedModel } from "../scripted-model.ts";
import { user } from "../wire/ask.ts";
import { plainDeps } from "./deps.ts";

describe("the list of sessions", () => {
  let folder: string;
  let sessions: Sessions;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-sessions-"));
    sessions = new Sessions(path.join(folder, "sessions"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Records a session with one prompt, as after its window was closed. @returns its id */
  async function hold(prompt: string, script: Script = [["Hello."]], modelID = "claude-sonnet-5"): Promise<string> {
    const chat = newSession(folder);
    const { id } = chat.session;
    const transcript = sessions.transcript(id, () => assert.fail());
    const model = new ScriptedModel(script);
    const choices = { mode: "default", modeEnd: undefined, agent: "build", thinking: "default", appended: "" } as const;
    const session = new Session(
      chat,
      { ...choices, model: { providerID: "anthropic", modelID } },
      {
        ...plainDeps,
        host: nodeHost({ folders: [folder], trusted: true, overflowDir: sessions.outputs(id) }),
        tools: registryOf(coreTools),
        recorder: transcript,
        openModel: async () => model,
        attended: false,
        sendsWaiting: false,
      },
    );
    await session.prompt(textPrompt(prompt));
    await session.dispose();
    transcript.close();
    sessions.saveSummary(chat);
    return id;
  }

  it("R5 shows title, time, messages, tokens and cost, newest first", async () => {
    const first = await hold("First things");
    const second = await hold("Second things");
    const list = sessions.list();
    assert.deepEqual(
      list.map(({ id, title }) => [id, title]),
      [
        [second, "Second things"],
        [first, "First things"],
      ],
    );
    assert.partialDeepStrictEqual(list[0], { messages: 2, tokens: 15, cost: 0.00007, failed: false });
  });

  const index = () => path.join(sessions.folder, "sessions.index");

  it("R5 opens without reading the records, and can be rebuilt from them", async () => {
    const id = await hold("Hi there");
    await hold("And again");
    const before = sessions.list();
    const record = readFileSync(sessions.path(id));
    writeFileSync(sessions.path(id), "x".repeat(record.length));
    assert.deepEqual(sessions.list(), before);
    writeFileSync(sessions.path(id), record);
    const whole = readFileSync(index(), "utf8");
    for (const spoiled of [undefined, "", "{", whole.slice(0, -20), whole.slice(9), `{"id":"${id}","size":"7"}\n`]) {
      if (spoiled === undefined) rmSync(index());
      else writeFileSync(index(), spoiled);
      assert.deepEqual(sessions.list(), before);
      writeFileSync(sessions.path(id), "x".repeat(record.length));
      assert.deepEqual(sessions.list(), before, "what was found out is kept");
      writeFileSync(sessions.path(id), record);
    }
  });

  it("R5 a record that has grown since its summary, as after a crash, is read again", async () => {
    const id = await hold("Hi there");
    const transcript = sessions.transcript(id, () => assert.fail(), sessions.open(id));
    transcript.append({ type: "session", session: { ...sessions.open(id).chat.session, title: "Another name" } });
    transcript.close();
    assert.equal(sessions.list()[0]?.title, "Another name");
  });

  it("R5 a record that is being written is summarized when its turn ends", async () => {
    const id = await hold("Hi there");
    const transcript = sessions.transcript(id, () => assert.fail(), sessions.open(id));
    const lock = new RecordLock(transcript, { sessionID: id, lockTimeoutMs: 60_000 });
    const held = await lock.acquire("run_1", 0, new AbortController().signal);
    transcript.append({ type: "session", session: { ...sessions.open(id).chat.session, title: "Another name" } });
    transcript.flush();
    assert.equal(sessions.list()[0]?.title, "Hi there");
    held.release();
    assert.equal(sessions.list()[0]?.title, "Another name");
  });

  it("R5 the index does not grow forever", async () => {
    const id = await hold("Hi there");
    const { chat } = sessions.open(id);
    for (let time = 0; time < 2000; time++) {
      sessions.saveSummary(chat);
      if (time % 100 === 0) assert.equal(sessions.list().length, 1);
    }
    assert.ok(readFileSync(index(), "utf8").split("\n").length < 1500);
  });

  it("S1 sessions of subagents are not listed, and are deleted with their parent", async () => {
    const id = await hold("Hi there");
    const children = ["ses_child", "ses_grandchild"];
    for (const [at, child] of children.entries()) {
      const chat = newSession(folder, child);
      chat.session.parentID = children[at - 1] ?? id;
      chat.messages = sessions.open(id).chat.messages;
      sessions.add(chat);
    }
    const other = await hold("Something else");
    assert.deepEqual(
      sessions.list().map((one) => one.id),
      [other, id],
    );
    rmSync(index());
    assert.equal(sessions.list().length, 2);
    sessions.remove(id);
    assert.deepEqual(readdirSync(sessions.folder).sort(), [`${other}.jsonl`, "sessions.index"]);
  });

  it("R5 files that are not records, empty or named after another session are not listed", async () => {
    const id = await hold("Hi there");
    writeFileSync(path.join(sessions.folder, "notes.jsonl"), "Dear diary\n");
    writeFileSync(path.join(sessions.folder, "empty.jsonl"), '{"rondo":1}\n');
    writeFileSync(path.join(sessions.folder, "copy.jsonl"), readFileSync(sessions.path(id)));
    writeFileSync(path.join(sessions.folder, "a name.jsonl"), readFileSync(sessions.path(id)));
    mkdirSync(path.join(sessions.folder, "folder.jsonl"));
    assert.deepEqual(
      sessions.list().map((one) => one.id),
      [id],
    );
    assert.deepEqual(new Sessions(path.join(folder, "nowhere")).list(), []);
  });

  it("B1 shows no cost when a price is unknown, and marks a session that ended in an error", async () => {
    await hold("Hi", [], "my-own-model");
    const [summary] = sessions.list();
    assert.equal(summary?.failed, true);
    await hold("Hi", [["Hello."]], "my-own-model");
    assert.equal(sessions.list()[0]?.cost, undefined);
  });

  it("R3 a session whose first line is broken opens under the name of its file", async () => {
    const id = await hold("Mend the cart");
    const lines = readFileSync(sessions.path(id), "utf8").split("\n");
    writeFileSync(sessions.path(id), lines.map((line) => (line.includes('"session"') ? "?" : line)).join("\n"));
    rmSync(index());
    const { chat, broken } = sessions.open(id);
    assert.equal(broken.length, 1);
    assert.equal(chat.session.id, id);
    assert.equal(chat.session.title, "Mend the cart");
    assert.equal(chat.session.cwd, folder);
    assert.equal(sessions.list()[0]?.id, id);
  });

  it("R3 a session without a first line is described by what it has: the user's own words, or nothing", async () => {
    const text = (words: string, synthetic: boolean) => ({ type: "text", text: words, synthetic }) as const;
    for (const [id, messages, shown] of [
      ["ses_none", [], { createdAt: 0, title: "Session", cwd: "" }],
      ["ses_own", [user(text("Rondo's words.", true))], { title: "Session", cwd: "" }],
      ["ses_words", [user(text("Rondo's words.", true), text("Mend it", false))], { title: "Mend it", cwd: "" }],
    ] as const) {
      sessions.add({ ...newSession(folder, id), messages: [...messages] });
      const lines = readFileSync(sessions.path(id), "utf8").split("\n");
      writeFileSync(
        sessions.path(id),
        lines.map((line) => (line.includes('"type":"session"') ? "?" : line)).join("\n"),
      );
      const { session } = sessions.open(id).chat;
      assert.partialDeepStrictEqual(session, { id, ...shown });
      assert.equal(session.createdAt, messages[0]?.info.createdAt ?? 0);
    }
  });

  it("removing deletes the record, its summary and its outputs, and nothing else", async () => {
    const id = await hold("One");
    const other = await hold("Two");
    mkdirSync(sessions.outputs(id));
    writeFileSync(path.join(sessions.outputs(id), "call.txt"), "long");
    sessions.remove(id);
    assert.deepEqual(readdirSync(sessions.folder).sort(), [`${other}.jsonl`, "sessions.index"]);
    assert.deepEqual(
      sessions.list().map((one) => one.id),
      [other],
    );
    sessions.remove(id);
  });

  it("removing deletes what a killed process left beside the record, and ends if a session names itself as its parent", async () => {
    const id = await hold("One");
    for (const file of [lockPath(sessions.path(id)), claimPath(sessions.path(id))]) writeFileSync(file, "");
    const odd = newSession(folder, "ses_odd");
    odd.session.parentID = "ses_odd";
    sessions.add(odd);
    sessions.remove("ses_odd");
    assert.equal(sessions.has("ses_odd"), false);
    assert.equal(sessions.has(id), true);
    sessions.remove(id);
    assert.deepEqual(readdirSync(sessions.folder), ["sessions.index"]);
  });

  it("a record that is added ends where the next line begins", async () => {
    const chat = { ...newSession(folder, "ses_added"), messages: sessions.open(await hold("One")).chat.messages };
    assert.equal(sessions.add(chat).end, statSync(sessions.path("ses_added")).size);
    assert.equal(sessions.list().length, 2);
  });

  it("an id cannot point outside the folder", async () => {
    writeFileSync(path.join(folder, "mine.jsonl"), '{"rondo":1}\n');
    for (const id of ["../mine", "..", "", "a/b", "a\\b", "/etc/passwd", ".hidden", "a\0b", "x".repeat(101), "a.b"]) {
      assert.throws(() => sessions.path(id), RecordError, id);
      assert.throws(() => sessions.remove(id), RecordError, id);
      assert.throws(() => sessions.open(id), RecordError, id);
      assert.throws(() => sessions.transcript(id, () => {}), RecordError, id);
    }
    assert.deepEqual(readdirSync(folder), ["mine.jsonl", "sessions"]);
  });

  it("reports a folder that cannot be created", () => {
    writeFileSync(path.join(folder, "file"), "");
    const blocked = new Sessions(path.join(folder, "file", "sessions"));
    assert.throws(() => blocked.transcript("ses_1", () => {}), { name: "RecordError", message: /cannot be created/ });
  });
});
