/** A workspace for each test whose commands run in the real bubblewrap. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CommandSandbox } from "../../../src/tools/host.ts";
import { bubblewrapProblem, findBubblewrap } from "../../../src/tools/sandbox/availability.ts";
import { TestWorkspace } from "../workspace.ts";

/** A program that only this run of the tests has started. */
export const nap = `sleep ${4_000_000 + process.pid}`;

/** Writes a file, and the folders that it is in. */
export function put(file: string, text = "before"): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Opens a workspace for each test of a `describe`, and skips them where bubblewrap does not work. */
export function sandboxed() {
  let work: TestWorkspace;
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

  function open(sandbox: CommandSandbox["mode"], name = "work") {
    work?.dispose();
    work = new TestWorkspace({ sandbox, name });
  }

  async function run(command: string, more: Record<string, unknown> = {}): Promise<string> {
    return (await work.run("bash", { command, ...more })).output;
  }

  return {
    get work() {
      return work;
    },
    /** A folder outside of the workspace. Not in one for temporary files, of which the sandbox has its own. */
    get outside() {
      return outside;
    },
    /** Opens the workspace anew, in another mode or by another name. */
    open,
    /** Runs a command, and returns its output. */
    run,
  };
}
