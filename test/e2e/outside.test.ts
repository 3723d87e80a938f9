/** A question or the end of a turn while the panel is not in sight: badge, status bar, notification. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { webviewFrame } from "../vscode.mjs";
import { heldAnswer, manyWords } from "./held-answer.ts";
import { answer, question, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const run = (command: string) => ({ call: { name: "bash", input: { command } } });

describe("Rondo outside of its panel", () => {
  let window: Window;
  before(async () => {
    window = await openWindow({ files: { "old/a.txt": "a\n", "old/b.txt": "b\n" } });
  });
  after(() => window?.close());

  const item = (name: string | RegExp): Locator => window.page.locator(".statusbar").getByRole("button", { name });
  const toast = (words: RegExp): Locator =>
    window.page.locator(".notification-toast").filter({ hasText: words }).first();

  /** The panel while a question is open: its footer, which `Window.panel` waits for, is not shown then. */
  const askingPanel = () => webviewFrame(window.page, '[aria-label="Rondo"]');

  async function hidePanel(): Promise<void> {
    await window.command("View: Toggle Secondary Side Bar Visibility");
    await window.page.locator(".part.auxiliarybar").waitFor({ state: "hidden" });
  }

  /** Has the model ask for a command once the panel is out of sight. */
  async function askHidden(words: string, command: string, hide = hidePanel): Promise<void> {
    const panel = await window.newSession();
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const blocks = [{ text: manyWords, pieces: 80 }, run(command)];
    window.plays({ blocks, delay: 10, pause: { writes: 40, until: promise } }, [{ text: "Well." }]);
    await say(panel, words);
    await item("Rondo is working").waitFor();
    await hide();
    release();
    await item("Rondo waits for you").waitFor();
  }

  it("U3 a question in a hidden panel is told in the status bar and by a notification, whose Deny denies", async () => {
    await askHidden("delete it", "rm old/a.txt");
    await item("Rondo waits for you").waitFor();
    const loud = await item("Rondo waits for you").evaluate((node) =>
      node.closest(".statusbar-item")?.classList.contains("warning-kind"),
    );
    assert.equal(loud, true, "it has the warning colour");
    const notification = toast(/Rondo wants to run a command that deletes/);
    await notification.waitFor();
    assert.deepEqual(await notification.getByRole("button", { name: /Show|Deny|Allow/ }).allInnerTexts(), [
      "Show",
      "Deny",
    ]);
    await notification.getByRole("button", { name: "Deny" }).click();
    await item("Rondo waits for you").waitFor({ state: "detached" });
    assert.equal(await window.read("old/a.txt"), "a\n");
    await status(await window.showPanel(), /you denied/);
  });

  it("U3 the item of the status bar leads to the question; answered there, the notification allows and denies nothing", async () => {
    await askHidden("delete the other", "rm old/b.txt");
    const notification = toast(/Rondo wants to run a command that deletes/);
    await notification.waitFor();
    await item("Rondo waits for you").click();
    const panel = await askingPanel();
    await question(panel, /Delete|Run|command/i);
    await answer(panel, "Deny");
    if (await notification.isVisible()) await notification.getByRole("button", { name: "Deny" }).click();
    await item("Rondo waits for you").waitFor({ state: "detached" });
    window.plays([{ text: "Still here." }]);
    await say(panel, "are you there?");
    await said(panel, "Still here.");
  });

  it("U3 the end of a turn out of sight is in the status bar until the panel is shown", async () => {
    const panel = await window.newSession();
    const { answer: words, release } = heldAnswer();
    window.plays(words);
    await say(panel, "talk");
    await item("Rondo is working").waitFor();
    await hidePanel();
    release();
    await item("Rondo is done").waitFor();
    assert.equal(await toast(/Rondo is done/).count(), 0, "the window is in front");
    await item("Rondo is done").click();
    await said(await window.panel(), "word79");
    await item(/^Rondo/).waitFor({ state: "detached" });
  });

  it("U3 the view's tab carries the number of open questions while another view is in its place", async () => {
    await window.command("View: Move Secondary Side Bar Views To Panel");
    await window.showPanel();
    const tab = window.page.locator(".part.panel .composite-bar .action-item").filter({ hasText: "Rondo" });
    await askHidden("delete it once more", "rm old/a.txt", async () => {
      await window.command("Problems: Focus on Problems View");
      await window.page.locator(".part.panel .markers-panel").waitFor();
    });
    await tab.locator(".badge-content").filter({ hasText: "1" }).waitFor();
    await item("Rondo waits for you").click();
    await answer(await askingPanel(), "Deny");
    await tab.locator(".badge-content").filter({ hasText: "1" }).waitFor({ state: "hidden" });
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
