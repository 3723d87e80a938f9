/** How a record is written while others write, read, replace or damage it (spec R2–R4, Q1). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RecordedEvent } from "../../src/chat/events.ts";
import { RecordError } from "../../src/loop/storage.ts";
import { readLines, replay } from "../../src/record/replay.ts";
import { Transcript } from "../../src/record/transcript.ts";
import { toRecordError } from "../../src/record/write-errors.ts";
import { until } from "../loop/harness.ts";

const titled = (title: string): RecordedEvent => ({
  type: "session",
  session: { id: "ses_1", createdAt: 1, title, cwd: "/" },
});
const delta = (partID: string, text: string): RecordedEvent => ({ type: "delta", messageID: "msg_2", partID, text });
const part = (id: string, text: string): RecordedEvent => ({
  type: "part",
  part: { id, sessionID: "ses_1", messageID: "msg_2", type: "text", text },
});

describe("writing a record", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-writing-"));
    file = path.join(folder, "ses_1.jsonl");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = (onError: (error: RecordError) => void = () => assert.fail()) => new Transcript(file, onError);
  const say = (transcript: Transcript, ...events: RecordedEvent[]) => {
    for (const event of events) transcript.append(event);
    transcript.flush();
  };
  const events = () => readLines(file, 0).events;

  it("R1 a part replaces its own waiting text, never that of another part", () => {
    const transcript = open();
    say(transcript, delta("prt_1", "a"), delta("prt_1", "b"), part("prt_2", "whole"));
    say(transcript, delta("prt_1", "c"), delta("prt_2", "d"), titled("One"), delta("prt_2", "e"));
    say(transcript, delta("prt_2", "f"), part("prt_2", "f"));
    transcript.close();
    const written = events();
    assert.deepEqual(written, [
      ...[delta("prt_1", "ab"), part("prt_2", "whole"), delta("prt_1", "c"), delta("prt_2", "d")],
      ...[titled("One"), delta("prt_2", "e"), part("prt_2", "f")],
    ]);
  });

  it("R1 a line may hold U+2028, U+2029, U+0085 and every control character", () => {
    const texts = [
      "one\u2028two\u2029three\u0085four",
      "\u2028",
      String.fromCharCode(...Array(32).keys()),
      "\ufeff\ud800",
    ];
    const transcript = open();
    say(transcript, ...texts.map((text, at) => part(`prt_${at}`, text)), titled("A\u2028B"));
    transcript.close();
    assert.deepEqual(events(), [...texts.map((text, at) => part(`prt_${at}`, text)), titled("A\u2028B")]);
    assert.equal(replay(file).chat.session.title, "A\u2028B");
    const other = new Transcript(file, () => assert.fail(), { end: 0 });
    assert.deepEqual(other.catchUp(), events());
  });

  it("Q1 writers in turn read each other's events once and in order, also those before a write of their own", () => {
    const [one, two] = [open(), open()];
    say(one, titled("1"));
    say(two, titled("2"), titled("3"));
    say(one, titled("4"));
    assert.deepEqual(one.catchUp(), [titled("2"), titled("3")]);
    assert.deepEqual(one.catchUp(), []);
    assert.deepEqual(two.catchUp(), [titled("1"), titled("4")]);
    say(two, titled("5"));
    assert.deepEqual(two.catchUp(), []);
    assert.deepEqual(one.catchUp(), [titled("5")]);
    assert.deepEqual(events(), ["1", "2", "3", "4", "5"].map(titled));
    one.close();
    two.close();
  });

  it("Q1 one that opens a record which another has only begun misses nothing of it", () => {
    writeFileSync(file, '{"rondo":1}\n');
    const one = open();
    say(one, titled("1"));
    assert.deepEqual(one.catchUp(), []);
    assert.deepEqual(events(), [titled("1")]);
    one.close();
  });

  it("R2 a record that was put back from a copy goes on in the copy", () => {
    const transcript = open();
    say(transcript, titled("1"));
    copyFileSync(file, `${file}.copy`);
    say(transcript, titled("2"));
    renameSync(`${file}.copy`, file);
    say(transcript, titled("3"));
    assert.deepEqual(events(), [titled("1"), titled("3")]);
    transcript.close();
  });

  it("R2 a record that was deleted is not begun again", () => {
    const transcript = open();
    say(transcript, titled("1"));
    rmSync(file);
    transcript.append(titled("2"));
    assert.throws(() => transcript.flush(), { name: "RecordError", message: /no longer exists/ });
    assert.equal(statSync(file, { throwIfNoEntry: false }), undefined);
    writeFileSync(file, '{"rondo":1}\n');
    transcript.close();
    assert.deepEqual(events(), [titled("2")]);
  });

  it("R3 an incomplete last line of any length is removed before the next one", () => {
    const block = 64 * 1024;
    for (const length of [1, block - 1, block, block + 1, 2 * block - 1, 2 * block, 3 * block + 7]) {
      const first = open();
      say(first, titled("1"));
      first.close();
      const whole = readFileSync(file);
      appendFileSync(file, "x".repeat(length));
      const second = new Transcript(file, () => assert.fail(), replay(file));
      say(second, titled("2"));
      second.close();
      assert.deepEqual(readFileSync(file).subarray(0, whole.length), whole, `${length}`);
      assert.deepEqual(readLines(file, 0).broken, []);
      assert.deepEqual(events(), [titled("1"), titled("2")]);
      rmSync(file);
    }
    writeFileSync(file, '{"rondo"');
    const begun = open();
    say(begun, titled("1"));
    begun.close();
    assert.equal(readFileSync(file, "utf8"), `{"rondo":1}\n${JSON.stringify(titled("1"))}\n`);
  });

  it("R2 each new failure is reported once", async () => {
    const told: RecordError[] = [];
    const transcript = open((error) => told.push(error));
    for (const failure of [1, 2]) {
      rmSync(file, { force: true });
      mkdirSync(file);
      transcript.append(titled(`lost ${failure}`));
      await until(() => told.length === failure);
      transcript.append(titled("again"));
      await sleep(250);
      assert.equal(told.length, failure);
      rmSync(file, { recursive: true });
      writeFileSync(file, '{"rondo":1}\n');
      transcript.flush();
    }
    assert.match(told[0]?.message ?? "", /EISDIR/);
    transcript.close();
  });

  it("R2 it waits while another process may write, tries again by itself, and says so when it must not wait", async () => {
    let isFree = false;
    const transcript = open();
    transcript.guard((write) => {
      if (isFree) write();
      return isFree;
    });
    transcript.append(titled("1"));
    assert.throws(() => transcript.flush(), RecordError);
    transcript.append(titled("2"));
    await sleep(400);
    assert.equal(statSync(file, { throwIfNoEntry: false }), undefined);
    isFree = true;
    await until(() => statSync(file, { throwIfNoEntry: false }) !== undefined);
    assert.deepEqual(events(), [titled("1"), titled("2")]);
    isFree = false;
    transcript.flush();
    transcript.close();
  });

  it("Q1 who follows hears events of others, never nothing, until it stops", async () => {
    const [reader, writer] = [open(), open()];
    const heard: RecordedEvent[][] = [];
    const following = reader.follow((some) => heard.push(some));
    say(writer, titled("1"), titled("2"));
    await until(() => heard.length === 1);
    say(reader, titled("mine"));
    await sleep(600);
    assert.deepEqual(heard, [[titled("1"), titled("2")]]);
    following.dispose();
    say(writer, titled("3"));
    await sleep(600);
    assert.equal(heard.length, 1);
    reader.close();
    writer.close();
  });

  it("Q1 what is no record any more is not read", () => {
    const transcript = open();
    assert.deepEqual(transcript.catchUp(), []);
    writeFileSync(file, "Dear diary,\n");
    assert.deepEqual(transcript.catchUp(), []);
    rmSync(file);
    mkdirSync(file);
    assert.deepEqual(transcript.catchUp(), []);
  });

  it("R2 nothing stays open, and nothing keeps the process alive", function () {
    if (process.platform !== "linux") return this.skip();
    const state = () => [readdirSync("/proc/self/fd").length, process.getActiveResourcesInfo().sort()];
    const work = () => {
      const transcript = open();
      const following = transcript.follow(() => assert.fail());
      say(transcript, titled("1"));
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
      say(transcript, titled("2"));
      transcript.append(titled("3"));
      following.dispose();
      transcript.close();
      const late = new Transcript(path.join(folder, "none", "x.jsonl"), () => assert.fail());
      late.append(titled("1"));
      assert.throws(() => late.close(), RecordError);
      replay(file);
      const header = path.join(folder, "full");
      rmSync(header, { recursive: true, force: true });
      mkdirSync(header);
      assert.throws(() => replay(header), RecordError);
      rmSync(file);
    };
    work();
    const before = state();
    for (let n = 0; n < 5; n++) work();
    assert.deepEqual(state(), before);
  });

  it("R2 a new record on a full disk is reported, and leaves no file open", function () {
    if (!existsSync("/dev/full")) return this.skip();
    symlinkSync("/dev/full", file);
    const transcript = open();
    transcript.append(titled("1"));
    const before = readdirSync("/proc/self/fd").length;
    assert.throws(() => transcript.flush(), { name: "RecordError", message: /^The disk is full/ });
    assert.equal(readdirSync("/proc/self/fd").length, before);
    rmSync(file);
    transcript.close();
    assert.deepEqual(events(), [titled("1")]);
  });

  it("R2 a line that is written only in part is taken back at once, and kept for the next try", function () {
    if (process.platform === "win32") return this.skip();
    // The limit for the size of a file cuts a write as a full disk does. Bash counts it in KiB.
    const writes = `
      import { Transcript } from ${JSON.stringify(new URL("../../src/record/transcript.ts", import.meta.url).href)};
      process.on("SIGXFSZ", () => {});
      const transcript = new Transcript(${JSON.stringify(file)}, () => {});
      transcript.append(${JSON.stringify(titled("1"))});
      transcript.flush();
      transcript.append(${JSON.stringify(titled("2".repeat(10_000)))});
      try {
        transcript.flush();
      } catch (error) {
        process.stdout.write(error.message);
      }
      process.exit();`;
    const { stdout } = spawnSync(
      "bash",
      ["-c", 'ulimit -f 8; exec "$0" --input-type=module -e "$1"', process.execPath, writes],
      {
        encoding: "utf8",
      },
    );
    assert.match(stdout, /could not be written \(EFBIG/);
    assert.equal(readFileSync(file, "utf8"), `{"rondo":1}\n${JSON.stringify(titled("1"))}\n`);
  });

  it("R3 reading tells where the last complete line ends, and counts broken lines from where it began", () => {
    const transcript = open();
    say(transcript, titled("1"));
    transcript.close();
    const { size } = statSync(file);
    assert.equal(readLines(file, 0).end, size);
    appendFileSync(file, "cut");
    assert.equal(readLines(file, 0).end, size);
    appendFileSync(file, `\n${JSON.stringify(titled("2"))}\n`);
    const later = { events: [titled("2")], broken: [{ line: 1, text: "cut" }], end: statSync(file).size };
    assert.deepEqual(readLines(file, size), later);
    assert.deepEqual(readLines(file, later.end), { events: [], broken: [], end: later.end });
    assert.deepEqual(readLines(file, later.end + 9), { events: [], broken: [], end: later.end + 9 });
  });

  it("R3 a record that only begins is an empty chat, and one that is not there is named", () => {
    writeFileSync(file, '{"rondo":1}\n{"type":"part","part":{"type":"snapshot"}}\n');
    assert.deepEqual(readLines(file, 0).events, []);
    const { chat, broken } = replay(file);
    assert.deepEqual(chat.session, { id: "", createdAt: 0, title: "", cwd: "" });
    assert.deepEqual([chat.messages, broken], [[], []]);
    rmSync(file);
    assert.throws(() => replay(file), {
      message: `There is no session record at ${file}.`,
      next: "Choose a session from the list.",
    });
    writeFileSync(file, '{"rondo":2}\n');
    assert.throws(() => replay(file), {
      message: `${file} was written by a newer Rondo.`,
      next: "Update Rondo to open this session.",
    });
    writeFileSync(file, '{"rondo":0}\n');
    assert.throws(() => replay(file), {
      message: `${file} is not a session record.`,
      next: "Choose another session. The file was not changed.",
    });
  });

  it("R4 failures are sentences with the next step", () => {
    const told = (error: unknown) => {
      const { message, next } = toRecordError("/s/ses_1.jsonl", error);
      return `${message} ${next}`;
    };
    const failed = (code: string) => told(Object.assign(new Error("x"), { code }));
    const space =
      "The disk is full, so the session cannot be saved and the turn was stopped. Free some space, then try again. What is on screen is saved as soon as there is space.";
    assert.deepEqual(["ENOSPC", "EDQUOT"].map(failed), [space, space]);
    const permission =
      "There is no permission to write the session's record (/s/ses_1.jsonl). Check the folder's permissions, then try again.";
    assert.deepEqual(["EACCES", "EPERM", "EROFS"].map(failed), [permission, permission, permission]);
    assert.equal(
      failed("ENOENT"),
      "The session's record no longer exists (/s/ses_1.jsonl). It was deleted in the meantime. Start a new session.",
    );
    const other = (why: string) =>
      `The session's record could not be written (${why}; /s/ses_1.jsonl). Check the folder, then try again.`;
    assert.equal(failed("EIO"), other("EIO"));
    assert.equal(told(new Error("odd")), other("Error: odd"));
    const own = new RecordError("One.", "Two.");
    assert.equal(toRecordError("/s", own), own);
    const cause = new Error("x");
    assert.equal(toRecordError("/s", cause).cause, cause);
  });
});
