import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { living } from "./run-command/living.ts";
import { TestWorkspace } from "./workspace.ts";

describe("bash", () => {
  let work: TestWorkspace;
  before(function () {
    // These commands are not for PowerShell, the shell on Windows.
    if (process.platform === "win32") this.skip();
  });
  beforeEach(() => {
    work = new TestWorkspace();
  });
  afterEach(() => work.dispose());

  const run = async (command: string, more = {}) => await work.run("bash", { command, ...more });
  const output = async (command: string) => (await run(command)).output;

  describe("output and exit code", () => {
    it("T10 returns stdout and stderr in the order in which they were written", async () => {
      const command =
        "for i in 1 2 3; do echo out$i; echo err$i >&2; done; echo in >/dev/stderr; echo out >/dev/stdout";
      assert.equal(await output(command), "out1\nerr1\nout2\nerr2\nout3\nerr3\nin\nout");
    });

    it("T10 a failed command is a failed call with its output", async () => {
      const result = await run("echo so far; exit 3");
      assert.equal(result.output, "so far\n\nExit code 3");
      assert.equal(result.failed, true);
      assert.deepEqual(result.metadata, { tone: "bad", fact: "exit code 3", exitCode: 3, outputFile: undefined });
      assert.match(await output("no-such-program-here"), /not found\n\nExit code 127$/);
    });

    it("says when there is no output", async () => {
      assert.equal(await output("true"), "(no output)");
    });

    it("names the signal that ended it", async () => {
      const result = await run("kill -9 $$");
      assert.equal(result.output, "The command was ended by SIGKILL.");
      assert.equal(result.metadata.exitCode, null);
    });

    it("summarizes test results", async () => {
      assert.deepEqual((await run("echo '  13 passing (20ms)'")).metadata.fact, "13 passed");
      const { metadata } = await run("echo 'Tests:       1 failed, 13 passed, 14 total'; exit 1");
      assert.equal(metadata.fact, "1 of 14 failed");
      assert.equal(metadata.tone, "bad");
    });

    it("joins characters that arrive in pieces, and tolerates invalid UTF-8", async () => {
      assert.equal(await output("printf '\\xe4\\xbd'; sleep 0.1; printf '\\xa0\\n'"), "你");
      assert.equal(await output("printf 'caf\\351\\n'"), "caf\ufffd");
    });

    it("removes ANSI sequences, also when they arrive in pieces", async () => {
      assert.equal(await output("printf '\\033[3'; sleep 0.1; printf '1mred\\033[0m\\r\\n'"), "red");
    });

    it("passes the command to the shell unchanged", async () => {
      assert.equal(await output(`printf '%s\\n' "it's" '$HOME' "a\\\`b"`), "it's\n$HOME\na`b");
      assert.equal(await output("for i in 1 2; do\n  echo $i\ndone"), "1\n2");
      assert.equal(await output("echo hi\\"), "hi\\");
      assert.equal(await output("exec echo replaced"), "replaced");
    });

    it("runs in the first folder, whatever its name", async () => {
      work.dispose();
      work = new TestWorkspace({ name: `my 'w' "s" ü` });
      assert.equal(await output("pwd"), work.folder);
    });

    it("starts a new shell each time", async () => {
      mkdirSync(work.path("sub"));
      await run("cd sub; export KEPT=yes");
      assert.equal(await output('pwd; echo "[$KEPT]"'), `${work.folder}\n[]`);
    });

    it("passes no keys, and no variables that would wait for a person", async () => {
      const before = process.env["ANTHROPIC_API_KEY"];
      process.env["ANTHROPIC_API_KEY"] = "sk-secret";
      try {
        assert.equal(await output('read -p "Continue? " x; echo "got:$x"; echo "[$ANTHROPIC_API_KEY]"'), "got:\n[]");
      } finally {
        if (before === undefined) delete process.env["ANTHROPIC_API_KEY"];
        else process.env["ANTHROPIC_API_KEY"] = before;
      }
      assert.match(
        await output("git init -q; git -c user.name=a -c user.email=b commit --allow-empty"),
        /Exit code 1$/,
      );
    });

    it("T10 reports the first output at once, then a few times per second", async () => {
      const seen: [string, number][] = [];
      // The command continues once its first line has been reported.
      const command =
        "echo line 1; until [ -e reported ]; do sleep 0.01; done; for i in 2 3 4 5 6; do echo line $i; sleep 0.04; done";
      const startedAt = Date.now();
      await work.run("bash", { command }, new AbortController().signal, (text, lines) => {
        seen.push([text, lines]);
        work.put("reported", "");
      });
      assert.deepEqual(seen[0], ["line 1", 1]);
      assert.ok(seen.length >= 2 && seen.length <= 2 + (Date.now() - startedAt) / 100, `${seen.length} reports`);
      const [text, lines] = seen.at(-1) ?? ["", 0];
      assert.ok(text.startsWith("line 1\nline 2") && lines >= 3);
    });
  });

  describe("T9 long output", () => {
    it("keeps the beginning and the end, and saves everything to a file", async () => {
      const { output, metadata } = await run("echo HEAD; seq 1 5000; echo TAIL");
      assert.ok(output.startsWith("HEAD\n1\n2\n") && output.endsWith("\n5000\nTAIL"));
      assert.match(output, /\n\[… 3002 lines, \d+ characters left out\. The full output is in \S+ …\]/);
      const all = `HEAD\n${Array.from({ length: 5000 }, (_, index) => `${index + 1}\n`).join("")}TAIL\n`;
      assert.equal(readFileSync(metadata.outputFile ?? "", "utf8"), all);
    });

    it("says when the full output cannot be saved", async () => {
      writeFileSync(path.join(work.root, "overflow"), "a file where the folder should be");
      const { output, metadata } = await run("seq 1 5000");
      assert.match(output, /left out\. The full output could not be saved …\]/);
      assert.equal(metadata.outputFile, undefined);
    });

    it("truncates a long line without splitting a character", async () => {
      const { output } = await run("for i in $(seq 1 5000); do printf '👨‍👩‍👧‍👦'; done");
      assert.ok(output.length < 31_000 && output.isWellFormed());
    });
  });

  describe("L11 the end of a command", () => {
    it("does not run when already aborted", async () => {
      await assert.rejects(work.run("bash", { command: "touch ran" }, AbortSignal.abort()), { name: "AbortError" });
      assert.equal(existsSync(work.path("ran")), false);
    });

    it("0 is not a time limit", async () => {
      assert.equal((await run("sleep 0.1; echo ok", { timeout: 0 })).output, "ok");
    });

    it("concurrent calls do not mix their output", async () => {
      const outputs = await Promise.all([output("sleep 0.2; echo 1"), output("echo 2")]);
      assert.deepEqual(outputs, ["1", "2"]);
    });

    it("T10 reports processes that it left running", async () => {
      const { output } = await run("sleep 3145 & echo started");
      assert.equal(
        output,
        "started\n\nProcesses that it left running were terminated: sleep 3145. Use run_in_background for processes that must continue.",
      );
      assert.deepEqual(living("sleep 3145"), []);
    });

    it("waits a moment for processes that are about to end", async () => {
      assert.equal(await output("echo now > >(sleep 0.05; cat; echo late)"), "now\nlate");
    });

    it("rejects a command that is too long or contains characters that no command can", async () => {
      assert.match((await run(`echo ${"x".repeat(200_000)}`)).output, /could not be started: it is too long/);
      assert.match((await run("echo a\0b")).output, /could not be started: /);
    });

    it("says when the folder no longer exists", async () => {
      const plan = await work.plan("bash", { command: "true" });
      work.dispose();
      const result = await plan.run(() => {});
      assert.match(result.output, /^The command could not be started: the shell, or the folder \S+, is not there\.$/);
    });
  });
});
