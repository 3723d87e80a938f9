/** How a waiting process finds out whether the user still sees the run that holds a session. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { replay } from "../../src/record/replay.ts";
import { until } from "../loop/harness.ts";
import { lockedSession, never, titled } from "./locked-session.ts";

describe("claims to the lock of a session", () => {
  const { folder, record, file, claim, open, lockFor } = lockedSession();

  it("Q1 are answered while the user sees the run, each once", async () => {
    let asked = 0;
    const isAlive = async () => {
      asked += 1;
      await sleep(600);
      return true;
    };
    const held = await open({ lockTimeoutMs: 10_000, isAlive }).lock.acquire("run_1", 0, never);
    writeFileSync(claim(), "token");
    await until(() => !existsSync(claim()));
    assert.equal(asked, 1);
    assert.ok(!held.lost.aborted);
    held.release();
    assert.deepEqual(readdirSync(folder()), []);
  });

  it("Q1 are answered by a run that has no window to ask", async () => {
    const held = await open().lock.acquire("run_1", 0, never);
    writeFileSync(claim(), "token");
    await until(() => !existsSync(claim()));
    assert.ok(!held.lost.aborted);
    held.release();
  });

  for (const [name, isAlive] of [
    ["that the user no longer sees", async () => false],
    ["whose window cannot be asked", () => Promise.reject(new Error("gone"))],
  ] as const) {
    it(`Q1 a run ${name} loses its session, keeps the lock until its last words, and no longer`, async () => {
      const { lock, transcript } = open({ lockTimeoutMs: 1500, isAlive });
      const held = await lock.acquire("run_1", 0, never);
      writeFileSync(claim(), "token");
      await until(() => held.lost.aborted);
      assert.ok(existsSync(file()) && existsSync(claim()));
      transcript.append(titled("Last words"));
      transcript.flush();
      await until(() => !existsSync(file()));
      assert.equal(replay(record()).chat.session.title, "Last words");
      held.release();
    });
  }

  it("Q1 are not answered after the run has ended", async () => {
    const answers: ((alive: boolean) => void)[] = [];
    const isAlive = () => new Promise<boolean>((resolve) => answers.push(resolve));
    const held = await open({ isAlive }).lock.acquire("run_1", 0, never);
    writeFileSync(claim(), "token");
    await until(() => answers.length === 1);
    held.release();
    answers[0]?.(true);
    await sleep(50);
    assert.ok(existsSync(claim()));
    assert.ok(!held.lost.aborted);
  });

  it("Q1 are made by a prompt that waits for another process, and withdrawn", async () => {
    const child = spawn("sleep", ["60"]);
    lockFor(child.pid ?? 0);
    const taken = open().lock.acquire("run_2", 20_000, never);
    await until(() => existsSync(claim()));
    assert.equal(statSync(claim()).mode & 0o777, 0o600);
    child.kill("SIGKILL");
    const held = await taken;
    assert.deepEqual(readdirSync(folder()), ["ses_1.lock"]);
    held.release();
    /** Whether a claim is ever made while a run waits. */
    const claims = async (timeoutMs: number) => {
      let ended = false;
      let isMade = false;
      const refused = assert.rejects(open().lock.acquire("run_4", timeoutMs, never)).finally(() => {
        ended = true;
      });
      while (!ended) {
        isMade ||= existsSync(claim());
        await sleep(5);
      }
      await refused;
      return isMade;
    };
    const own = await open().lock.acquire("run_3", 0, never);
    assert.equal(await claims(700), false, "this process need not ask itself");
    own.release();
    lockFor(process.pid, { host: "elsewhere" });
    assert.equal(await claims(280), false, "most runs end soon");
    assert.equal(await claims(1500), true);
    assert.deepEqual(readdirSync(folder()), ["ses_1.lock"]);
  });

  it("Q1 a challenge ends when the holder answers, ends, or the user gives up", async () => {
    const child = spawn("sleep", ["60"]);
    lockFor(child.pid ?? 0);
    const { lock } = open();
    const answered = lock.challenge(never);
    await until(() => existsSync(claim()));
    rmSync(claim());
    assert.equal(await answered, false);
    const stop = new AbortController();
    const stopped = lock.challenge(stop.signal);
    await until(() => existsSync(claim()));
    stop.abort(new Error("enough"));
    await assert.rejects(stopped, { message: "enough" });
    assert.ok(!existsSync(claim()));
    const free = lock.challenge(never);
    await until(() => existsSync(claim()));
    child.kill("SIGKILL");
    assert.equal(await free, true);
    assert.ok(!existsSync(claim()));
  });

  it("Q1 a challenge that is never answered ends after 7 seconds", async () => {
    lockFor(process.pid, { host: "elsewhere" });
    const started = Date.now();
    assert.equal(await open().lock.challenge(never), false);
    const took = Date.now() - started;
    assert.ok(took >= 7000, `${took} ms`);
    assert.deepEqual(readdirSync(folder()), ["ses_1.lock"]);
  });

  it("Q1 of others are not withdrawn", async () => {
    lockFor(process.pid, { host: "elsewhere" });
    const { lock } = open();
    const answered = lock.challenge(never);
    await until(() => existsSync(claim()));
    writeFileSync(claim(), "another one's");
    assert.equal(await answered, false);
    assert.equal(readFileSync(claim(), "utf8"), "another one's");
  });

  it("Q1 makes no claim when the session is free or this process runs it", async () => {
    const { lock } = open();
    assert.equal(await lock.challenge(never), true);
    const held = await lock.acquire("run_1", 0, never);
    assert.equal(await open().lock.challenge(never), false);
    held.release();
  });
});
