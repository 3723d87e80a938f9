/** The review as a place, in a real VS Code: the bar, the badges, diff editors, keys, the lightbulb, and Follow. */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { until } from "../timing.ts";
import { changes, said, say } from "./panel-actions.ts";
import { clickUntil, openWindow, type Window } from "./window.ts";

const lines = (from: number, to: number, prefix: string) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${prefix}${from + i};`).join("\n");
const text = `${lines(1, 60, "a")}\n`;

describe("review as a place", () => {
  let window: Window;

  before(async () => {
    window = await openWindow({
      settings: { "rondo.permission.mode": "acceptEdits" },
      files: { "src/long.js": text, "src/other.js": text, "src/gone.js": text },
    });
  });
  after(() => window?.close());

  const { env } = process;
  /** Draws the window into the folder of RONDO_SHOTS, to be looked at. */
  const shoot = async (name: string) => {
    const folder = env["RONDO_SHOTS"];
    if (folder === undefined) return;
    await mkdir(folder, { recursive: true });
    await window.page.screenshot({ path: path.join(folder, `${name}.png`) });
  };
  const lens = (title: string) => window.page.locator(".codelens-decoration a", { hasText: title });
  const edit = (file: string, old_string: string, new_string: string) => ({
    call: { name: "edit", input: { file_path: file, old_string, new_string } },
  });
  const tab = (name: string) => window.page.getByRole("tab", { name });

  it("V13 follows the agent in a group of its own, and shows the review when it is done", async () => {
    const panel = await window.panel();
    await panel.getByRole("button", { name: "Follow in the editor" }).click();
    await window.open("README.md");
    window.plays(
      [
        { call: { name: "read", input: { file_path: "src/long.js" } } },
        { call: { name: "read", input: { file_path: "src/other.js" } } },
      ],
      [
        edit("src/long.js", lines(10, 16, "a"), lines(10, 12, "b")),
        edit("src/long.js", "a40;", "b40;"),
        edit("src/other.js", "a5;\n", ""),
      ],
      [{ text: "Three changes." }],
    );
    await say(panel, "change some lines");
    await said(panel, "Three changes.");
    await changes(panel, "3 changes").waitFor();
    await tab("other.js").waitFor();
    assert.equal(await window.page.locator(".editor-group-container").count(), 2);
    assert.ok(await tab("README.md").isVisible(), "the user's editor is still there");
    await shoot("follow");
    await panel.getByRole("button", { name: "Follow in the editor" }).click();
  });

  it("V11 opens a file at its first change, with the number of removed lines and the first of them", async () => {
    const panel = await window.panel();
    await panel.getByRole("button", { name: /^long\.js/ }).click();
    await lens("7 lines removed: a10;").first().waitFor();
    await shoot("editor");
  });

  it("V11 shows the number of changes in the explorer", async () => {
    await window.command("View: Show Explorer");
    const badge = window.page.locator('.explorer-folders-view [aria-label*="2 changes by Rondo wait for review"]');
    await badge.first().waitFor();
    await shoot("explorer");
  });

  it("V11 says on a line without a change where the next one is", async () => {
    const { keyboard } = window.page;
    await window.page.locator(".monaco-editor .view-line", { hasText: "b10;" }).first().click();
    await keyboard.press("Control+Home");
    await keyboard.press("Control+Alt+y");
    await window.page
      .locator(".notification-list-item", { hasText: "No change by Rondo here; the next is at line 10." })
      .waitFor();
    await shoot("no-change");
    await window.command("Notifications: Clear All Notifications");
  });

  it("V11 offers the change in the lightbulb's menu", async () => {
    const { keyboard } = window.page;
    await window.page.locator(".monaco-editor .view-line", { hasText: "b11;" }).first().click();
    await keyboard.press("Control+.");
    await window.page.locator(".action-widget", { hasText: "Accept Rondo's Change" }).waitFor();
    await shoot("lightbulb");
    await keyboard.press("Escape");
  });

  it("V11 shows all old lines above the new ones in a diff, and accepts a change in it", async () => {
    await window.command("Rondo: Compare with the Text Before Rondo's Changes");
    const diff = window.page.locator(".monaco-diff-editor");
    await diff.first().waitFor();
    // VS Code shows no CodeLens in diffs before the user wants it.
    assert.equal(await diff.locator(".codelens-decoration a").count(), 0);
    await window.page.getByRole("button", { name: "Show Them" }).click();
    await diff.locator(".codelens-decoration a", { hasText: "Accept" }).first().waitFor();
    await shoot("diff");
    const panel = await window.panel();
    await clickUntil(diff.locator(".codelens-decoration a", { hasText: "Accept" }).first(), () =>
      panel.getByText("1 of 2 left", { exact: true }).isVisible(),
    );
    await changes(panel, "2 changes").waitFor();
  });

  it("V11 has all changes in one editor, with actions, also after a reload", async () => {
    let panel = await window.panel();
    await panel.getByRole("button", { name: "All changes in one editor" }).click();
    const deleted = window.page.locator(".multiDiffEntry .line-delete");
    await deleted.first().waitFor();
    panel = await window.reload();
    // Without the old text nothing would be deleted.
    await deleted.first().waitFor();
    const all = window.page.locator(
      ".multiDiffEntry, .multi-diff-root-floating-menu, .monaco-component.multiDiffEditor",
    );
    await all.first().waitFor();
    await shoot("all-changes");
    await window.page
      .getByRole("button", { name: /Reject All Changes/ })
      .first()
      .click();
    await panel.getByText("All changes decided").waitFor();
    await until(async () => (await window.read("src/other.js")) === text);
    await tab("Rondo: Changes to Review").waitFor({ state: "detached" });
    await shoot("decided");
  });

  it("V11 takes a decision back from its row", async () => {
    const panel = await window.panel();
    await panel.getByRole("button", { name: "Take back the rejection of other.js" }).click();
    await changes(panel, "1 change").waitFor();
    await until(async () => (await window.read("src/other.js")) === text.replace("a5;\n", ""));
  });
});
