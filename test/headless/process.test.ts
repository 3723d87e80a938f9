/** Signals, kills, and sessions that continue afterwards. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { until } from "../loop/harness.ts";
import { secondMs, stopwatch } from "../timing.ts";
import { begins, calls, type Place, places, says } from "./headless-run.ts";

const bypass = ["--permission-mode", "bypassPermissions"];
/** Writes the ids of its processes to `pids`; one of them has its own process group. */
const long = "setsid sleep 300 & echo $! > pids; sleep 300 & echo $! >> pids; echo $$ >> pids; echo begun; wait";

/** Returns whether a process runs; a zombie does not. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.startsWith("Z");
}

async function pidsOf(place: Place): Promise<number[]> {
  const pids = () => (existsSync(path.join(place.folder, "pids")) ? place.read("pids").trim().split("\n") : []);
  await until(() => pids().length === 3);
  return pids().map(Number);
}

/** Returns whether the record holds text of an answer. */
function hasText(place: Place): boolean {
  if (!existsSync(place.sessions) || readdirSync(place.sessions).length === 0) return false;
  try {
    return place.replay().chat.messages[1]?.parts.some((part) => part.type === "text" && part.text !== "") ?? false;
  } catch {
    // Its first line is being written.
    return false;
  }
}

describe("headless run: process", () => {
  const open = places();

  it("L11 SIGINT during a command: its process tree ends within a second, exit status 130, everything is recorded", async () => {
    const place = await open([calls("bash", { command: long }), says("Never.")]);
    const { child, ended } = place.start([...bypass, "Go"]);
    const pids = await pidsOf(place);
    const elapsed = stopwatch();
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    assert.ok(elapsed() < secondMs, `${elapsed()} ms`);
    assert.equal(code, 130);
    assert.equal(stderr, "");
    assert.deepEqual(pids.filter(isAlive), []);
    const { chat } = place.replay();
    const part = chat.messages[1]?.parts.find(({ type }) => type === "tool");
    assert.match(part?.type === "tool" && part.state.status === "error" ? part.state.error : "", /stopped by the user/);
    assert.equal(place.server.requests.length, 1);
  });

  it("L11 SIGTERM during a reply: the connection closes, exit status 130, and the received part is kept", async () => {
    const place = await open([begins("Half an answer")]);
    const { child, ended } = place.start(["--output-format", "json", "Go"]);
    await until(() => hasText(place));
    child.kill("SIGTERM");
    const { code, stdout } = await ended;
    assert.equal(code, 130);
    assert.equal(JSON.parse(stdout).exit_reason, "interrupted");
    await place.server.requests[0]?.left;
    const { info, parts } = place.replay().chat.messages[1] ?? assert.fail();
    assert.equal(info.role === "assistant" && info.finish, "interrupted");
    assert.ok(parts.some((part) => part.type === "text" && part.text === "Half an answer"));
  });

  it("SIGINT while waiting for a prompt: exit status 130", async () => {
    for (const format of ["text", "stream-json"]) {
      const place = await open([]);
      const { child, ended } = place.start(["--input-format", format], { input: "open" });
      // It listens to signals before it makes the folder of its record.
      await until(() => existsSync(place.sessions));
      child.kill("SIGINT");
      assert.deepEqual(await ended, { code: 130, stdout: "", stderr: "" });
    }
  });

  it("a reader that closes the output ends the run without a stack trace", async () => {
    const place = await open(() => calls("read", { file_path: "." }));
    const { child, ended } = place.start(["--output-format", "stream-json", "--max-turns", "50", "Go"]);
    child.stdout?.destroy();
    const { code, stderr } = await ended;
    assert.notEqual(code, 0);
    assert.ok(!stderr.includes("    at "), stderr);
    assert.ok(place.server.requests.length < 50);
  });

  it("R3 killed while a tool runs: when resumed, the call is marked as interrupted and does not run again", async () => {
    const place = await open([calls("bash", { command: `echo run >> log; ${long}` }), says("I see.")]);
    const { child, ended } = place.start([...bypass, "--session-id", "mine", "Go"]);
    const pids = await pidsOf(place);
    child.kill("SIGKILL");
    await ended;
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, "SIGKILL");
    const killed = place.replay().chat.messages[1]?.parts.find(({ type }) => type === "tool");
    assert.equal(killed?.type === "tool" && killed.state.status, "running");
    assert.deepEqual(await place.run([...bypass, "--resume", "mine", "And now?"]), {
      code: 0,
      stdout: "I see.\n",
      stderr: "",
    });
    assert.equal(place.read("log"), "run\n");
    const { chat, broken } = place.replay();
    assert.deepEqual(broken, []);
    const part = chat.messages[1]?.parts.find(({ type }) => type === "tool");
    assert.match(part?.type === "tool" && part.state.status === "error" ? part.state.error : "", /^Interrupted: /);
    const sent = place.server.requests[1]?.raw ?? "";
    assert.ok(sent.includes("Interrupted: Rondo was closed") && sent.includes("And now?"));
  });

  it("R3 killed during a reply: prompt and received text are kept, and --continue continues", async () => {
    const place = await open([begins("Half an answer"), says("Whole.")]);
    const { child, ended } = place.start(["First things first"]);
    await until(() => hasText(place));
    child.kill("SIGKILL");
    await ended;
    const { code, stdout } = await place.run(["--continue", "Go on"]);
    assert.deepEqual([code, stdout], [0, "Whole.\n"]);
    const { chat } = place.replay();
    assert.deepEqual(
      chat.messages.map(({ info }) => (info.role === "user" ? "user" : info.finish)),
      ["user", "interrupted", "user", "stop"],
    );
    assert.ok(place.server.requests[1]?.raw.includes("Half an answer"));
    assert.ok(place.server.requests[1]?.raw.includes("First things first"));
  });

  it("--continue takes the newest session, --resume the named one, and --session-id sets the id", async () => {
    const place = await open((_, index) => says(`Answer ${index}`));
    await place.run(["--session-id", "one", "Alpha"]);
    await place.run(["--session-id", "two", "Beta"]);
    await place.run(["--continue", "Gamma"]);
    await place.run(["--resume", "one", "Delta"]);
    const said = place.server.requests.map(({ raw }) =>
      ["Alpha", "Beta", "Gamma", "Delta"].filter((word) => raw.includes(word)).join(" "),
    );
    assert.deepEqual(said, ["Alpha", "Beta", "Beta Gamma", "Alpha Delta"]);
    const again = await place.run(["--session-id", "one", "Hi"]);
    assert.equal(again.code, 2);
    assert.match(again.stderr, /There is a session "one" already/);
  });
});
