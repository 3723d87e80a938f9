import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BackgroundCommand } from "../../../src/chat/events.ts";
import { Stopped } from "../../../src/chat/stopped.ts";
import { bashKill } from "../../../src/tools/built-in/bash-kill.ts";
import { bashOutput } from "../../../src/tools/built-in/bash-output.ts";
import type { Background, CommandEnd, ShellCommand } from "../../../src/tools/host.ts";
import { nodeOverflow } from "../../../src/tools/node-host/output-files.ts";
import { nodeTerminal } from "../../../src/tools/node-host/terminal.ts";
import { backgroundOf } from "../../../src/tools/run-command/background.ts";
import { backgroundNotes } from "../../../src/tools/run-command/background-notes.ts";
import { runCommand } from "../../../src/tools/run-command/command-result.ts";
import type { Tool, ToolResult } from "../../../src/tools/tool.ts";
import { until } from "../../loop/harness.ts";
import { planOf, refusalOf } from "../context.ts";
import { TestWorkspace } from "../workspace.ts";
import { living, running } from "./living.ts";

describe("background commands", () => {
  let work: TestWorkspace;
  before(function () {
    if (process.platform === "win32") this.skip();
  });
  beforeEach(() => {
    work = new TestWorkspace();
  });
  afterEach(async () => {
    await work.host.background.endAll("user");
    work.dispose();
  });

  const start = (command: string) => work.host.background.start({ command, cwd: work.folder }, `call-${command}`);
  const ended = async (id: string) => {
    await until(() => stateOf(id).type === "ended");
    return stateOf(id);
  };
  const stateOf = (id: string) => found(id).state;
  const found = (id: string): BackgroundCommand => {
    const command = work.host.background.list().find((one) => one.id === id);
    assert.ok(command);
    return command;
  };
  const callOf = async (tool: Tool, input: Record<string, unknown>): Promise<ToolResult> => {
    const plan = await planOf(tool, input, { host: work.host });
    return await plan.run(() => {});
  };
  const read = async (input: Record<string, unknown>) => (await callOf(bashOutput, input)).output;

  it("T10 bash starts one and returns at once; bash_output reads new output, bash_kill ends it", async () => {
    const { output } = await work.run("bash", { command: "echo one; sleep 2718", run_in_background: true });
    assert.match(output, /^It runs in the background as bash_1\. /);
    await until(() => found("bash_1").lines === 1);
    assert.equal(found("bash_1").last, "one");
    assert.equal(await read({ id: "bash_1" }), "one\n\n[running]");
    assert.equal(await read({ id: "bash_1" }), "(no new output)\n\n[running]");
    assert.equal(await read({}), "bash_1 (running): echo one; sleep 2718");
    assert.equal((await callOf(bashKill, { id: "bash_1" })).output, "bash_1 was ended.");
    assert.deepEqual(living("sleep 2718"), []);
    assert.equal((await callOf(bashKill, { id: "bash_1" })).output, "bash_1 had ended already.");
    assert.equal(await read({ id: "bash_1" }), "(no new output)\n\n[stopped]");
    assert.deepEqual(work.host.background.takeEnded(), [], "who ends it knows that it ended");
  });

  it("T11 need no permission, and change no file", async () => {
    start("sleep 2719");
    for (const tool of [bashOutput, bashKill]) {
      const { requires, writes } = await planOf(tool, { id: "bash_1" }, { host: work.host });
      assert.deepEqual({ requires, writes }, { requires: [], writes: [] });
    }
  });

  it("T11 the model is told once of each that ends on its own", async () => {
    start("exit 3");
    start("true");
    start("kill -9 $$");
    assert.deepEqual(
      (await Promise.all(["bash_1", "bash_2", "bash_3"].map(ended))).map(
        (state) => state.type === "ended" && [state.words, state.failed],
      ),
      [
        ["exit code 3", true],
        ["exit code 0", false],
        ["ended by SIGKILL", true],
      ],
    );
    const told = work.host.background.takeEnded().map(({ id }) => id);
    assert.deepEqual(told.sort(), ["bash_1", "bash_2", "bash_3"]);
    assert.deepEqual(work.host.background.takeEnded(), []);
  });

  it("T11 an unknown id is answered with the list of ids", async () => {
    assert.match(await refusalOf(() => read({ id: "bash_7" })), /no background command "bash_7"\. There are no/);
    start("sleep 2720");
    assert.match(await refusalOf(() => callOf(bashKill, { id: "7" })), /bash_1 \(running\): sleep 2720$/);
  });

  it("T11 a filter is plain text, and skipped lines count as read", async () => {
    start("echo 'a.b'; echo axb; echo c");
    await ended("bash_1");
    assert.equal(await read({ id: "bash_1", filter: "a.b" }), "a.b\n\n[exit code 0]");
    assert.equal(await read({ id: "bash_1", filter: "c" }), "(no new output with this text)\n\n[exit code 0]");
  });

  it("T9 long output is shortened, and saved in full to a file", async () => {
    start("seq 1 3000; echo; seq 1 100000");
    await ended("bash_1");
    const text = work.host.background.read("bash_1")?.text ?? "";
    assert.ok(text.length < 31_000 && text.startsWith("1\n2\n") && text.endsWith("\n100000\n"));
    const [, file = ""] = /The full output is in (\S+) …\]/.exec(text) ?? [];
    assert.equal(readFileSync(file, "utf8").split("\n").length, 3000 + 1 + 100_000 + 1);
  });

  it("an incomplete line is new output once, and again when it has grown", async () => {
    start("printf 'Half'; while [ ! -e go ]; do sleep 0.02; done; echo ' a line'");
    await until(() => found("bash_1").last === "Half");
    assert.deepEqual(
      [work.host.background.read("bash_1")?.text, work.host.background.read("bash_1")?.text],
      ["Half", ""],
    );
    work.put("go", "");
    await ended("bash_1");
    assert.equal(work.host.background.read("bash_1")?.text, "Half a line\n");
  });

  describe("their limits", () => {
    /** Each command runs until it is told to end. */
    let ends: (() => void)[];
    let background: Background;
    beforeEach(() => {
      ends = [];
      const run = ({ signal }: ShellCommand) =>
        new Promise<CommandEnd>((resolve) => {
          signal.addEventListener("abort", () => resolve({ type: "aborted" }));
          ends.push(() => resolve({ type: "exit", code: 0, left: [] }));
        });
      background = backgroundOf({ shell: "none", sandbox: undefined, run }, work.host.overflow);
    });

    const add = (count: number) => {
      for (let at = 0; at < count; at++) background.start({ command: "x", cwd: "/" }, "call");
    };

    it("T11 at most 20 run at once", async () => {
      add(20);
      assert.throws(() => add(1), { name: "ToolError", message: /^20 commands run in the background already/ });
      const call = background.run(
        { command: "x", cwd: "/", timeoutMs: 1000, signal: new AbortController().signal, progress: () => {} },
        "call-1",
      );
      assert.equal(background.detach("call-1"), false);
      await background.endAll("user");
      assert.equal((await call).end.type, "aborted");
      add(20);
    });

    it("the last 20 ended ones are kept", async () => {
      add(15);
      for (const end of ends.splice(0)) end();
      await new Promise(setImmediate);
      add(15);
      for (const end of ends.slice(0, 10)) end();
      await new Promise(setImmediate);
      const ids = background.list().map(({ id }) => id);
      assert.deepEqual([ids.length, ids[0], ids.at(-1)], [25, "bash_6", "bash_30"]);
      assert.equal(background.takeEnded().length, 25);
    });
  });

  it("T11 a call's command can be moved to the background: the call returns its output so far, and the rest can be read", async () => {
    const call = work.run("bash", { command: "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two" });
    await until(() => work.host.background.detach("call-1"));
    const { output, failed } = await call;
    assert.match(output, /^(one\n\n)?It goes on in the background as bash_1; read its output with bash_output\.$/);
    assert.equal(failed, undefined);
    work.put("go", "");
    await ended("bash_1");
    assert.match(await read({ id: "bash_1" }), /^(one\n)?two\n\n\[exit code 0\]$/);
    assert.equal(work.host.background.detach("call-1"), false);
  });

  it("T11 a command in the background has no time limit, and outlives the call's signal", async () => {
    const controller = new AbortController();
    const call = work.run("bash", { command: "sleep 0.3; echo done", timeout: 200 }, controller.signal);
    await until(() => work.host.background.detach("call-1"));
    await call;
    controller.abort();
    assert.deepEqual(await ended("bash_1").then((state) => state.type === "ended" && state.words), "exit code 0");
  });

  it("L11 ending a call's command completes the call", async () => {
    const call = work.run("bash", { command: "echo so far; sleep 2722" });
    await until(() => running("sleep 2722") > 0);
    assert.equal(work.host.background.endCall("call-1"), true);
    assert.equal((await call).output, "so far\n\nThe command was stopped by the user.");
    assert.deepEqual(living("sleep 2722"), []);
    assert.equal(work.host.background.endCall("call-1"), false);
  });

  it("listeners get the output of a command moved to the background", async () => {
    const call = work.run("bash", { command: "while [ ! -e go ]; do sleep 0.02; done; echo news; sleep 2723" });
    await until(() => work.host.background.detach("call-1"));
    await call;
    const heard: string[] = [];
    const end = work.host.background.listen(() => heard.push(found("bash_1").last));
    work.put("go", "");
    await until(() => heard.includes("news"));
    end();
  });

  it("T10 a command that waits for the user's password is ended neither for that nor by its time limit", async () => {
    let answer = () => {};
    const run = ({ signal, onWaiting }: ShellCommand) =>
      new Promise<CommandEnd>((resolve) => {
        setImmediate(onWaiting, "[sudo] password for ada: ", "user");
        answer = () => {
          onWaiting(undefined);
          answer = () => resolve({ type: "exit", code: 0, left: [] });
        };
        signal.addEventListener("abort", () => resolve({ type: "aborted" }));
      });
    const background = backgroundOf({ shell: "none", sandbox: undefined, run }, work.host.overflow, 5);
    const command = {
      command: "sudo ls",
      cwd: "/",
      signal: new AbortController().signal,
      timeoutMs: 50,
      progress() {},
    };
    const waiting = background.run(command, "call-1");
    await sleep(150);
    answer();
    answer();
    assert.deepEqual((await waiting).end, { type: "exit", code: 0, left: [] });
    const late = background.run(command, "call-2");
    await sleep(100);
    answer();
    assert.deepEqual((await late).end, { type: "timeout" }, "its time goes on after the answer");
  });

  it("R8 a background command that ended with its window is told once, under an id that no other gets", async () => {
    const outputs = path.join(work.folder, "outputs");
    const overflow = nodeOverflow(outputs);
    const terminal = nodeTerminal();
    const open = () => backgroundOf(terminal, overflow, undefined, backgroundNotes(outputs));
    const before = open();
    before.start({ command: "echo begun; sleep 2731.1", cwd: work.folder }, "call-1");
    before.start({ command: "true", cwd: work.folder }, "call-2");
    await until(() => before.list().some(({ last }) => last === "begun") && before.takeEnded().length === 1);
    assert.deepEqual(open().list(), [], "its window is still there");
    await before.endAll("closed");
    assert.deepEqual(living("sleep 2731.1"), []);
    const after = open();
    const [lost] = after.list();
    assert.deepEqual([lost?.id, lost?.last], ["bash_1", "begun"]);
    assert.equal(lost?.state.type === "ended" && lost.state.words, "ended with its window");
    assert.equal(after.read("bash_1")?.text, "begun");
    assert.deepEqual(
      after.takeEnded().map(({ id }) => id),
      ["bash_1"],
    );
    assert.deepEqual([after.takeEnded(), open().takeEnded(), open().list()], [[], [], []]);
    assert.equal(after.start({ command: "true", cwd: work.folder }, "call-3").id, "bash_3");
    await until(() => after.takeEnded().length === 1);
    after.start({ command: "sleep 2731.2", cwd: work.folder }, "call-4");
    await after.endAll("user");
    assert.deepEqual(open().takeEnded(), [], "the user knows what they have stopped");
  });

  for (const [by, words] of [
    ["user", /^The command was stopped by the user\.$/],
    ["closed", /^The command was ended because the window was closed or reloaded, not by the user's wish\./],
    ["elsewhere", /^The command was ended because another window took the session over, not by the user's wish\./],
  ] as const) {
    it(`R8 L11 a command that is stopped tells who stopped it: ${by}`, async () => {
      const run = ({ signal }: ShellCommand) =>
        new Promise<CommandEnd>((resolve) => signal.addEventListener("abort", () => resolve({ type: "aborted" })));
      const background = backgroundOf({ shell: "none", sandbox: undefined, run }, work.host.overflow);
      const controller = new AbortController();
      const command = { command: "x", cwd: "/", signal: controller.signal, timeoutMs: 60_000, progress() {} };
      const first = runCommand(background, command, "call-1");
      controller.abort(new Stopped(by));
      assert.match((await first).output, words);
      const second = runCommand(background, { ...command, signal: new AbortController().signal }, "call-2");
      await background.endAll(by);
      assert.match((await second).output, words);
      assert.match((await runCommand(background, command, "call-3")).output, words);
    });
  }

  it("T10 a command that asks for input is ended after a while, and the model is told how to continue", async () => {
    const run = ({ signal, onWaiting }: ShellCommand) =>
      new Promise<CommandEnd>((resolve) => {
        setImmediate(onWaiting, "Overwrite? [y/N] ");
        signal.addEventListener("abort", () => resolve({ type: "aborted" }));
      });
    const background = backgroundOf({ shell: "none", sandbox: undefined, run }, work.host.overflow, 20);
    const { signal } = new AbortController();
    const result = await runCommand(
      background,
      { command: "x", cwd: "/", timeoutMs: 5000, signal, progress() {} },
      "call",
    );
    assert.match(
      result.output,
      /^The command was terminated: it waited for input, after "Overwrite\? \[y\/N\]"\. .*--yes/,
    );
    assert.deepEqual([result.failed, result.metadata.fact], [true, "waited for input"]);
  });

  it("T10 a command whose prompt was answered is not ended", async () => {
    const run = async ({ onWaiting }: ShellCommand): Promise<CommandEnd> => {
      setImmediate(onWaiting, "Name? ");
      setImmediate(onWaiting, undefined);
      await new Promise((resolve) => setTimeout(resolve, 60));
      return { type: "exit", code: 0, left: [] };
    };
    const background = backgroundOf({ shell: "none", sandbox: undefined, run }, work.host.overflow, 20);
    const { signal } = new AbortController();
    const { end } = await background.run({ command: "x", cwd: "/", timeoutMs: 5000, signal, progress() {} }, "call");
    assert.equal(end.type, "exit");
  });

  it("listeners are notified of start, output and end, a few times per second", async () => {
    let heard = 0;
    const startedAt = Date.now();
    const end = work.host.background.listen(() => {
      heard += 1;
    });
    start("for i in $(seq 100); do echo $i; done");
    await ended("bash_1");
    assert.ok(heard >= 1 && heard <= 3 + (Date.now() - startedAt) / 250, `${heard} times`);
    end();
    const before = heard;
    start("true");
    await ended("bash_2");
    assert.equal(heard, before);
  });
});
