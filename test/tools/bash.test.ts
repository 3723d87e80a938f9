import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TestWorkspace } from "./workspace.ts";

/** Command lines of living processes that hold `text`. */
function processesWith(text: string): string[] {
  const lines = execFileSync("ps", ["axo", "args"], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(text));
}

describe("bash", () => {
  let work: TestWorkspace;
  before(function () {
    // There the shell is PowerShell, which these commands are not for.
    if (process.platform === "win32") this.skip();
  });
  beforeEach(() => {
    work = new TestWorkspace();
  });
  afterEach(() => work.dispose());

  const run = async (command: string, more = {}) => await work.run("bash", { command, ...more });
  const output = async (command: string) => (await run(command)).output;

  describe("output and exit code", () => {
    it("T10 gives stdout and stderr in the order in which they were written", async () => {
      const command =
        "for i in 1 2 3; do echo out$i; echo err$i >&2; done; echo in >/dev/stderr; echo out >/dev/stdout";
      assert.equal(await output(command), "out1\nerr1\nout2\nerr2\nout3\nerr3\nin\nout");
    });

    it("T10 a command that fails is a failed call with its output", async () => {
      const result = await run("echo so far; exit 3");
      assert.equal(result.output, "so far\n\nExit code 3");
      assert.equal(result.failed, true);
      assert.deepEqual(result.metadata, { tone: "bad", fact: "exit code 3", exitCode: 3, outputFile: undefined });
      assert.match(await output("no-such-program-here"), /not found\n\nExit code 127$/);
    });

    it("says so when there is no output", async () => {
      assert.equal(await output("true"), "(no output)");
    });

    it("names the signal that ended it", async () => {
      const result = await run("kill -9 $$");
      assert.equal(result.output, "The command was ended by SIGKILL.");
      assert.equal(result.metadata.exitCode, null);
    });

    it("says what tests came to", async () => {
      assert.deepEqual((await run("echo '  13 passing (20ms)'")).metadata.fact, "13 passed");
      const { metadata } = await run("echo 'Tests:       1 failed, 13 passed, 14 total'; exit 1");
      assert.equal(metadata.fact, "1 of 14 failed");
      assert.equal(metadata.tone, "bad");
    });

    it("puts characters together that come in pieces, and survives what is not UTF-8", async () => {
      assert.equal(await output("printf '\\xe4\\xbd'; sleep 0.1; printf '\\xa0\\n'"), "你");
      assert.equal(await output("printf 'caf\\351\\n'"), "caf\ufffd");
    });

    it("takes ANSI sequences away, in pieces too", async () => {
      assert.equal(await output("printf '\\033[3'; sleep 0.1; printf '1mred\\033[0m\\r\\n'"), "red");
    });

    it("hands the command to the shell as it is", async () => {
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

    it("starts anew each time", async () => {
      mkdirSync(work.path("sub"));
      await run("cd sub; export KEPT=yes");
      assert.equal(await output('pwd; echo "[$KEPT]"'), `${work.folder}\n[]`);
    });

    it("gives it no keys, and nothing that waits for a person", async () => {
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

    it("reports what is running a few times a second", async () => {
      const seen: [string, number][] = [];
      const command = "for i in 1 2 3 4 5 6; do echo line $i; sleep 0.05; done";
      await work.run("bash", { command }, new AbortController().signal, (text, lines) => seen.push([text, lines]));
      assert.deepEqual(seen[0], ["line 1", 1]);
      assert.ok(seen.length >= 2 && seen.length <= 5, `${seen.length} reports`);
      const [text, lines] = seen.at(-1) ?? ["", 0];
      assert.ok(text.startsWith("line 1\nline 2") && lines >= 3);
    });
  });

  describe("T9 long output", () => {
    it("keeps head and tail, and the whole in a file", async () => {
      const { output, metadata } = await run("echo HEAD; seq 1 5000; echo TAIL");
      assert.ok(output.startsWith("HEAD\n1\n2\n") && output.endsWith("\n5000\nTAIL"));
      assert.match(
        output,
        /\n\[… 3002 lines, \d+ characters left out\. The whole output is in \S+; read it with offset/,
      );
      const all = `HEAD\n${Array.from({ length: 5000 }, (_, index) => `${index + 1}\n`).join("")}TAIL\n`;
      assert.equal(readFileSync(metadata.outputFile ?? "", "utf8"), all);
    });

    it("cuts a long line without breaking a character", async () => {
      const { output } = await run("for i in $(seq 1 5000); do printf '👨‍👩‍👧‍👦'; done");
      assert.ok(output.length < 31_000 && output.isWellFormed());
    });

    it("takes 100 MB without holding them", async function () {
      this.timeout(20_000);
      const before = process.memoryUsage.rss();
      const { metadata, output } = await run("head -c 100000000 /dev/zero | tr '\\0' 'a'");
      assert.equal(statSync(metadata.outputFile ?? "").size, 100_000_000);
      assert.ok(output.length < 31_000);
      assert.ok(process.memoryUsage.rss() - before < 100_000_000);
    });
  });

  describe("L11 the end of a command", () => {
    it("T10 a time limit ends the whole tree, the deaf and the runaways too", async function () {
      this.timeout(5_000);
      const command =
        "echo so far; trap '' TERM; setsid sleep 3141 & (trap '' TERM; sleep 3142; sleep 3143) & while :; do sleep 1; done";
      const result = await run(command, { timeout: 300 });
      assert.match(result.output, /^so far\n\nThe command was stopped after 0\.3 s, its time limit/);
      assert.deepEqual([result.failed, result.metadata.fact], [true, "stopped after 0.3 s"]);
      assert.deepEqual(processesWith("sleep 314"), []);
    });

    it("Stop ends the whole tree within a second", async function () {
      this.timeout(5_000);
      const controller = new AbortController();
      const command = "bash -c '(trap \"\" TERM; sleep 0.5; touch survived) & sleep 3144'";
      const running = work.run("bash", { command }, controller.signal);
      await sleep(150);
      const stoppedAt = performance.now();
      controller.abort();
      const result = await running;
      assert.ok(performance.now() - stoppedAt < 1000);
      assert.equal(result.output, "The command was stopped by the user.");
      assert.deepEqual(processesWith("sleep 3144"), []);
      await sleep(500);
      assert.equal(existsSync(work.path("survived")), false);
    });

    it("does not run at all once aborted", async () => {
      await assert.rejects(work.run("bash", { command: "touch ran" }, AbortSignal.abort()), { name: "AbortError" });
      assert.equal(existsSync(work.path("ran")), false);
    });

    it("what it leaves running does not hold it up, and is ended", async () => {
      const startedAt = performance.now();
      assert.equal(await output("sleep 3145 & setsid sleep 3145 & echo started"), "started");
      assert.ok(performance.now() - startedAt < 2000);
      assert.deepEqual(processesWith("sleep 3145"), []);
    });

    it("0 is not a time limit", async () => {
      assert.equal((await run("sleep 0.1; echo ok", { timeout: 0 })).output, "ok");
    });

    it("calls side by side keep to themselves", async () => {
      const outputs = await Promise.all([output("sleep 0.2; echo 1"), output("echo 2")]);
      assert.deepEqual(outputs, ["1", "2"]);
    });

    it("says when the folder is gone", async () => {
      const plan = await work.plan("bash", { command: "true" });
      work.dispose();
      const result = await plan.run(() => {});
      assert.match(result.output, /^The command could not be started: /);
    });
  });

  describe("what it asks", () => {
    it("T3 each simple command by itself, with what Always would add", async () => {
      const plan = await work.plan("bash", { command: "npm test && git status --short | grep foo" });
      assert.equal(plan.title, "Run npm test && git status --short | grep foo");
      assert.deepEqual(plan.needs, [
        { permission: "bash", pattern: "npm test", always: "npm test *", match: "pattern" },
        { permission: "bash", pattern: "git status --short", always: "git status *", match: "pattern" },
        { permission: "bash", pattern: "grep foo", always: "grep *", match: "pattern" },
      ]);
      assert.equal(plan.preview.type === "command" && plan.preview.parts.length, 3);
    });

    it("what cannot be taken apart as a whole, never for always", async () => {
      assert.deepEqual(await work.needs("bash", { command: "echo $(rm x)" }), [
        { permission: "bash", pattern: "echo $(rm x)", match: "exact" },
      ]);
    });

    it("T8 for paths outside that it names", async () => {
      mkdirSync(path.join(work.root, "out"));
      const outside = async (command: string) =>
        (await work.needs("bash", { command }))
          .filter((need) => need.permission === "external_directory")
          .map((need) => path.relative(work.root, need.pattern));
      for (const command of [
        "cat ../out/a",
        "cd ../out",
        "cc -I../out x.c",
        "dd if=../out",
        "echo x > ../out",
        "../out x",
      ]) {
        assert.match((await outside(command)).join(), /^out/, command);
      }
      assert.deepEqual(await outside("cat /etc/passwd 'a b' --file=/etc/hosts"), [
        "../../etc/passwd",
        "../../etc/hosts",
      ]);
      assert.deepEqual(await outside('grep -rn "/api/users" src'), []);
      assert.deepEqual(await outside("cat a/b ./c > /dev/null"), []);
      assert.deepEqual(await outside("/usr/bin/cat a"), []);
      for (const command of ["ls ~", "cat ~root/x", `echo \${HOME} > a`, "cat /et*/passwd"]) {
        assert.equal((await outside(command)).length, 1, command);
      }
      assert.equal((await outside("echo $HOME/.ssh/id_rsa > a")).length, 1);
    });
  });
});
