/** The keys of a question in the real webview, which VS Code sees too, and the commands that do the same. */
import assert from "node:assert/strict";
import type { Frame } from "playwright-core";
import { question, said, say, status } from "../panel-actions.ts";
import { sharedWindow, type Window } from "../window.ts";

const run = (command: string) => ({ call: { name: "bash", input: { command } } });

describe("the keys of a question", () => {
  let window: Window;
  before(async () => {
    window = await sharedWindow();
  });

  const places: Record<string, (panel: Frame) => Promise<void>> = {
    composer: (panel) => panel.getByRole("textbox", { name: "Tell Rondo what to do instead" }).focus(),
    log: (panel) => panel.getByRole("log", { name: "Conversation" }).focus(),
    header: (panel) => panel.getByRole("button", { name: "New session" }).focus(),
    card: (panel) => panel.getByRole("alertdialog").focus(),
  };

  const focused = (panel: Frame) =>
    panel.evaluate(() => {
      const active = document.activeElement;
      return active?.getAttribute("role") ?? active?.getAttribute("aria-keyshortcuts") ?? active?.tagName;
    });

  for (const [place, focus] of Object.entries(places)) {
    it(`answer from the ${place}: Ctrl+Enter allows, Escape denies, Shift+Escape stops`, async () => {
      const panel = await window.newSession();
      window.plays([run(`echo yes > ${place}.txt`)], [run(`echo no > ${place}.txt`)], [{ text: "Not said." }]);
      await say(panel, "write it twice");
      await question(panel, /command/);
      await focus(panel);
      await window.page.keyboard.press("Control+Enter");
      const second = panel.getByRole("alertdialog").filter({ hasText: "echo no" });
      await second.waitFor();
      await question(panel, /command/);
      assert.equal(await window.read(`${place}.txt`), "yes\n");
      await focus(panel);
      const before = await focused(panel);
      await window.page.keyboard.press("Escape");
      await status(panel, /you denied/);
      // The card goes; the field is the message box again.
      assert.equal(await focused(panel), place === "card" ? "TEXTAREA" : before);
      window.plays([run(`echo no > ${place}.txt`)], [{ text: "Not said." }]);
      await say(panel, "once more");
      await question(panel, /command/);
      await focus(panel);
      await window.page.keyboard.press("Shift+Escape");
      await status(panel, /Stopped by you/);
      assert.equal(await panel.getByRole("alertdialog").count(), 0);
      assert.equal(await window.read(`${place}.txt`), "yes\n");
      assert.equal(await panel.evaluate(() => document.activeElement?.tagName !== "BODY"), true);
    });
  }

  it("deny with the words that are in the field, wherever the focus is", async () => {
    const panel = await window.newSession();
    window.plays([run("echo no > words.txt")], [{ text: "Then to the other file." }]);
    await say(panel, "write it");
    await question(panel, /command/);
    await panel.getByRole("textbox", { name: "Tell Rondo what to do instead" }).fill("To the other file.");
    await places["log"]?.(panel);
    await window.page.keyboard.press("Control+Enter");
    await said(panel, "Then to the other file.");
    assert.match(window.requests.at(-1)?.raw ?? "", /To the other file\./);
    assert.equal(await window.read("words.txt").catch(() => "none"), "none");
  });

  it("are commands as well, which answer while the focus is in an editor", async () => {
    const panel = await window.newSession();
    window.plays([run("echo yes > command.txt")], [run("echo no > command.txt")], [{ text: "Not said." }]);
    await say(panel, "write it");
    await question(panel, /command/);
    await window.open("src/cart.js");
    await window.command("Rondo: Allow, or Confirm the Question");
    await panel.getByRole("alertdialog").filter({ hasText: "echo no" }).waitFor();
    await question(panel, /command/);
    await window.command("Rondo: Deny, or Dismiss the Question");
    await status(panel, /you denied/);
    assert.equal(await window.read("command.txt"), "yes\n");
  });

  it("log no error of Rondo's to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
