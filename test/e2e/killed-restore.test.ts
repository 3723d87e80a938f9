/** An extension host that is killed in the middle of a restore. */
import assert from "node:assert/strict";
import path from "node:path";
import { until } from "../timing.ts";
import { answer, composed, press, say, status } from "./panel-actions.ts";
import { processes } from "./processes.ts";
import { openWindow, type Window } from "./window.ts";
import { countWithText } from "./written-files.ts";

const files = 400;

describe("a restore whose extension host is killed", () => {
  let window: Window;
  before(async () => {
    const names = Array.from({ length: files }, (_, index) => `many/${String(index).padStart(4, "0")}.txt`);
    window = await openWindow({ files: Object.fromEntries(names.map((name) => [name, "one\n"])) });
  });
  after(() => window?.close());

  /** Returns how many of the files have their former text. */
  const restored = () => countWithText(path.join(window.folder, "many"), "one\n");

  it("V31 is told when the session is opened, finished with the conversation, and undone as a whole", async () => {
    let panel = await window.panel();
    const command = 'for f in many/*; do echo two > "$f"; done';
    window.plays([{ call: { name: "bash", input: { command } } }], [{ text: "Changed." }]);
    await say(panel, "change all of them");
    await answer(panel, "Allow once", /command/);
    await status(panel, /Done/);
    assert.equal(restored(), 0);

    await panel.getByRole("article", { name: "You" }).hover();
    await press(panel, "Restore to here…");
    const dialog = panel.getByRole("dialog", { name: /Restore/ });
    await dialog.getByRole("checkbox").first().waitFor();
    await dialog.getByRole("button", { name: /^Restore/ }).click();
    await until(() => restored() > 0);
    for (const host of processes("--type=extensionHost", window.marker)) process.kill(host, "SIGKILL");
    panel = await window.reload();

    const line = panel.getByRole("group", { name: "Restored" });
    await line.getByText(/Restore interrupted: \d+ of 400 files restored/).waitFor();
    const first = restored();
    assert.ok(first > 0 && first < files, `${first} were restored`);
    await line.getByRole("button", { name: "Finish" }).click();
    await line.getByText("400 files restored · 2 messages set aside").waitFor();
    assert.equal(restored(), files);
    await composed(panel, "change all of them");

    await line.getByRole("button", { name: "Undo" }).click();
    await line.waitFor({ state: "detached" });
    assert.equal(restored(), 0);
  });
});
