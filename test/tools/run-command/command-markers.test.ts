/** Commands of processes that were killed are ended by a later one, and no other process is. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { endOrphans } from "../../../src/tools/run-command/command-markers.ts";
import { until } from "../../loop/harness.ts";
import { living, running } from "./living.ts";

const terminal = JSON.stringify(path.resolve("src/tools/node-host/terminal.ts"));
const markers = JSON.stringify(path.resolve("src/tools/run-command/command-markers.ts"));

describe("commands of a process that was killed", () => {
  let folder: string;
  const hosts: ChildProcess[] = [];
  before(function () {
    if (process.platform === "win32") this.skip();
  });
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "markers-")));
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await kill(host);
    await endOrphans(folder);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a process that runs the command as an extension host does. */
  function host(command: string): ChildProcess {
    const script = `
      import { nodeTerminal } from ${terminal};
      import { commandMarkers } from ${markers};
      const terminal = nodeTerminal({ markers: commandMarkers(${JSON.stringify(folder)}) });
      const { signal } = new AbortController();
      await terminal.run({ command: ${JSON.stringify(command)}, cwd: "/", signal, onOutput() {}, onWaiting() {} });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
    hosts.push(child);
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  const markerIn = (name: string) => JSON.parse(readFileSync(path.join(folder, name), "utf8"));
  const names = () => readdirSync(folder).filter((name) => name.endsWith(".json"));

  /** Waits until the only commands run, and are noted: that happens right after each was started. */
  const noted = (...commands: string[]) =>
    until(() => commands.every((one) => running(one) === 1) && names().length === commands.length);

  it("R8 are ended, with all that they have started", async () => {
    const dying = host("sleep 4711.1 & setsid sleep 4711.2 & (env -i setsid sleep 4711.3 &) ; sleep 4711.4");
    await until(() => living("sleep 4711").length >= 4);
    // The members are noted when they are looked for.
    await until(() => names().some((name) => markerIn(name).members.length >= 4));
    await kill(dying);
    assert.ok(living("sleep 4711").length >= 4, "they outlive their host");
    const [ended = ""] = await endOrphans(folder);
    assert.match(ended, /^sleep 4711\.1/);
    assert.deepEqual([living("sleep 4711"), names()], [[], []]);
  });

  it("R8 are left alone while their process lives, and its marker stays", async () => {
    const alive = host("sleep 4712.1");
    const dying = host("sleep 4712.2");
    await noted("sleep 4712.1", "sleep 4712.2");
    await kill(dying);
    assert.deepEqual(await endOrphans(folder), ["sleep 4712.2"]);
    assert.deepEqual([running("sleep 4712.1"), running("sleep 4712.2")], [1, 0]);
    assert.equal(names().length, 1);
    await kill(alive);
    assert.deepEqual(await endOrphans(folder), ["sleep 4712.1"]);
  });

  it("R8 no process is ended that has got the id of an ended one", async () => {
    const dying = host("sleep 4713.1");
    await noted("sleep 4713.1");
    await kill(dying);
    const [name = ""] = names();
    const file = path.join(folder, name);
    const marker = markerIn(name);
    await endOrphans(folder);
    // Another program has the id of the command's shell now, and of one of its members.
    const other = spawn("sleep", ["4713.2"], { detached: true, stdio: "ignore" });
    await until(() => running("sleep 4713.2") === 1);
    try {
      for (const mark of [marker.mark, "0".repeat(24)]) {
        const members = [[other.pid, "12"]];
        writeFileSync(file, JSON.stringify({ ...marker, mark, pid: other.pid, members }));
        await endOrphans(folder);
        assert.equal(running("sleep 4713.2"), 1);
        assert.deepEqual(names(), []);
      }
    } finally {
      await kill(other);
    }
  });

  it("R8 the user's shell outlives its command", async () => {
    const dying = host("sleep 4714.1");
    await noted("sleep 4714.1");
    await kill(dying);
    const [name = ""] = names();
    const file = path.join(folder, name);
    const marker = markerIn(name);
    const shell = spawn("bash", ["-c", `sleep 4714.2 & RONDO_COMMAND=${marker.mark} sleep 4714.3; sleep 4714.4`], {
      ...{ detached: true, stdio: "ignore" },
    });
    await until(() => running("sleep 4714.3") === 1);
    writeFileSync(file, JSON.stringify({ ...marker, root: "spared", pid: shell.pid, members: [] }));
    await endOrphans(folder);
    try {
      await until(() => running("sleep 4714.4") === 1);
      assert.deepEqual([running("sleep 4714.2"), running("sleep 4714.3")], [1, 0]);
    } finally {
      if (shell.pid !== undefined) process.kill(-shell.pid, "SIGKILL");
    }
  });

  it("R8 a torn or foreign file is removed, and ends nothing", async () => {
    writeFileSync(path.join(folder, "torn.json"), '{"version":1,"pid":');
    writeFileSync(path.join(folder, "foreign.json"), JSON.stringify({ version: 1, pid: process.ppid, mark: "" }));
    assert.deepEqual(await endOrphans(folder), []);
    assert.deepEqual(names(), []);
    assert.deepEqual(await endOrphans(path.join(folder, "missing")), []);
  });
});
