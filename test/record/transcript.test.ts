import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { newChat } from "../../src/chat/apply.ts";
import type { RecordedEvent } from "../../src/chat/events.ts";
import type { AssistantMessage, Part } from "../../src/chat/message.ts";
import { RecordError } from "../../src/loop/storage.ts";
import { replay } from "../../src/record/replay.ts";
import { Transcript } from "../../src/record/transcript.ts";

const model = { providerID: "anthropic", modelID: "test" };
const tokens = { input: 1, output: 2, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
const ids = { sessionID: "ses_1", messageID: "msg_2" };

const user: RecordedEvent = {
  type: "message",
  message: { id: "msg_1", sessionID: "ses_1", createdAt: 1, role: "user", agent: "build", model },
};
const reply: AssistantMessage = {
  id: "msg_2",
  sessionID: "ses_1",
  createdAt: 2,
  role: "assistant",
  parentID: "msg_1",
  agent: "build",
  model,
  path: { cwd: "/", root: "/" },
  tokens,
};
const text = (said: string): Part => ({ ...ids, id: "prt_1", type: "text", text: said });
const delta = (said: string): RecordedEvent => ({ type: "delta", messageID: "msg_2", partID: "prt_1", text: said });

/** A small session with an event of each kind. */
const events: RecordedEvent[] = [
  { type: "session", session: { id: "ses_1", createdAt: 1, title: "Grüße – 你好 😀", cwd: "/project" } },
  user,
  { type: "part", part: { ...ids, messageID: "msg_1", id: "prt_0", type: "text", text: "Hallo – 你好 😀" } },
  { type: "message", message: reply },
  { type: "part", part: text("lost") },
  { type: "reset", messageID: "msg_2" },
  { type: "part", part: text("") },
  delta("Hé"),
  delta("llo 😀"),
  { type: "queued", queue: [{ id: "msg_3", parts: [{ type: "text", text: "And then?" }], when: "after-turn" }] },
  delta(" there"),
  { type: "part", part: text("Héllo 😀 there!") },
  { type: "message", message: { ...reply, completedAt: 3, finish: "stop" } },
  { type: "queued", queue: [] },
];

describe("the record", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-record-"));
    file = path.join(folder, "ses_1.jsonl");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (some: readonly RecordedEvent[], onError: (error: RecordError) => void = () => assert.fail()) => {
    const transcript = new Transcript(file, onError);
    for (const event of some) transcript.append(event);
    transcript.close();
  };
  const lines = () => readFileSync(file, "utf8").split("\n").slice(0, -1);

  it("R1 starts with a versioned line, then one event per line; replay gives the session", () => {
    write(events);
    assert.deepEqual(JSON.parse(lines()[0] ?? ""), { rondo: 1 });
    for (const line of lines()) assert.equal(typeof JSON.parse(line), "object");
    const { chat, broken } = replay(file);
    assert.deepEqual(broken, []);
    const expected = newChat({ id: "ses_1", createdAt: 1, title: "Grüße – 你好 😀", cwd: "/project" });
    expected.messages = [
      {
        info: user.type === "message" ? user.message : assert.fail(),
        parts: [{ ...ids, messageID: "msg_1", id: "prt_0", type: "text", text: "Hallo – 你好 😀" }],
      },
      { info: { ...reply, completedAt: 3, finish: "stop" }, parts: [text("Héllo 😀 there!")] },
    ];
    assert.deepEqual(chat, expected);
  });

  it("R1 consecutive deltas become one line, or none when the complete part follows", () => {
    write([...events.slice(0, 5), delta("a"), delta("b"), delta("c")]);
    assert.equal(lines().filter((line) => line.includes('"delta"')).length, 1);
    write([delta("d"), { type: "part", part: text("whole") }]);
    assert.equal(lines().filter((line) => line.includes('"delta"')).length, 1);
    const part = replay(file).chat.messages[1]?.parts[0];
    assert.equal(part?.type === "text" && part.text, "whole");
  });

  it("R1 only grows, and only its owner can read it", () => {
    write(events.slice(0, 5));
    const before = readFileSync(file);
    write(events.slice(5));
    assert.deepEqual(readFileSync(file).subarray(0, before.length), before);
    if (process.platform !== "win32") assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it("R1 creates no file before there is something to write", () => {
    new Transcript(file, () => assert.fail()).close();
    assert.equal(statSync(file, { throwIfNoEntry: false }), undefined);
  });

  it("R2 writes events soon, even when nothing depends on them", async () => {
    const transcript = new Transcript(file, () => assert.fail());
    for (const event of events) transcript.append(event);
    assert.equal(statSync(file, { throwIfNoEntry: false }), undefined);
    await new Promise((resolve) => setTimeout(resolve, 150));
    assert.equal(replay(file).chat.messages.length, 2);
    transcript.close();
  });

  it("R3 cut off at any byte: the last line is dropped, nothing before it is lost, and writing continues", () => {
    write(events);
    const whole = readFileSync(file);
    const ends = [...whole.keys()].filter((at) => whole[at] === 10);
    const states = new Map<number, string>();
    for (let size = whole.length; size >= 0; size--) {
      truncateSync(file, size);
      const complete = ends.filter((end) => end < size).length;
      if (complete === 0) {
        assert.throws(() => replay(file), RecordError);
      } else {
        const { chat, broken } = replay(file);
        assert.deepEqual(broken, []);
        const state = JSON.stringify(chat);
        assert.equal(states.get(complete) ?? state, state, `torn after ${size} bytes`);
        states.set(complete, state);
      }
      // A session does this when it is opened again.
      if (size % 17 !== 0) continue;
      write([user, { type: "queued", queue: [] }]);
      const { chat, broken } = replay(file);
      assert.deepEqual(broken, [], `appended after ${size} bytes`);
      assert.equal(chat.messages[0]?.info.id, "msg_1");
      writeFileSync(file, whole.subarray(0, size));
    }
    assert.equal(states.size, ends.length);
  });

  for (const [name, broken] of [
    ["no JSON", '{"type":"part","pa'],
    ["no event", '{"type":"tea","milk":true}'],
    ["an event with a field missing", '{"type":"delta","messageID":"msg_2"}'],
    ["an empty line", ""],
    ["null bytes, as after a system crash", "\0\0\0\0"],
  ] as const) {
    it(`R3 a broken line in the middle (${name}) is reported, and the rest is read`, () => {
      write(events);
      const good = lines();
      writeFileSync(file, `${[...good.slice(0, 6), broken, ...good.slice(6)].join("\n")}\n`);
      const found = replay(file);
      assert.deepEqual(found.broken, [{ line: 7, text: broken }]);
      assert.equal(found.chat.messages.length, 2);
      const part = found.chat.messages[1]?.parts[0];
      assert.equal(part?.type === "text" && part.text, "Héllo 😀 there!");
    });
  }

  it("R3 any line may be missing: the rest is read", () => {
    write(events);
    const good = lines();
    for (let at = 1; at < good.length; at++) {
      writeFileSync(file, `${good.toSpliced(at, 1).join("\n")}\n`);
      assert.doesNotThrow(() => replay(file));
    }
  });

  it("R1 fields that a later version adds are ignored", () => {
    write(events.slice(0, 2));
    writeFileSync(file, `${lines().join("\n").replace('"role":"user"', '"role":"user","mood":"good"')}\n`);
    const { chat, broken } = replay(file);
    assert.deepEqual(broken, []);
    assert.ok(!("mood" in (chat.messages[0]?.info ?? {})));
  });

  it("R1 a later format is not read, and a file that is not a record is not changed", () => {
    for (const [content, sentence] of [
      ['{"rondo":2}\n{}\n', /was written by a newer Rondo/],
      ["Dear diary,\nnothing happened.\n", /is not a session record/],
      ["[1]\n", /is not a session record/],
      ["", /is not a session record/],
    ] as const) {
      writeFileSync(file, content);
      assert.throws(() => replay(file), { name: "RecordError", message: sentence });
      assert.equal(readFileSync(file, "utf8"), content);
    }
    assert.throws(() => replay(path.join(folder, "gone.jsonl")), RecordError);
  });

  it("R2 a failing write keeps everything for the next try, and is reported once", async () => {
    const told: RecordError[] = [];
    const transcript = new Transcript(file, (error) => told.push(error));
    mkdirSync(file);
    for (const event of events) transcript.append(event);
    assert.throws(() => transcript.flush(), RecordError);
    transcript.append({ type: "queued", queue: [] });
    await new Promise((resolve) => setTimeout(resolve, 130));
    transcript.append({ type: "queued", queue: [] });
    await new Promise((resolve) => setTimeout(resolve, 130));
    assert.equal(told.length, 1);
    rmSync(file, { recursive: true });
    transcript.close();
    assert.equal(replay(file).chat.messages.length, 2);
  });
});
