/** Which sessions run or wait in other windows: the files that tell it, and those of windows that were killed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { writeWholeNow } from "../../src/extension/host/write-whole.ts";
import { SessionMarks } from "../../src/extension/sessions/session-marks.ts";

describe("U4 marks of sessions in other windows", () => {
  let storage: string;
  let marks: SessionMarks;
  beforeEach(async () => {
    storage = await mkdtemp(path.join(os.tmpdir(), "rondo-marks-"));
    marks = new SessionMarks(storage);
  });
  afterEach(async () => {
    marks.dispose();
    await rm(storage, { recursive: true, force: true });
  });

  const folder = () => path.join(storage, "session-states");
  const write = (pid: number, state: string, doing = "") => {
    const json = { pid, host: os.hostname(), state, doing };
    writeWholeNow(path.join(folder(), "ses_1.json"), JSON.stringify(json));
  };
  /** Resolves when the marks have changed so that the session does this. */
  async function until(state: string | undefined): Promise<void> {
    if (marks.of("ses_1")?.state === state) return;
    await new Promise<void>((resolve) => {
      const listener = marks.onDidChange(() => {
        if (marks.of("ses_1")?.state !== state) return;
        listener.dispose();
        resolve();
      });
    });
  }

  it("U4 follow what another living process writes, and go with its file", async () => {
    write(process.ppid, "running");
    await until("running");
    write(process.ppid, "asks", "Run npm test");
    await until("asks");
    assert.equal(marks.of("ses_1")?.doing, "Run npm test");
    await rm(path.join(folder(), "ses_1.json"));
    await until(undefined);
  });

  it("U4 go, with their file, when the process that wrote them is killed", async () => {
    const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
      env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" },
    });
    await once(other, "spawn");
    assert.ok(other.pid);
    write(other.pid, "running");
    await until("running");
    other.kill("SIGKILL");
    await until(undefined);
    assert.deepEqual(await readdir(folder()), []);
  });

  it("are not taken from a file that is no mark, nor from this process", async () => {
    write(process.ppid, "running");
    await until("running");
    write(process.ppid, "sleeping");
    await until(undefined);
    write(process.ppid, "asks");
    await until("asks");
    write(process.pid, "running");
    await until(undefined);
  });
});
