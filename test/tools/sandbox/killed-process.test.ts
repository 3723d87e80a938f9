/** What a killed process of Rondo leaves of its sandbox, and what removes it. */
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { nodeTerminal } from "../../../src/tools/node-host/terminal.ts";
import { until } from "../../loop/harness.ts";
import { running } from "../run-command/living.ts";
import { bubblewrapSuite, nap } from "./bubblewrap-suite.ts";

describe("what a killed process of Rondo leaves of bubblewrap", () => {
  const sandbox = bubblewrapSuite();
  const { run, startRondo } = sandbox;

  const gone = (rondo: ChildProcess) => new Promise((resolve) => rondo.once("exit", resolve));
  const privateFolders = () => readdirSync(os.tmpdir()).filter((name) => name.startsWith("rondo-sandbox-"));

  async function killed(): Promise<void> {
    const rondo = await startRondo(`echo x > started; ${nap}`);
    const ended = gone(rondo);
    rondo.kill("SIGKILL");
    await ended;
    await until(() => running(nap) === 0);
    rmSync(sandbox.work.path("started"));
  }

  for (const [name, files] of Object.entries({
    "an empty workspace": [],
    "a repository without hooks": [".git/HEAD", ".git/config"],
  })) {
    it(`is removed before the next command, in ${name}`, async () => {
      for (const file of files) sandbox.work.put(file, "x");
      const before = readdirSync(sandbox.work.folder, { recursive: true }).sort();
      const folders = privateFolders();
      await killed();
      assert.ok(existsSync(sandbox.work.path(".vscode")), "a killed process cannot clean up");
      await run("true");
      assert.deepEqual(readdirSync(sandbox.work.folder, { recursive: true }).sort(), before);
      // The folders of tests that run at the same time may come and go.
      await until(() => privateFolders().every((one) => folders.includes(one) || isOfLiving(one)));
    });
  }

  it("is removed when the next process starts, even without a command", async () => {
    await killed();
    nodeTerminal({ sandbox: () => "workspace", folders: () => [sandbox.work.folder] });
    await until(() => readdirSync(sandbox.work.folder).length === 0);
  });

  it("stays where something was put in it", async () => {
    await killed();
    sandbox.work.put(".vscode/settings.json", "{}");
    await run("true");
    assert.deepEqual(readdirSync(sandbox.work.folder), [".vscode"]);
  });

  it("stays while another process needs it, which keeps its protection", async () => {
    const other = await startRondo(
      "echo x > started; until [ -e go ]; do sleep 0.02; done; mkdir .vscode/x; echo $? > end",
    );
    const ended = gone(other);
    rmSync(sandbox.work.path("started"));
    await killed();
    await run("true");
    assert.ok(existsSync(sandbox.work.path(".vscode")));
    sandbox.work.put("go", "");
    await ended;
    assert.deepEqual(readdirSync(sandbox.work.folder).sort(), ["end", "go"]);
    assert.notEqual(sandbox.work.text("end").trim(), "0");
  });

  it("is not believed where a note names another folder, or is another process's", async () => {
    for (const name of ["mine", ".vscode"]) mkdirSync(sandbox.work.path(name));
    const note = path.join(os.tmpdir(), `rondo-sandbox-test-${process.pid}.held.json`);
    const namespace = readlinkSync("/proc/self/ns/pid");
    const dead = { pid: 2 ** 22 + 1, host: os.hostname(), processStart: "1", namespace };
    for (const content of [
      { ...dead, places: [sandbox.work.path("mine")] },
      { ...dead, namespace: "pid:[1]", places: [sandbox.work.path(".vscode")] },
      { ...dead, places: [".vscode"] },
      "no note",
    ]) {
      writeFileSync(note, JSON.stringify(content));
      await run("true");
      assert.deepEqual(readdirSync(sandbox.work.folder).sort(), [".vscode", "mine"]);
    }
    rmSync(note);
  });

  function isOfLiving(name: string): boolean {
    const note = path.join(os.tmpdir(), `${name.replace(/\..*/, "")}.held.json`);
    const text = existsSync(note) ? readFileSync(note, "utf8") : "{}";
    return existsSync(`/proc/${JSON.parse(text).pid}`);
  }
});
