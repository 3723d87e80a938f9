import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import fs, {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { replay } from "../../src/record/replay.ts";
import { Transcript } from "../../src/record/transcript.ts";
import { until } from "../loop/harness.ts";
import { lockedSession, never, titled } from "./locked-session.ts";

describe("the lock of a session", () => {
  const { folder, record, file, content, open, lockFor } = lockedSession();

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
    assert.deepEqual(readdirSync(folder()), []);
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
    assert.deepEqual(readdirSync(folder()), []);
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
      assert.deepEqual(readdirSync(folder()), []);
    }
  });

  it("Q1 a process that has ended, but whose parent has not noticed, holds nothing", async function () {
    if (process.platform !== "linux") this.skip();
    // `exec` leaves the first child, which reads until the pipe ends, to a program that never waits for it.
    const command = "cat <&3 & echo $!; exec sleep 60";
    const parent = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "ignore", "pipe"] });
    const [line] = await once(parent.stdout ?? assert.fail(), "data");
    const pid = Number(String(line).trim());
    await until(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "sleep\n");
    parent.stdio[3]?.destroy();
    await until(() => / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
    lockFor(pid);
    assert.equal(open().lock.holder(), undefined);
    parent.kill();
  });

  it("Q1 the lock of a living process is described, whoever started it", async () => {
    const child = spawn("sleep", ["60"]);
    lockFor(child.pid ?? 0);
    const { lock } = open();
    const { acquiredAt } = content();
    const holder = { runID: "run_1", pid: child.pid, host: os.hostname(), since: new Date(acquiredAt) };
    assert.deepEqual(lock.holder(), { ...holder, isThisProcess: false });
    lockFor(child.pid ?? 0, { processStart: undefined });
    assert.equal(lock.holder()?.pid, child.pid);
    lockFor(process.pid, { host: "elsewhere" });
    assert.equal(lock.holder()?.isThisProcess, false);
    child.kill("SIGKILL");
    await once(child, "exit");
    lockFor(child.pid ?? 0);
    assert.equal(lock.holder(), undefined);
    lockFor(child.pid ?? 0, { host: "elsewhere" });
    assert.equal(lock.holder()?.host, "elsewhere");
  });

  it("P3 Q2 says who holds it", async () => {
    const held = await open().lock.acquire("run_1", 0, never);
    const since = new Date(content().acquiredAt).toLocaleTimeString();
    await assert.rejects(open().lock.acquire("run_2", 0, never), {
      name: "IntakeError",
      code: "session-locked",
      message: `This session has been running in this process since ${since}. Wait for that run to end, or stop it there.`,
    });
    held.release();
    writeFileSync(file(), "");
    await assert.rejects(open().lock.acquire("run_2", 0, never), {
      message: "Another run of this session is just starting. Wait for that run to end, or stop it there.",
    });
  });

  it("Q1 a folder that is gone is reported in a sentence", async () => {
    rmSync(folder(), { recursive: true });
    await assert.rejects(open().lock.acquire("run_1", 0, never), { name: "RecordError", message: /no longer exists/ });
    assert.equal(open().lock.holder(), undefined);
    mkdirSync(file(), { recursive: true });
    await assert.rejects(open().lock.acquire("run_1", 0, never), { name: "RecordError", message: /EISDIR/ });
    assert.throws(() => open().lock.holder(), { code: "EISDIR" });
  });

  it("Q1 what killed processes left beside it is removed, other files are not", async () => {
    const past = new Date(Date.now() - 1000).toISOString();
    lockFor(process.pid, { expiresAt: past, host: "elsewhere" });
    const expired = readFileSync(file(), "utf8");
    const names = ["ses_1.lock.a", "ses_1.lock.b", "ses_1.lockb", "ses_2.lock", "ses_1.jsonl"];
    for (const name of names) writeFileSync(path.join(folder(), name), expired);
    lockFor(process.pid, { host: "elsewhere" });
    writeFileSync(path.join(folder(), "ses_1.lock.b"), readFileSync(file(), "utf8"));
    writeFileSync(file(), expired);
    const held = await open().lock.acquire("run_1", 0, never);
    held.release();
    assert.deepEqual(readdirSync(folder()).sort(), ["ses_1.jsonl", "ses_1.lock.b", "ses_1.lockb", "ses_2.lock"]);
  });

  it("Q1 it is not taken while another process removes it, unless that one is gone", async () => {
    const past = new Date(Date.now() - 1000).toISOString();
    lockFor(process.pid, { expiresAt: past });
    const { token } = content();
    const removal = `${file()}.${token}`;
    const expired = readFileSync(file(), "utf8");
    writeFileSync(removal, JSON.stringify({ ...content(), expiresAt: new Date(Date.now() + 60_000).toISOString() }));
    await assert.rejects(open().lock.acquire("run_1", 0, never), { code: "session-locked" });
    assert.equal(readFileSync(file(), "utf8"), expired);
    assert.ok(existsSync(removal), "the other process still removes it");
    writeFileSync(removal, expired.replace(token, randomUUID()));
    const held = await open().lock.acquire("run_1", 2000, never);
    held.release();
    assert.deepEqual(readdirSync(folder()), []);
  });

  it("Q1 a run whose lock another one has taken loses it, writes no more, and leaves the other's lock", async () => {
    const { lock, transcript } = open();
    const held = await lock.acquire("run_1", 0, never);
    transcript.append(titled("One"));
    transcript.flush();
    const own = readFileSync(file(), "utf8");
    rmSync(file());
    writeFileSync(file(), own);
    transcript.append(titled("Two"));
    assert.throws(() => transcript.flush(), { name: "RecordError", message: /Another window or process is running/ });
    await until(() => held.lost.aborted);
    assert.match(held.lost.reason.message, /taken over by another window/);
    lockFor(1, { host: "elsewhere" });
    held.release();
    assert.equal(content().host, "elsewhere");
    rmSync(file());
    transcript.close();
    assert.equal(replay(record()).chat.session.title, "Two");
  });

  it("Q1 a run whose lock file was deleted loses its lock", async () => {
    const held = await open().lock.acquire("run_1", 0, never);
    rmSync(file());
    await until(() => held.lost.aborted);
    held.release();
    assert.deepEqual(readdirSync(folder()), []);
  });

  it("Q1 it names the start of its process, which no later process with this id has", async function () {
    if (process.platform !== "linux") this.skip();
    const held = await open().lock.acquire("run_1", 0, never);
    const own = content();
    held.release();
    lockFor(process.pid);
    assert.equal(own.processStart, content().processStart);
    lockFor(process.pid, { processStart: String(Number(own.processStart) + 1) });
    assert.equal(open().lock.holder(), undefined);
  });

  it("Q1 the process of another user is alive", async function () {
    if (process.platform !== "linux") this.skip();
    lockFor(1);
    chmodSync(folder(), 0o755);
    chmodSync(file(), 0o644);
    const asks = `
      import { heldLock } from ${JSON.stringify(new URL("../../src/record/lock-file.ts", import.meta.url).href)};
      if (process.getuid() === 0) process.setuid(65534);
      process.exitCode = heldLock(${JSON.stringify(file())}) ? 7 : 8;`;
    assert.equal(spawnSync(process.execPath, ["--input-type=module", "-e", asks]).status, 7);
  });

  it("R2 a lock that cannot be written, as on a full disk, leaves no file", async () => {
    const { writeSync } = fs;
    fs.writeSync = () => {
      throw Object.assign(new Error("disk full"), { code: "ENOSPC" });
    };
    syncBuiltinESMExports();
    try {
      const before = process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
      await assert.rejects(open().lock.acquire("run_1", 0, never), {
        name: "RecordError",
        message: /^The disk is full/,
      });
      if (before > 0) assert.equal(readdirSync("/proc/self/fd").length, before);
    } finally {
      fs.writeSync = writeSync;
      syncBuiltinESMExports();
    }
    assert.deepEqual(readdirSync(folder()), []);
  });

  for (const [how, end] of [
    ["that ends", "process.exit(7);"],
    [
      "that an error ends",
      'process.on("uncaughtException", () => process.exit(7)); setTimeout(() => { throw new Error("x"); });',
    ],
  ] as const) {
    it(`Q3 a process ${how} removes the locks of all its runs`, () => {
      const url = (name: string) => JSON.stringify(new URL(`../../src/record/${name}.ts`, import.meta.url).href);
      const runs = `
        import assert from "node:assert/strict";
        import { existsSync } from "node:fs";
        import { RecordLock } from ${url("session-lock")};
        import { Transcript } from ${url("transcript")};
        for (const sessionID of ["ses_1", "ses_2"]) {
          const transcript = new Transcript(${JSON.stringify(folder())} + "/" + sessionID + ".jsonl", () => {});
          const lock = new RecordLock(transcript, { sessionID, lockTimeoutMs: 900_000 });
          await lock.acquire("run_1", 0, new AbortController().signal);
          assert.ok(existsSync(${JSON.stringify(folder())} + "/" + sessionID + ".lock"));
        }
        ${end}`;
      const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", runs], { encoding: "utf8" });
      assert.equal(status, 7, stderr);
      assert.deepEqual(readdirSync(folder()), []);
    });
  }

  it("Q1 a line that is written between two runs takes the lock for that moment", async () => {
    const one = open();
    one.transcript.append(titled("One"));
    one.transcript.flush();
    assert.deepEqual(readdirSync(folder()), ["ses_1.jsonl"]);
    const held = await open().lock.acquire("run_1", 0, never);
    one.transcript.append(titled("Two"));
    assert.throws(() => one.transcript.flush(), {
      name: "RecordError",
      message: "Another window or process is running this session, so nothing can be added to it from here.",
      next: "Wait for that run to end, or stop it there.",
    });
    held.release();
    one.transcript.flush();
    assert.equal(replay(record()).chat.session.title, "Two");
    assert.deepEqual(readdirSync(folder()), ["ses_1.jsonl"]);
    const again = await one.lock.acquire("run_2", 0, never);
    again.release();
    one.transcript.append(titled("Three"));
    one.transcript.close();
    assert.deepEqual(readdirSync(folder()), ["ses_1.jsonl"]);
  });

  it("Q1 its expiry moves on, and the file stays valid", async () => {
    const held = await open({ lockTimeoutMs: 600 }).lock.acquire("run_1", 0, never);
    const before = content();
    await until(() => content().expiresAt > before.expiresAt);
    const after = content();
    assert.deepEqual({ ...after, expiresAt: "" }, { ...before, expiresAt: "" });
    const left = Date.parse(after.expiresAt) - Date.now();
    assert.ok(left > 0 && left <= 600);
    held.release();
  });

  it("Q3 leaves no file open, and nothing that keeps the process alive", async function () {
    if (process.platform !== "linux") return this.skip();
    const work = async () => {
      const { lock, transcript } = open();
      const held = await lock.acquire("run_1", 0, never);
      await assert.rejects(open().lock.acquire("run_2", 30, never));
      transcript.append(titled("One"));
      held.release();
      transcript.close();
    };
    await work();
    const state = () => [readdirSync("/proc/self/fd").length, process.getActiveResourcesInfo().sort()];
    const before = state();
    for (let n = 0; n < 5; n++) await work();
    assert.deepEqual(state(), before);
    const held = await open().lock.acquire("run_1", 0, never);
    assert.deepEqual(process.getActiveResourcesInfo().sort(), before[1], "its timer does not either");
    held.release();
  });

  describe("events of other processes", () => {
    it("Q1 are read from where the record was read last", async () => {
      const { transcript } = open();
      transcript.append(titled("One"));
      transcript.close();
      const from = replay(record());
      transcript.append(titled("Two"));
      transcript.close();
      assert.deepEqual(new Transcript(record(), () => {}, from).catchUp(), [titled("Two")]);
    });

    it("Q1 are read from complete lines only, without broken ones", async () => {
      const { transcript } = open();
      transcript.append(titled("One"));
      transcript.close();
      const line = JSON.stringify(titled("Two"));
      appendFileSync(record(), `?\n${line.slice(0, 20)}`);
      assert.deepEqual(transcript.catchUp(), []);
      appendFileSync(record(), `${line.slice(20)}\n`);
      assert.deepEqual(transcript.catchUp(), [titled("Two")]);
    });

    it("R2 a deleted record is not created again without its beginning", async () => {
      const { transcript, lock } = open();
      transcript.append(titled("One"));
      transcript.flush();
      rmSync(record());
      const held = await lock.acquire("run_1", 0, never);
      transcript.append(titled("Two"));
      assert.throws(() => transcript.flush(), { name: "RecordError", message: /no longer exists/ });
      held.release();
      assert.ok(!existsSync(record()));
    });
  });
});
