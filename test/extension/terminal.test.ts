/** Commands in VS Code's terminals: mirrored ones, and those in the user's shell. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { integratedTerminal } from "../../src/extension/host/integrated-terminal.ts";
import { mirrored, type VisibleTerminal } from "../../src/extension/host/mirrored-terminal.ts";
import type { CommandEnd } from "../../src/tools/host.ts";
import { nodeTerminal } from "../../src/tools/node-host/terminal.ts";
import { noCommandMarkers } from "../../src/tools/run-command/command-markers.ts";
import { PlainTextRenderer } from "../../src/tools/run-command/plain-text.ts";
import { until } from "../loop/harness.ts";
import { stopwatch } from "../timing.ts";
import { living, running } from "../tools/run-command/living.ts";

interface Ran {
  end: CommandEnd;
  output: string;
}

describe("commands mirrored into terminals", () => {
  it("T10 concurrent commands have a terminal each, which later commands reuse", async () => {
    const terminal = mirrored(nodeTerminal());
    const names = () => vscode.window.terminals.map(({ name }) => name).filter((name) => name.startsWith("Rondo"));
    try {
      const run = (command: string) => {
        const signal = AbortSignal.timeout(10_000);
        return terminal.run({ command, cwd: "/", signal, onOutput() {}, onWaiting() {} });
      };
      await Promise.all([run("sleep 0.1"), run("true")]);
      await run("true");
      assert.deepEqual(names(), ["Rondo", "Rondo (2)"]);
    } finally {
      terminal.dispose();
    }
    await until(() => names().length === 0);
  });
});

describe("commands in the user's own shell", () => {
  let folder: string;
  let separate: VisibleTerminal;
  let terminal: VisibleTerminal;
  let shell = "/bin/bash";
  before(() => {
    folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "terminal-")));
    separate = mirrored(nodeTerminal());
    terminal = integratedTerminal(
      separate,
      { shell: () => shell, passed: () => ({}), markers: noCommandMarkers },
      { silenceMs: 300, startMs: 10_000 },
    );
  });
  after(() => {
    terminal.dispose();
    separate.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  beforeEach(() => {
    shell = "/bin/bash";
  });

  async function run(command: string, signal = AbortSignal.timeout(60_000)): Promise<Ran> {
    let output = "";
    const lines = new PlainTextRenderer((text) => {
      output += text;
    });
    const end = await terminal.run({
      command,
      cwd: folder,
      signal,
      onOutput: (text) => lines.push(text),
      onWaiting() {},
    });
    lines.end();
    return { end, output };
  }
  const ok = (output: string): Ran => ({ end: { type: "exit", code: 0, left: [] }, output });
  const terminals = () => vscode.window.terminals.filter(({ name }) => name === "Rondo").length;

  for (const [command, output] of [
    ["echo x", "x\n"],
    ["(echo x)", "x\n"],
    ["{ (echo x; echo y); }", "x\ny\n"],
    ["cat <<'END'\na $b\n  c\nEND", "a $b\n  c\n"],
    ["for i in 1 2 3; do\n  echo $i\ndone", "1\n2\n3\n"],
    ["bash -c 'echo a\necho b'", "a\nb\n"],
    ["bash -c '(echo a)'", "a\n"],
    ["echo \"it's\" '$HOME' # and a comment", "it's $HOME\n"],
    ["# only a comment", ""],
    ["printf 'no end of line'", "no end of line"],
    ["printf '\\033]0;title\\007\\033[31mred\\033[0m\\n'", "red\n"],
    ["echo $PAGER $GIT_TERMINAL_PROMPT", "cat 0\n"],
  ] as const) {
    it(`T10 ${JSON.stringify(command)}`, async () => assert.deepEqual(await run(command), ok(output)));
  }

  it("T10 all of them ran in one visible terminal", () => assert.equal(terminals(), 1));

  it("T10 exit ends the command and not the shell, and its code is reported", async () => {
    assert.deepEqual(await run("echo a; exit 3"), { end: { type: "exit", code: 3, left: [] }, output: "a\n" });
    assert.deepEqual(await run("cd /; export LOST=1; pwd"), ok("/\n"));
    assert.deepEqual(await run('pwd; echo "[$LOST]"'), ok(`${folder}\n[]\n`));
    assert.equal(terminals(), 1);
  });

  it("T10 handles a megabyte of output", async () => {
    const { output } = await run("head -c 1000000 /dev/zero | tr '\\0' a | fold -w 100; echo; echo END");
    assert.ok(output.endsWith("END\n"));
    assert.equal(output.replaceAll(/[^a]/g, "").length, 1_000_000);
  });

  it("T10 runs concurrent commands in a terminal each", async () => {
    const [first, second] = await Promise.all([run("sleep 0.5; echo 1"), run("echo 2")]);
    assert.deepEqual([first, second], [ok("1\n"), ok("2\n")]);
  });

  it("T10 detects a prompt for input, which can be answered in the terminal", async () => {
    const asked: (string | undefined)[] = [];
    let output = "";
    const end = await terminal.run({
      command: "read -p 'Name? ' name; echo \"[$name]\"",
      cwd: folder,
      signal: AbortSignal.timeout(60_000),
      onOutput: (text) => {
        output += text;
      },
      onWaiting(prompt) {
        asked.push(prompt);
        if (prompt !== "Name? ") return;
        for (const one of vscode.window.terminals) if (one.name === "Rondo") one.sendText("Ada");
      },
    });
    assert.deepEqual(end, { type: "exit", code: 0, left: [] });
    // Under load the prompt arrives after the command has begun to wait.
    assert.deepEqual(asked.slice(-2), ["Name? ", undefined]);
    assert.match(output, /\[Ada\]/);
  });

  /** Runs a command, types `answer` when the user is asked, and returns how it ended and what was recorded of it. */
  async function answered(command: string, answer: string) {
    const asked: (string | undefined)[] = [];
    let output = "";
    const end = await terminal.run({
      ...{ command, cwd: folder, signal: AbortSignal.timeout(60_000) },
      onOutput: (text) => {
        output += text;
      },
      onWaiting(_prompt, by) {
        asked.push(by);
        // A slow shell seems to wait again before it has read the answer.
        if (by !== "user" || asked.indexOf(by) !== asked.length - 1) return;
        for (const one of vscode.window.terminals) if (one.name === "Rondo") one.sendText(answer);
      },
    });
    // Without its prompt, which may come late, a command seems to wait for nobody.
    return { end, asked: asked.find((by) => by === "user"), output };
  }
  /** Leaves no terminal that would take the typed text for a command. */
  async function closeTerminals() {
    for (const one of vscode.window.terminals) if (one.name === "Rondo") one.dispose();
    await until(() => terminals() === 0);
  }
  const success: CommandEnd = { type: "exit", code: 0, left: [] };

  it("T10 the user can type a password, which is not recorded", async () => {
    await closeTerminals();
    const { end, asked, output } = await answered(
      "read -rsp 'Password: ' word; echo; printf %s \"$word\" | wc -m",
      "hunter2",
    );
    assert.deepEqual([end, asked], [success, "user"]);
    assert.match(output, /Password: \r?\n *7/);
    assert.doesNotMatch(output, /hunter2/);
  });

  it("T10 a password that a program echoes is not recorded either", async () => {
    const { end, asked, output } = await answered("read -rp 'Password: ' word; printf %s \"$word\" | wc -m", "hunter2");
    assert.deepEqual([end, asked], [success, "user"]);
    assert.match(output, /Password: \[hidden\]\r?\n *7/);
    assert.doesNotMatch(output, /hunter2/);
  });

  it("T10 a hidden line is the user's in any language", async () => {
    const { end, asked, output } = await answered(
      "read -rsp 'Kennwort> ' word; printf %s \"$word\" | wc -m",
      "hunter2",
    );
    assert.deepEqual([end, asked], [success, "user"]);
    assert.match(output, /^Kennwort> *7/);
    assert.doesNotMatch(output, /hunter2/);
  });

  it("T10 ssh-keygen gets the passphrase from the user", async function () {
    const key = path.join(folder, "key");
    try {
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "hunter2", "-f", key]);
    } catch {
      this.skip();
    }
    const { end, asked, output } = await answered("ssh-keygen -y -f key", "hunter2");
    assert.deepEqual([end, asked], [success, "user"]);
    assert.match(output, /ssh-ed25519 /);
    assert.doesNotMatch(output, /hunter2/);
  });

  it("L11 ends what a command leaves running", async () => {
    const { end, output } = await run("sleep 1618 & setsid sleep 1618 & echo started");
    assert.match(output, /started\n$/);
    assert.deepEqual(end, { type: "exit", code: 0, left: ["sleep 1618"] });
    assert.deepEqual(living("sleep 1618"), []);
  });

  it("L11 Stop ends a command, and the terminal is used again", async () => {
    const before = terminals();
    const stop = new AbortController();
    const command = run("sleep 1619", stop.signal);
    await until(() => running("sleep 1619") > 0);
    stop.abort();
    assert.deepEqual((await command).end, { type: "aborted" });
    assert.deepEqual(living("sleep 1619"), []);
    assert.deepEqual(await run("echo again"), ok("again\n"));
    assert.equal(terminals(), before);
  });

  it("L11 Stop ends commands that ignore signals or spawn endlessly, and their terminal", async () => {
    const stop = new AbortController();
    const command = run(
      "trap '' INT TERM; setsid sleep 1620 & (trap '' INT TERM HUP; while :; do sleep 1620; done)",
      stop.signal,
    );
    await until(() => running("sleep 1620") > 1);
    const elapsed = stopwatch();
    stop.abort();
    assert.deepEqual((await command).end, { type: "aborted" });
    assert.deepEqual(living("sleep 1620"), []);
    assert.ok(elapsed() < 5_000);
    assert.deepEqual(await run("echo again"), ok("again\n"));
  });

  it("T10 does not use a terminal in which the user runs something", async () => {
    const before = new Set(vscode.window.terminals);
    for (const one of before) if (one.name === "Rondo") one.sendText("sleep 1624");
    await until(() => running("sleep 1624") > 0);
    assert.deepEqual(await run("echo elsewhere"), ok("elsewhere\n"));
    assert.ok(running("sleep 1624") > 0);
    for (const one of before) if (one.name === "Rondo") one.dispose();
    await until(() => running("sleep 1624") === 0);
  });

  it("L11 does not end what the user left running in the terminal", async () => {
    assert.deepEqual(await run("echo first"), ok("first\n"));
    for (const one of vscode.window.terminals) if (one.name === "Rondo") one.sendText("sleep 1625 &");
    await until(() => running("sleep 1625") > 0);
    const { end } = await run("sleep 1626 & echo second");
    assert.deepEqual(end, { type: "exit", code: 0, left: ["sleep 1626"] });
    assert.ok(running("sleep 1625") > 0 && running("sleep 1626") === 0);
    for (const one of vscode.window.terminals) if (one.name === "Rondo") one.sendText("kill %1");
    await until(() => running("sleep 1625") === 0);
  });

  it("L11 Ctrl+C by the user ends a command, and the next one gets another terminal", async () => {
    const command = run("echo begun; sleep 1621");
    await until(() => running("sleep 1621") > 0);
    for (const one of vscode.window.terminals) if (one.name === "Rondo") one.sendText("\x03", false);
    const { end } = await command;
    assert.ok((end.type === "exit" && end.code === 130) || end.type === "signal", JSON.stringify(end));
    assert.deepEqual(living("sleep 1621"), []);
    const before = new Set(vscode.window.terminals);
    assert.deepEqual(await run("echo again"), ok("again\n"));
    // VS Code might press a second Ctrl+C in the same one, on the next command.
    assert.ok(vscode.window.terminals.some((one) => one.name === "Rondo" && !before.has(one)));
  });

  it("L11 closing the terminal ends a command, even one that ignores the signal", async () => {
    const command = run("trap '' HUP; sleep 1622");
    await until(() => running("sleep 1622") > 0);
    for (const one of vscode.window.terminals) if (one.name === "Rondo") one.dispose();
    assert.notEqual((await command).end.type, "exit");
    assert.deepEqual(living("sleep 1622"), []);
    assert.deepEqual(await run("echo again"), ok("again\n"));
  });

  it("L11 killing the shell ends a command", async () => {
    const { end } = await run("kill -9 $$; sleep 1623");
    assert.notDeepEqual(end, { type: "exit", code: 0, left: [] });
    assert.deepEqual(living("sleep 1623"), []);
    assert.deepEqual(await run("echo again"), ok("again\n"));
  });

  it("T10 runs without a terminal when there is no shell integration, and does not wait for it again", async () => {
    shell = execFileSync("sh", ["-c", "command -v dash || command -v sh"], { encoding: "utf8" }).trim();
    const tty = "tty || true";
    assert.match((await run(tty)).output, /not a tty/);
    const elapsed = stopwatch();
    assert.match((await run(tty)).output, /not a tty/);
    assert.ok(elapsed() < 2_000);
    shell = "/bin/bash";
    assert.match((await run(tty)).output, /^\/dev\//);
  });
});
