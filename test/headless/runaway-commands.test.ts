/** Commands that hang, leave processes or flood the output: none outlasts its limit, and no process is left. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { closeSync, existsSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { CommandOutcome } from "../../src/tools/host.ts";
import { nodeTerminal } from "../../src/tools/node-host/terminal.ts";
import { backgroundOf } from "../../src/tools/run-command/background.ts";
import { decodeUtf8 } from "../../src/tools/run-command/decode-output.ts";
import { openPipe, PipeReader } from "../../src/tools/run-command/output-pipe.ts";
import { until } from "../loop/harness.ts";
import { secondMs, stopwatch } from "../timing.ts";
import { living, running } from "../tools/run-command/living.ts";
import { TestWorkspace } from "../tools/workspace.ts";

/** Returns the ids of processes whose working directory is the folder. */
function workingIn(folder: string): string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      // It is gone, or a zombie.
      return false;
    }
  });
}

describe("runaway commands", () => {
  let work: TestWorkspace;
  beforeEach(function () {
    if (process.platform !== "linux") this.skip();
    work = new TestWorkspace();
  });
  afterEach(async () => {
    await work.host.background.endAll("user");
    assert.deepEqual(workingIn(work.folder), []);
    work.dispose();
  });

  const run = async (command: string, timeout = 10_000) => await work.run("bash", { command, timeout });

  describe("L11 a time limit ends", () => {
    for (const [title, command] of [
      [
        "processes that ignore signals, or have their own session",
        "trap '' TERM INT HUP; setsid sleep 4141 & (trap '' TERM; sleep 4141; sleep 4141) & while :; do sleep 1; done",
      ],
      ["jobs in their own process groups", "set -m; sleep 4141 & bash -ic 'sleep 4141' & sleep 4141"],
      ["daemons", "nohup sleep 4141 >/dev/null 2>&1 & (setsid sh -c 'sleep 4141 & sleep 4141 &' &); sleep 4141"],
      ["processes that have cleared their environment", "env -i setsid setsid sleep 4141 & sleep 4141"],
      ["stopped processes", "sleep 4141 & kill -STOP $!; setsid sh -c 'kill -STOP $$; sleep 4141' & sleep 4141"],
      [
        "many processes",
        'f() { sleep 4141 | sleep 4141 & setsid bash -c "sleep 4141 & sleep 4141" & }; for i in $(seq 50); do f; done; wait',
      ],
      [
        "a process that restarts itself repeatedly",
        "g() { trap 'g &' TERM; sleep 4141 & sleep 0.02; g & wait; }; for i in 1 2 3; do g & done; sleep 4141",
      ],
    ] as const) {
      it(title, async () => {
        const elapsed = stopwatch();
        const result = await run(command, 500);
        assert.deepEqual([result.failed, result.metadata.fact], [true, "stopped after 0.5 s"]);
        assert.ok(elapsed() < 4_500);
        assert.deepEqual(living("sleep 4141"), []);
      });
    }

    it("output that never ends", async () => {
      const result = await run("yes", 500);
      assert.match(result.output, /time limit/);
      assert.ok(result.output.length < 31_000);
    });
  });

  describe("L11 the end of the shell ends", () => {
    for (const [title, command] of [
      ["a child that keeps the output open", "sleep 4142 & echo started"],
      ["a child in its own session", "setsid sleep 4142 & echo started"],
      ["a child that ignores signals", "(trap '' TERM HUP; sleep 4142; sleep 4142) & echo started"],
      ["a child that closed all files", "(setsid sleep 4142 <&- >&- 2>&- &) ; echo started"],
      ["a child that floods the output", "yes sleep 4142 & sleep 0.1; echo; echo started"],
    ] as const) {
      it(title, async () => {
        const elapsed = stopwatch();
        const { output } = await run(command);
        assert.ok(output.includes("Processes that it left running were terminated: "));
        assert.ok(elapsed() < 3_000);
        assert.deepEqual(living("sleep 4142"), []);
      });
    }
  });

  it("L11 processes that cannot be ended do not delay a command", async () => {
    const pipe = await openPipe();
    assert.ok(pipe);
    const stranger = spawn("yes", { stdio: ["ignore", pipe.write, "ignore"] });
    const child = spawn("true", { stdio: ["ignore", pipe.write, "ignore"] });
    closeSync(pipe.write);
    let length = 0;
    const reader = new PipeReader(child, pipe, decodeUtf8, (text) => {
      length += text.length;
    });
    const elapsed = stopwatch();
    await reader.drained();
    assert.ok(elapsed() < 3_500 && length > 0);
    stranger.kill("SIGKILL");
  });

  describe("L11 Stop ends a command", () => {
    const stopped = async (command: string, ready: () => boolean | Promise<void>) => {
      const stop = new AbortController();
      const call = work.run("bash", { command }, stop.signal);
      const wait = ready();
      await (wait instanceof Promise ? wait : until(ready as () => boolean));
      const elapsed = stopwatch();
      stop.abort();
      const { output } = await call;
      assert.ok(elapsed() < secondMs);
      assert.deepEqual(living("sleep 4143"), []);
      return output;
    };

    it("that is about to start", async () => {
      await stopped("touch ran; sleep 4143", async () => {});
      assert.equal(existsSync(work.path("ran")), false);
    });

    for (const ms of [1, 3, 5, 8, 13, 20]) {
      it(`started ${ms} ms ago`, async () => {
        await stopped("sleep 4143 & setsid sleep 4143 & wait", async () => await sleep(ms));
      });
    }

    it("that is running", async () => {
      assert.equal(
        await stopped("sleep 4143", () => running("sleep 4143") > 0),
        "The command was stopped by the user.",
      );
    });

    it("that ignores SIGTERM", async () => {
      const command = "trap '' TERM; (trap '' TERM; sleep 4143; touch survived) & while :; do sleep 4143; done";
      await stopped(command, () => running("sleep 4143") > 1);
      assert.equal(existsSync(work.path("survived")), false);
    });

    it("that has ended but left a process", async () => {
      await stopped("(trap '' TERM; sleep 4143) & echo x", async () => await sleep(60));
    });

    it("in the background", async () => {
      const { background } = work.host;
      background.start({ command: "trap '' TERM; sleep 4143 & setsid sleep 4143 & wait", cwd: work.folder }, "call");
      const call = run("sleep 4143");
      await until(() => running("sleep 4143") === 3);
      background.detach("call-1");
      await call;
      await background.endAll("user");
      assert.deepEqual(living("sleep 4143"), []);
    });
  });

  describe("T9 a flood of output", () => {
    for (const [title, command, size] of [
      ["100 MB", "head -c 100000000 /dev/zero | tr '\\0' a", 100_000_000],
      ["100 MB in short lines", "yes | head -c 100000000", 100_000_000],
      ["10 MB of a progress bar", "yes \"$(printf '10%%\\r20%%\\r')\" | head -c 10000000", undefined],
      ["10 MB of colours", "yes \"$(printf '\\033[31mred\\033[0m')\" | head -c 10000000", undefined],
      ["5 MB of random bytes", "head -c 5000000 /dev/urandom", undefined],
      ["100 MB of null bytes", "head -c 100000000 /dev/zero", undefined],
    ] as const) {
      it(`${title} is read without storing all of it`, async () => {
        const before = process.memoryUsage.rss();
        const { metadata, output, failed } = await run(command);
        assert.equal(failed, undefined);
        assert.ok(output.length < 31_000 && output.isWellFormed());
        if (size !== undefined) assert.equal(statSync(metadata.outputFile ?? "").size, size);
        assert.ok(process.memoryUsage.rss() - before < 150_000_000);
      });
    }
  });

  describe("T10 a command that asks for input", () => {
    /** Runs a program in its own terminal without a user. */
    const asks = (question: string) => `sleep 4144 | script -qec "${question}" /dev/null`;
    const quick = () => backgroundOf(nodeTerminal({ silenceMs: 200 }), work.host.overflow, 300);
    const call = async (command: string, timeoutMs = 10_000): Promise<CommandOutcome> => {
      const { signal } = new AbortController();
      return await quick().run({ command, cwd: work.folder, timeoutMs, signal, progress() {} }, "call-1");
    };
    before(function () {
      if (!existsSync("/usr/bin/script")) this.skip();
    });

    it("on a terminal is ended, and its prompt is reported", async () => {
      const { end } = await call(asks("bash -c 'read -p \\\"Overwrite? [y/N] \\\" x'"));
      assert.deepEqual(end, { type: "waiting", prompt: "Overwrite? [y/N] " });
      assert.deepEqual(living("sleep 4144"), []);
    });

    it("is recognized by its last line when it waits without reading", async () => {
      const program = "process.stdout.write('Password: '); process.stdin.resume()";
      work.put("ask.mjs", program);
      const { end } = await call(asks(`'${process.execPath}' ask.mjs`));
      assert.deepEqual(end, { type: "waiting", prompt: "Password: " });
    });

    it("is recognized when it opens an editor", async function () {
      if (!existsSync("/usr/bin/vim")) this.skip();
      const { end } = await call("vim -u NONE file");
      assert.deepEqual(end, { type: "waiting", prompt: "Vim: Warning: Input is not from a terminal" });
    });

    it("in the background is reported as waiting", async () => {
      const background = quick();
      background.start({ command: asks("cat"), cwd: work.folder }, "call-1");
      await until(() => background.list()[0]?.state.type === "waiting");
      await background.endAll("user");
      assert.equal(background.list()[0]?.state.type, "ended");
    });

    it("is not confused with a silent one", async () => {
      const { end } = await call("printf 'Is it up? '; sleep 1; echo yes");
      assert.deepEqual(end, { type: "exit", code: 0, left: [] });
    });

    it("from a terminal that does not exist ends on its own", async () => {
      const { output } = await run("head -n 1 /dev/tty; cat; bash -i -c 'echo ok'");
      assert.match(output, /No such device.*ok/s);
    });
  });
});
