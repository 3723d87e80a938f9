import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { newSession, Session } from "../../src/loop/session.ts";
import { RecordError } from "../../src/loop/store.ts";
import { Sessions } from "../../src/record/sessions.ts";
import { coreTools } from "../../src/tools/core.ts";
import { nodeHost } from "../../src/tools/node-host.ts";
import { registryOf } from "../../src/tools/registry.ts";
import { type Script, ScriptedModel } from "../scripted-model.ts";
import { plainDeps } from "./deps.ts";

describe("the list of sessions", () => {
  let folder: string;
  let sessions: Sessions;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-sessions-"));
    sessions = new Sessions(path.join(folder, "sessions"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A session with one prompt, as it is after its window was closed. */
  async function hold(prompt: string, script: Script = [["Hello."]], modelID = "claude-sonnet-5"): Promise<string> {
    const chat = newSession(folder);
    const { id } = chat.session;
    const transcript = sessions.transcript(id, () => assert.fail());
    const model = new ScriptedModel(script);
    const choices = { mode: "default", agent: "build", thinking: "default", appended: "" } as const;
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
      },
    );
    await session.prompt({ text: prompt, attachments: [] });
    await session.dispose();
    transcript.close();
    sessions.saveSummary(chat);
    return id;
  }

  it("R5 title, time, messages, tokens and cost, newest first", async () => {
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

  it("R5 it opens without reading the records, and is made anew from them", async () => {
    const id = await hold("Hi there");
    const record = readFileSync(sessions.path(id));
    writeFileSync(sessions.path(id), "not read\n");
    assert.equal(sessions.list()[0]?.title, "Hi there");
    writeFileSync(sessions.path(id), record);
    const before = sessions.list();
    for (const spoil of ["gone", "{", '{"id":7}']) {
      const summary = path.join(sessions.folder, `${id}.json`);
      if (spoil === "gone") rmSync(summary);
      else writeFileSync(summary, spoil);
      assert.deepEqual(sessions.list(), before);
      assert.doesNotThrow(() => JSON.parse(readFileSync(summary, "utf8")));
    }
  });

  it("R5 what is no record, empty, or under another's name is not listed", async () => {
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

  it("B1 no cost where the price is not known; a session that ended in an error says so", async () => {
    await hold("Hi", [], "my-own-model");
    const [summary] = sessions.list();
    assert.equal(summary?.failed, true);
    await hold("Hi", [["Hello."]], "my-own-model");
    assert.equal(sessions.list()[0]?.cost, undefined);
  });

  it("R3 the line that names the session is broken: it opens under its file's name", async () => {
    const id = await hold("Mend the cart");
    const lines = readFileSync(sessions.path(id), "utf8").split("\n");
    writeFileSync(sessions.path(id), lines.map((line) => (line.includes('"session"') ? "?" : line)).join("\n"));
    rmSync(path.join(sessions.folder, `${id}.json`));
    const { chat, broken } = sessions.open(id);
    assert.equal(broken.length, 1);
    assert.equal(chat.session.id, id);
    assert.equal(chat.session.title, "Mend the cart");
    assert.equal(chat.session.cwd, folder);
    assert.equal(sessions.list()[0]?.id, id);
  });

  it("removing takes the record, its summary and its outputs, and nothing else", async () => {
    const id = await hold("One");
    const other = await hold("Two");
    mkdirSync(sessions.outputs(id));
    writeFileSync(path.join(sessions.outputs(id), "call.txt"), "long");
    sessions.remove(id);
    assert.deepEqual(readdirSync(sessions.folder).sort(), [`${other}.json`, `${other}.jsonl`]);
    sessions.remove(id);
  });

  it("an id cannot lead out of the folder", async () => {
    writeFileSync(path.join(folder, "mine.jsonl"), '{"rondo":1}\n');
    for (const id of ["../mine", "..", "", "a/b", "a\\b", "/etc/passwd", ".hidden", "a\0b", "x".repeat(101), "a.b"]) {
      assert.throws(() => sessions.path(id), RecordError, id);
      assert.throws(() => sessions.remove(id), RecordError, id);
      assert.throws(() => sessions.open(id), RecordError, id);
      assert.throws(() => sessions.transcript(id, () => {}), RecordError, id);
    }
    assert.deepEqual(readdirSync(folder), ["mine.jsonl", "sessions"]);
  });

  it("a folder that cannot be made: a sentence", () => {
    writeFileSync(path.join(folder, "file"), "");
    const blocked = new Sessions(path.join(folder, "file", "sessions"));
    assert.throws(() => blocked.transcript("ses_1", () => {}), { name: "RecordError", message: /cannot be made/ });
  });
});
