/** A workspace whose commands run in the real bubblewrap. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CommandSandbox } from "../../../src/tools/host.ts";
import { bubblewrapProblem, findBubblewrap } from "../../../src/tools/sandbox/availability.ts";
import { until } from "../../loop/harness.ts";
import { TestWorkspace } from "../workspace.ts";

type Mode = CommandSandbox["mode"];

/** A program that only this run of the tests has started. */
export const nap = `sleep ${4_000_000 + process.pid}`;

/** Gives each test of the suite a new workspace; without bubblewrap the suite is skipped. */
export function bubblewrapSuite() {
  let work: TestWorkspace;
  /** Not in a folder for temporary files, of which the sandbox has its own. */
  let outside: string;
  const home = process.env["HOME"];

  before(async function () {
    if (process.platform !== "linux") return this.skip();
    const problem = await bubblewrapProblem(findBubblewrap([]), false);
    if (problem === undefined) return;
    console.log(`    The sandbox is not tested: ${problem}`);
    this.skip();
  });
  beforeEach(() => {
    mkdirSync("node_modules/.cache", { recursive: true });
    outside = mkdtempSync(path.resolve("node_modules/.cache/sandbox-test-"));
    process.env["HOME"] = path.join(outside, "home");
    mkdirSync(process.env["HOME"]);
    open("workspace");
  });
  afterEach(async () => {
    process.env["HOME"] = home;
    await work.host.background.endAll("user");
    work.dispose();
    rmSync(outside, { recursive: true, force: true });
  });

  function open(sandbox: Mode, name = "work") {
    work?.dispose();
    work = new TestWorkspace({ sandbox, name });
  }

  async function run(command: string, more: Record<string, unknown> = {}): Promise<string> {
    return (await work.run("bash", { command, ...more })).output;
  }

  function put(file: string, text = "before"): string {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** Starts a process of Rondo with a command in the sandbox that writes a file `started`. */
  async function startRondo(command: string): Promise<ChildProcess> {
    const script = `
      import { nodeTerminal } from ${JSON.stringify(path.resolve("src/tools/node-host/terminal.ts"))};
      const folder = ${JSON.stringify(work.folder)};
      await nodeTerminal({ sandbox: () => "workspace", folders: () => [folder] }).run({
        command: ${JSON.stringify(command)}, cwd: folder,
        signal: new AbortController().signal, onOutput() {}, onWaiting() {} });`;
    const rondo = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
    await until(() => existsSync(work.path("started")));
    return rondo;
  }

  return {
    get work() {
      return work;
    },
    get outside() {
      return outside;
    },
    ...{ open, run, put, startRondo },
  };
}
