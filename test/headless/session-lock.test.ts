/** Processes that compete for one session, and the lock between them. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { replay } from "../../src/record/replay.ts";
import { RecordLock } from "../../src/record/session-lock.ts";
import { Transcript } from "../../src/record/transcript.ts";
import { until } from "../loop/harness.ts";
import { calls, places, says } from "./headless-run.ts";
import { Runner } from "./lock-client.ts";

const never = new AbortController().signal;

describe("two processes on one session", () => {
  let folder: string;
  let record: string;
  let runners: Runner[];
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-lock-"));
    record = path.join(folder, "ses_1.jsonl");
    runners = [];
  });
  afterEach(async () => {
    for (const runner of runners) await runner.end();
    rmSync(folder, { recursive: true, force: true });
  });

  const file = () => path.join(folder, "ses_1.lock");
  const content = () => JSON.parse(readFileSync(file(), "utf8"));
  const titled = (title: string) =>
    ({ type: "session", session: { id: "ses_1", createdAt: 1, title, cwd: "/" } }) as const;

  function open() {
    const transcript = new Transcript(record, () => {});
    return { transcript, lock: new RecordLock(transcript, { sessionID: "ses_1", lockTimeoutMs: 900_000 }) };
  }

  async function other(alive = true, env?: Record<string, string>): Promise<Runner> {
    const runner = new Runner(record, alive, env);
    runners.push(runner);
    assert.deepEqual(await runner.hears(), { ready: true });
    return runner;
  }

  it("Q1 I1 I4 100 times: never both at once, and no lock is left", async () => {
    const marks = path.join(folder, "marks");
    await Promise.all([other(), other()]);
    for (const runner of runners) runner.tell(`race 100 ${marks}`);
    for (const runner of runners) assert.deepEqual(await runner.hears(), { raced: true });
    const lines = readFileSync(marks, "utf8").trim().split("\n");
    assert.equal(lines.length, 400);
    let changes = 0;
    for (let at = 0; at < lines.length; at += 2) {
      const [begin = "", end] = lines.slice(at, at + 2);
      assert.ok(begin.startsWith("begin "));
      assert.equal(end, begin.replace("begin", "end"), `line ${at + 1}`);
      if (at > 0 && lines[at - 1] !== end) changes += 1;
    }
    assert.ok(changes > 3, `it changed hands ${changes} times`);
    assert.deepEqual(readdirSync(folder), ["marks"]);
  });

  it("Q1 the lock of a killed process is taken over at once", async () => {
    const runner = await other();
    await runner.ask("take 0");
    await runner.end("SIGKILL");
    assert.ok(existsSync(file()));
    const { lock } = open();
    assert.equal(lock.holder(), undefined);
    const held = await lock.acquire("run_2", 0, never);
    assert.equal(content().pid, process.pid);
    held.release();
    assert.deepEqual(readdirSync(folder), []);
  });

  it("Q1 a process killed while it removed a stale lock blocks nobody", async () => {
    const runner = await other();
    await runner.ask("take 0");
    await runner.end("SIGKILL");
    const right = `${file()}.${content().token}`;
    writeFileSync(right, JSON.stringify({ ...content(), token: "00000000-0000-4000-8000-000000000000" }));
    const held = await open().lock.acquire("run_2", 2000, never);
    held.release();
    assert.deepEqual(readdirSync(folder), []);
  });

  it("Q1 a run that could not renew its lock loses it, is notified, and writes no more", async () => {
    const runner = await other(true, { LOCK_TIMEOUT: "300" });
    await runner.ask("take 0");
    runner.tell("block 1200");
    const { lock, transcript } = open();
    const held = await lock.acquire("run_2", 5000, never);
    transcript.append(titled("Mine"));
    transcript.flush();
    assert.deepEqual(await runner.hears(), { lost: true });
    assert.match((await runner.ask("title Theirs")).error ?? "", /Another window or process is running/);
    runner.tell("release");
    await runner.ask("holder");
    assert.equal(content().runId, "run_2", "what it releases is its own lock, not this one");
    held.release();
    assert.equal(replay(record).chat.session.title, "Mine");
  });

  it("Q3 a process that exits normally leaves no lock", async () => {
    const runner = await other();
    await runner.ask("take 0");
    runner.tell("exit");
    await new Promise((resolve) => runner.child.on("exit", resolve));
    assert.deepEqual(readdirSync(folder), []);
  });

  it("P3 Q2 held too long: session-locked with owner and start time", async () => {
    const runner = await other();
    assert.deepEqual(await runner.ask("take 0"), { taken: true, caughtUp: 0 });
    const started = Date.now();
    const since = new Date(content().acquiredAt).toLocaleTimeString();
    await assert.rejects(open().lock.acquire("run_2", 150, never), {
      name: "IntakeError",
      code: "session-locked",
      status: 503,
      message: new RegExp(`process ${runner.child.pid} on this computer since ${since}`),
    });
    assert.ok(Date.now() - started >= 150);
    assert.equal(content().pid, runner.child.pid);
  });

  it("Q1 a run that is visible to a user keeps its session", async () => {
    const runner = await other(true);
    await runner.ask("take 0");
    assert.equal(await open().lock.challenge(never), false);
    assert.equal(content().pid, runner.child.pid);
    assert.deepEqual(readdirSync(folder), ["ses_1.lock"]);
  });

  it("Q1 a run that no window shows ends, and the session goes to the claimant", async () => {
    const runner = await other(false);
    await runner.ask("take 0");
    const { lock } = open();
    const free = lock.challenge(never);
    assert.deepEqual(await runner.hears(), { lost: true });
    assert.equal(content().pid, runner.child.pid, "it has time to write its last words");
    runner.tell("release");
    assert.equal(await free, true);
    assert.deepEqual(readdirSync(folder), []);
  });

  it("Q1 a prompt claims the session automatically", async () => {
    const runner = await other(false);
    await runner.ask("take 0");
    const taken = open().lock.acquire("run_2", 10_000, never);
    assert.deepEqual(await runner.hears(), { lost: true });
    runner.tell("release");
    const held = await taken;
    held.release();
    assert.deepEqual(readdirSync(folder), []);
  });

  it("Q1 a run that does not end is abandoned", async () => {
    const runner = await other(false, { LOCK_TIMEOUT: "600" });
    await runner.ask("take 0");
    const { lock } = open();
    assert.equal(await lock.challenge(never), true);
    assert.deepEqual(await runner.hears(), { lost: true });
    assert.match((await runner.ask("title Theirs")).error ?? "", /Another window or process is running/);
    assert.ok(!existsSync(record));
  });

  it("Q1 I10 a run starts with the events that another process has recorded since the last read, each once", async () => {
    const { transcript, lock } = open();
    transcript.append(titled("One"));
    transcript.flush();
    const runner = await other();
    assert.deepEqual(await runner.ask("take 0"), { taken: true, caughtUp: 1 });
    await runner.ask("title Two");
    await runner.ask("title Three");
    runner.tell("release");
    const held = await lock.acquire("run_1", 5000, never);
    assert.deepEqual(held.caughtUp, [titled("Two"), titled("Three")]);
    transcript.append(titled("Four"));
    transcript.flush();
    held.release();
    const again = await lock.acquire("run_2", 5000, never);
    assert.deepEqual(again.caughtUp, []);
    again.release();
    assert.equal(replay(record).chat.session.title, "Four");
  });

  it("Q1 a second window follows the first, and does not receive its own events", async () => {
    const { transcript } = open();
    const heard: unknown[] = [];
    const following = transcript.follow((events) => heard.push(...events));
    const runner = await other();
    await runner.ask("take 0");
    await runner.ask("title Two");
    await until(() => heard.length === 1);
    runner.tell("release");
    await runner.ask("holder");
    transcript.append(titled("Three"));
    transcript.flush();
    await sleep(400);
    assert.deepEqual(heard, [titled("Two")]);
    following.dispose();
    await runner.ask("title Four");
    await sleep(400);
    assert.equal(heard.length, 1);
  });

  it("R2 events sent while another process runs the session are written when that run has ended", async () => {
    const { transcript } = open();
    const runner = await other();
    await runner.ask("take 0");
    await runner.ask("title One");
    transcript.append(titled("Two"));
    assert.throws(() => transcript.flush(), { name: "RecordError", message: /Another window or process is running/ });
    transcript.append(titled("Three"));
    await sleep(300);
    assert.equal(replay(record).chat.session.title, "One");
    runner.tell("release");
    await until(() => replay(record).chat.session.title === "Three");
    assert.deepEqual(readdirSync(folder).sort(), ["ses_1.jsonl"]);
  });
});

describe("two headless runs on one session", () => {
  const open = places();
  const bypass = ["--permission-mode", "bypassPermissions"];

  it("Q1 Q2 the second waits for the first and continues from its result", async () => {
    const place = await open([calls("bash", { command: "echo begun > begun; sleep 0.7" }), says("One."), says("Two.")]);
    const first = place.start([...bypass, "--session-id", "mine", "First things"]);
    await until(() => existsSync(path.join(place.folder, "begun")));
    const second = await place.run([...bypass, "--resume", "mine", "Second things"]);
    assert.deepEqual(await first.ended, { code: 0, stdout: "One.\n", stderr: "" });
    assert.deepEqual(second, { code: 0, stdout: "Two.\n", stderr: "" });
    const [, , last] = place.server.requests;
    for (const said of ["First things", "One.", "Second things"]) assert.ok(last?.raw.includes(said), said);
    assert.ok(!last?.raw.includes("Interrupted"));
    const { chat, broken } = place.replay();
    assert.deepEqual(broken, []);
    assert.equal(chat.messages.length, 5);
    assert.deepEqual(
      readdirSync(place.sessions).filter((name) => name.includes(".lock")),
      [],
    );
  });
});
