/** An extension host that is killed while changes wait for review, or while all of them are rejected. */
import assert from "node:assert/strict";
import { appendFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { until } from "../timing.ts";
import { answer, changes, say, status } from "./panel-actions.ts";
import { processes } from "./processes.ts";
import { openWindow, type Window } from "./window.ts";
import { countWithText } from "./written-files.ts";

const files = 60;
const former = "one\ntwo\nthree\n";
const changed = "one\n2\nthree\n";

describe("a review whose extension host is killed", () => {
  let window: Window;
  before(async () => {
    const names = Array.from({ length: files }, (_, index) => `many/${String(index).padStart(3, "0")}.txt`);
    window = await openWindow({
      settings: { "rondo.permission.mode": "acceptEdits" },
      files: { ...Object.fromEntries(names.map((name) => [name, former])), "src/mine.txt": former },
    });
  });
  after(() => window?.close());

  const many = () => path.join(window.folder, "many");
  /** Returns how many of the files have this text. */
  const withText = (text: string) => countWithText(many(), text);
  const mine = (name: string) => path.join(many(), name);

  /** Kills the host and loads the window again. */
  async function kill(): Promise<void> {
    for (const host of processes("--type=extensionHost", window.marker)) process.kill(host, "SIGKILL");
    await window.reload();
  }

  async function changeAll(): Promise<void> {
    const panel = await window.panel();
    window.plays(
      [{ call: { name: "bash", input: { command: "sed -i s/two/2/ many/*.txt" } } }],
      [{ text: "All of them changed." }],
    );
    await say(panel, "change all of them");
    await answer(panel, "Allow once", /command/);
    await status(panel, /Done/);
    await changes(panel, `${files} changes`).waitFor();
  }

  it("V4 R3 is there again after the restart, and rejecting it leaves what the user has written since", async () => {
    await changeAll();
    await appendFile(mine("000.txt"), "mine\n");
    await writeFile(mine("001.txt"), `mine\n${changed}`);
    await kill();
    let panel = await window.panel();
    await changes(panel, `${files} changes`).waitFor();
    await window.command("Rondo: Reject All Changes");
    await until(() => withText(former) === files - 2);
    panel = await window.panel();
    await panel.getByText("All changes decided").waitFor();
    assert.equal(await window.read("many/000.txt"), `${former}mine\n`);
    assert.equal(await window.read("many/001.txt"), `mine\n${former}`);
    await kill();
    panel = await window.panel();
    await status(panel, /Ready|Done/);
    assert.equal(
      await panel.getByRole("region", { name: "Changes to review" }).count(),
      0,
      "nothing is reviewed twice",
    );
    for (const name of ["000.txt", "001.txt"]) await writeFile(mine(name), former);
  });

  it("V4 is whole after a kill while all of it is rejected, and the rest can be rejected", async () => {
    await changeAll();
    await appendFile(mine("059.txt"), "mine\n");
    await appendFile(mine("000.txt"), "mine\n");
    const rejecting = window.command("Rondo: Reject All Changes");
    await until(() => withText(former) > 0);
    await kill();
    await rejecting.catch(() => undefined);
    const done = withText(former);
    assert.ok(done > 0 && done < files - 2, `${done} were rejected`);
    const panel = await window.panel();
    await panel.getByRole("region", { name: "Changes to review" }).waitFor();
    await window.command("Rondo: Reject All Changes");
    await until(() => withText(former) === files - 2);
    await panel.getByText("All changes decided").waitFor();
    for (const name of ["000.txt", "059.txt"]) {
      assert.equal(await window.read(`many/${name}`), `${former}mine\n`);
      await writeFile(mine(name), former);
    }
  });
});
