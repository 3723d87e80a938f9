import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { replay } from "../../src/record/replay.ts";
import { RecordLock } from "../../src/record/session-lock.ts";
import { Transcript } from "../../src/record/transcript.ts";

const never = new AbortController().signal;

describe("the lock of a session", () => {
  let folder: string;
  let record: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-lock-"));
    record = path.join(folder, "ses_1.jsonl");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const file = () => path.join(folder, "ses_1.lock");
  const content = () => JSON.parse(readFileSync(file(), "utf8"));
  const titled = (title: string) =>
    ({ type: "session", session: { id: "ses_1", createdAt: 1, title, cwd: "/" } }) as const;

  function open(options: { lockTimeoutMs?: number } = {}) {
    const transcript = new Transcript(record, () => {});
    const lock = new RecordLock(transcript, { sessionID: "ses_1", lockTimeoutMs: 900_000, ...options });
    return { transcript, lock };
  }

  it("Q1 names the session, the run, its start and its expiry; Q3 releasing removes it", async () => {
    const { lock } = open();
    assert.equal(lock.holder(), undefined);
    const before = Date.now();
    const held = await lock.acquire("run_7", 0, never);
    const { sessionId, runId, acquiredAt, expiresAt, pid, host } = content();
    assert.deepEqual([sessionId, runId, pid, host], ["ses_1", "run_7", process.pid, os.hostname()]);
    assert.ok(Date.parse(acquiredAt) >= before && Date.parse(acquiredAt) <= Date.now());
    assert.equal(Date.parse(expiresAt) - Date.parse(acquiredAt), 900_000);
    assert.partialDeepStrictEqual(lock.holder(), { runID: "run_7", pid: process.pid, isThisProcess: true });
    held.release();
    held.release();
    assert.deepEqual(readdirSync(folder), []);
    assert.ok(!held.lost.aborted);
  });

  it("Q1 two locks of one process also wait for each other", async () => {
    const held = await open().lock.acquire("run_1", 0, never);
    const waiting = open().lock.acquire("run_2", 5000, never);
    await sleep(60);
    assert.equal(content().runId, "run_1");
    held.release();
    const next = await waiting;
    assert.equal(content().runId, "run_2");
    next.release();
  });

  it("Q1 waiting can be aborted", async () => {
    const held = await open().lock.acquire("run_1", 0, never);
    const waiting = new AbortController();
    const taken = open().lock.acquire("run_2", 60_000, waiting.signal);
    await sleep(50);
    waiting.abort(new Error("enough"));
    await assert.rejects(taken, { message: "enough" });
    await assert.rejects(open().lock.acquire("run_3", 0, AbortSignal.abort(new Error("never mind"))), {
      message: "never mind",
    });
    assert.equal(content().runId, "run_1");
    held.release();
    assert.deepEqual(readdirSync(folder), []);
  });

  it("Q1 a lock is abandoned when another process has its process id", async function () {
    if (process.platform !== "linux") this.skip();
    const child = spawn("sleep", ["60"]);
    const held = await open().lock.acquire("run_1", 0, never);
    const stolen = { ...content(), pid: child.pid };
    held.release();
    writeFileSync(file(), JSON.stringify(stolen));
    const next = await open().lock.acquire("run_2", 0, never);
    assert.equal(content().pid, process.pid);
    next.release();
    child.kill();
  });

  it("Q1 a lock of another computer holds until it expires", async () => {
    const held = await open({ lockTimeoutMs: 400 }).lock.acquire("run_1", 0, never);
    const foreign = { ...content(), host: "elsewhere", pid: 1 };
    held.release();
    writeFileSync(file(), JSON.stringify(foreign));
    await assert.rejects(open().lock.acquire("run_2", 0, never), { message: /process 1 on elsewhere since/ });
    const next = await open().lock.acquire("run_2", 5000, never);
    assert.ok(Date.now() >= Date.parse(foreign.expiresAt));
    next.release();
  });

  it("Q1 it is renewed while the run continues", async () => {
    const held = await open({ lockTimeoutMs: 400 }).lock.acquire("run_1", 0, never);
    await assert.rejects(open().lock.acquire("run_2", 1000, never), { code: "session-locked" });
    assert.ok(!held.lost.aborted);
    held.release();
  });

  it("Q1 a torn or invalid lock file counts for one second", async () => {
    for (const text of ["", '{"sessionId":"ses_1","ru', "[]", '{"token":"../../mine"}']) {
      writeFileSync(file(), text);
      await assert.rejects(open().lock.acquire("run_1", 0, never), { code: "session-locked" });
      const past = Date.now() / 1000 - 2;
      utimesSync(file(), past, past);
      const held = await open().lock.acquire("run_1", 0, never);
      held.release();
      assert.deepEqual(readdirSync(folder), []);
    }
  });

  describe("claims", () => {
    it("Q1 makes no claim when the session is free or this process runs it", async () => {
      const { lock } = open();
      assert.equal(await lock.challenge(never), true);
      const held = await lock.acquire("run_1", 0, never);
      assert.equal(await open().lock.challenge(never), false);
      held.release();
    });
  });

  describe("events of other processes", () => {
    it("Q1 are read from where the record was read last", async () => {
      const { transcript } = open();
      transcript.append(titled("One"));
      transcript.close();
      const from = replay(record);
      transcript.append(titled("Two"));
      transcript.close();
      assert.deepEqual(new Transcript(record, () => {}, from).catchUp(), [titled("Two")]);
    });

    it("Q1 are read from complete lines only, without broken ones", async () => {
      const { transcript } = open();
      transcript.append(titled("One"));
      transcript.close();
      const line = JSON.stringify(titled("Two"));
      appendFileSync(record, `?\n${line.slice(0, 20)}`);
      assert.deepEqual(transcript.catchUp(), []);
      appendFileSync(record, `${line.slice(20)}\n`);
      assert.deepEqual(transcript.catchUp(), [titled("Two")]);
    });

    it("R2 a deleted record is not created again without its beginning", async () => {
      const { transcript, lock } = open();
      transcript.append(titled("One"));
      transcript.flush();
      rmSync(record);
      const held = await lock.acquire("run_1", 0, never);
      transcript.append(titled("Two"));
      assert.throws(() => transcript.flush(), { name: "RecordError", message: /no longer exists/ });
      held.release();
      assert.ok(!existsSync(record));
    });
  });
});
