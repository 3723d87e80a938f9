/** "Generate Commit Message" by its button in the Source Control view. */
import assert from "node:assert/strict";
import { say } from "./panel-actions.ts";
import { clickUntil, openWindow, type Window } from "./window.ts";

/** What git needs to take a folder for a repository. */
const repository = {
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
  ".git/objects/info/packs": "\n",
  ".git/refs/heads/.keep": "",
};

describe("commit message", () => {
  let window: Window;
  before(async () => {
    window = await openWindow({ files: repository });
    window.titles("feat: a cart");
  });
  after(() => window?.close());

  it("is written into the message box", async () => {
    const { page } = window;
    await window.command("Source Control: Focus on Changes View");
    const button = page.getByRole("button", { name: "Generate Commit Message" });
    const cancel = page.getByRole("button", { name: "Cancel Commit Message" });
    const written = page.locator(".scm-editor .view-line", { hasText: "feat: a cart" });
    // VS Code shows the actions of the box while it has the focus or the pointer.
    await page.locator(".scm-editor .view-lines").first().click();
    await clickUntil(button, async () => (await written.isVisible()) || (await cancel.isVisible()));
    await written.waitFor();
    await cancel.waitFor({ state: "hidden" });
    assert.deepEqual(window.errors, []);
  });

  it("is written there by the command /commit, too", async () => {
    const { page } = window;
    window.titles("fix: the rounding");
    const panel = await window.panel();
    await say(panel, "/commit");
    await page.locator(".scm-editor .view-line", { hasText: "fix: the rounding" }).waitFor();
    assert.equal(window.requests.length, 0);
    assert.deepEqual(window.errors, []);
  });
});
