/** How commands in the real bubblewrap run and end, and what a killed process of Rondo leaves of them. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { nodeTerminal } from "../../../src/tools/node-host/terminal.ts";
import { until } from "../../loop/harness.ts";
import { living, running } from "../run-command/living.ts";
import { nap, sandboxed } from "./sandboxed.ts";

describe("commands in bubblewrap", () => {
  const box = sandboxed();
  const { open, run } = box;

  describe("how commands run and end", () => {
    for (const [command, expected] of [
      ["echo out; echo err >&2; echo dev > /dev/stderr; echo o > /dev/stdout", /^out\nerr\ndev\no$/],
      ["exit 7", /Exit code 7$/],
      ["kill -9 $$", /Exit code 137$/],
      ["cat; echo end", /^end$/],
      ["pwd; echo $PWD", /^(.+)\n\1$/],
      ["FOO='a b' bash -c 'echo \"$FOO\"'; printf '%s\\n' \"it's\"", /^a b\nit's$/],
    ] as const) {
      it(command, async () => assert.match(await run(command), expected));
    }

    it("a folder with spaces, quotes and a colon in its name", async () => {
      open("workspace", "a b'c:d");
      assert.equal(await run("echo x > f; cat f"), "x");
      assert.equal(box.work.text("f"), "x\n");
    });

    it("Stop lets programs clean up, and ends all of them", async () => {
      const stop = new AbortController();
      const command = `trap '/bin/true; /bin/true; echo clean > cleaned; exit' TERM; ${nap} & (setsid ${nap} &) ; echo started > started; wait`;
      const result = box.work.run("bash", { command }, stop.signal);
      await until(() => existsSync(box.work.path("started")));
      stop.abort();
      await result;
      assert.equal(box.work.text("cleaned"), "clean\n");
      assert.equal(running(nap), 0);
    });

    it("Stop ends programs that ignore signals", async () => {
      const stop = new AbortController();
      const result = box.work.run(
        "bash",
        {
          command: `trap '' TERM INT HUP; (trap '' TERM; setsid ${nap} & ${nap}) & echo x > started; while :; do sleep 1; done`,
        },
        stop.signal,
      );
      await until(() => existsSync(box.work.path("started")));
      stop.abort();
      await result;
      assert.equal(running(nap), 0);
      assert.deepEqual(living(box.work.folder), []);
    });

    it("what a command leaves running ends with it", async () => {
      await run(`(setsid nohup ${nap} > /dev/null 2>&1 &); echo done`);
      await until(() => running(nap) === 0);
    });

    it("a command in the background can be read and ended", async () => {
      await run(`echo ready; ${nap}`, { run_in_background: true });
      await until(() => box.work.host.background.list()[0]?.last === "ready");
      await box.work.run("bash_kill", { id: "bash_1" });
      assert.equal(running(nap), 0);
      assert.deepEqual(readdirSync(box.work.folder), []);
    });

    it("commands end when Rondo's process is killed", async () => {
      const rondo = await startRondo(`setsid ${nap} & echo x > started; ${nap}`);
      rondo.kill("SIGKILL");
      await until(() => running(nap) === 0);
    });
  });

  /** Starts a process of Rondo with a command in the sandbox that writes a file `started`. */
  async function startRondo(command: string): Promise<ChildProcess> {
    const script = `
      import { nodeTerminal } from ${JSON.stringify(path.resolve("src/tools/node-host/terminal.ts"))};
      const folder = ${JSON.stringify(box.work.folder)};
      await nodeTerminal({ sandbox: () => "workspace", folders: () => [folder] }).run({
        command: ${JSON.stringify(command)}, cwd: folder,
        signal: new AbortController().signal, onOutput() {}, onWaiting() {} });`;
    const rondo = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
    await until(() => existsSync(box.work.path("started")));
    return rondo;
  }

  describe("what a killed process of Rondo leaves", () => {
    const { TMPDIR } = process.env;
    let temporary: string;
    // Each process of Rondo cleans up after those that were killed: also those of other tests would.
    beforeEach(() => {
      temporary = mkdtempSync(path.join(os.tmpdir(), "rondo-killed-"));
      process.env["TMPDIR"] = temporary;
    });
    afterEach(() => {
      if (TMPDIR === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = TMPDIR;
      rmSync(temporary, { recursive: true, force: true });
    });

    const gone = (rondo: ChildProcess) => new Promise((resolve) => rondo.once("exit", resolve));
    const privateFolders = () => readdirSync(os.tmpdir()).filter((name) => name.startsWith("rondo-sandbox-"));

    async function killed(): Promise<void> {
      const rondo = await startRondo(`echo x > started; ${nap}`);
      const ended = gone(rondo);
      rondo.kill("SIGKILL");
      await ended;
      await until(() => running(nap) === 0);
      rmSync(box.work.path("started"));
    }

    for (const [name, files] of Object.entries({
      "an empty workspace": [],
      "a repository without hooks": [".git/HEAD", ".git/config"],
    })) {
      it(`is removed before the next command, in ${name}`, async () => {
        for (const file of files) box.work.put(file, "x");
        const before = readdirSync(box.work.folder, { recursive: true }).sort();
        const folders = privateFolders();
        await killed();
        assert.ok(existsSync(box.work.path(".vscode")), "a killed process cannot clean up");
        await run("true");
        assert.deepEqual(readdirSync(box.work.folder, { recursive: true }).sort(), before);
        await until(() => privateFolders().every((one) => folders.includes(one) || isOfLiving(one)));
      });
    }

    it("is removed when the next process starts, even without a command", async () => {
      await killed();
      nodeTerminal({ sandbox: () => "workspace", folders: () => [box.work.folder] });
      await until(() => readdirSync(box.work.folder).length === 0);
    });

    it("stays where something was put in it", async () => {
      await killed();
      box.work.put(".vscode/settings.json", "{}");
      await run("true");
      assert.deepEqual(readdirSync(box.work.folder), [".vscode"]);
    });

    it("stays while another process needs it, which keeps its protection", async () => {
      const other = await startRondo(
        "echo x > started; until [ -e go ]; do sleep 0.02; done; mkdir .vscode/x; echo $? > end",
      );
      const ended = gone(other);
      rmSync(box.work.path("started"));
      await killed();
      await run("true");
      assert.ok(existsSync(box.work.path(".vscode")));
      box.work.put("go", "");
      await ended;
      assert.deepEqual(readdirSync(box.work.folder).sort(), ["end", "go"]);
      assert.notEqual(box.work.text("end").trim(), "0");
    });

    it("is not believed where a note names another folder, or is another process's", async () => {
      for (const name of ["mine", ".vscode"]) mkdirSync(box.work.path(name));
      const note = path.join(os.tmpdir(), `rondo-sandbox-test-${process.pid}.held.json`);
      const namespace = readlinkSync("/proc/self/ns/pid");
      const dead = { pid: 2 ** 22 + 1, host: os.hostname(), processStart: "1", namespace };
      for (const content of [
        { ...dead, places: [box.work.path("mine")] },
        { ...dead, namespace: "pid:[1]", places: [box.work.path(".vscode")] },
        { ...dead, places: [".vscode"] },
        "no note",
      ]) {
        writeFileSync(note, JSON.stringify(content));
        await run("true");
        assert.deepEqual(readdirSync(box.work.folder).sort(), [".vscode", "mine"]);
      }
      rmSync(note);
    });

    function isOfLiving(name: string): boolean {
      const note = path.join(os.tmpdir(), `${name.replace(/\..*/, "")}.held.json`);
      const text = existsSync(note) ? readFileSync(note, "utf8") : "{}";
      return existsSync(`/proc/${JSON.parse(text).pid}`);
    }
  });
});
