/** "Generate Commit Message" by its button in the Source Control view. */
import assert from "node:assert/strict";
import { openWindow, type Window } from "./window.ts";

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
    await page.getByRole("button", { name: "Generate Commit Message" }).click();
    await page.locator(".scm-editor .view-line", { hasText: "feat: a cart" }).waitFor();
    await page.getByRole("button", { name: "Cancel Commit Message" }).waitFor({ state: "hidden" });
    assert.deepEqual(window.errors, []);
  });
});
