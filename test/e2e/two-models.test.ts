/** The same task for two models in worktrees: seen side by side, one kept and the other thrown away. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Frame, Locator } from "playwright-core";
import { until } from "../timing.ts";
import { heldAnswer } from "./held-answer.ts";
import { press, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const sonnet = { id: "claude-sonnet-5-5", name: "Claude Sonnet 5.5" };
const haiku = { id: "claude-haiku-5-5", name: "Claude Haiku 5.5" };

describe("two models side by side", () => {
  let window: Window;
  let panel: Frame;
  const git = (...args: string[]) => execFileSync("git", ["-C", window.folder, ...args], { encoding: "utf8" }).trim();
  const inFolder = (name: string) => path.join(window.folder, name);
  const text = (name: string) => readFileSync(inFolder(name), "utf8");
  const branches = () => git("branch", "--format=%(refname:short)").split("\n").sort();
  const bar = () => panel.getByRole("region", { name: "Worktree" });
  const page = () => panel.getByRole("region", { name: "Side by side" });
  const column = (model: { name: string }): Locator => page().getByRole("article", { name: model.name });
  const write = (name: string, content: string) => [{ call: { name: "write", input: { file_path: name, content } } }];

  before(async () => {
    window = await openWindow({ settings: { "rondo.permission.mode": "acceptEdits" } });
    git("init", "--quiet", "--initial-branch=main");
    git("config", "user.name", "Dev");
    git("config", "user.email", "dev@example.com");
    writeFileSync(inFolder("notes.txt"), "first\n");
    git("add", "--all");
    git("commit", "--quiet", "-m", "First");
    panel = await window.panel();
  });
  after(() => window?.close());

  /** Gives the task to both models. */
  async function ask(task: string): Promise<void> {
    await window.command("Rondo: New Session with Two Models");
    await window.page.locator(".quick-input-title", { hasText: "Select Model" }).waitFor();
    // The list of the test's server is empty: the ID is typed.
    await window.page.locator(".quick-input-widget input[type=text]").fill(haiku.id);
    await window.page.locator(".quick-input-list .monaco-list-row", { hasText: haiku.id }).first().click();
    await panel.getByText(`The next message goes to ${sonnet.name} and ${haiku.name}`).waitFor();
    await say(panel, task);
    await bar().waitFor();
  }
  async function showBoth(): Promise<void> {
    await window.command("Rondo: Show Both Models Side by Side");
    await column(haiku).waitFor();
  }
  const keep = (model: { name: string }) => press(panel, `Keep this one… ${model.name}`);
  const card = () => panel.getByRole("alertdialog", { name: /Keep this one, and merge it into main\?/ });
  async function nothingIsLeft(): Promise<void> {
    await bar().waitFor({ state: "detached" });
    // The second worktree is removed after the first.
    await until(() => branches().join() === "main");
    assert.equal(git("worktree", "list").split("\n").length, 1);
  }
  async function shoot(name: string): Promise<void> {
    const folder = process.env["RONDO_SHOTS"];
    if (folder) await window.page.screenshot({ path: path.join(folder, `${name}.png`) });
  }

  it("W4 both answers and diffs are seen beside each other; the kept one is merged, the other thrown away", async () => {
    window.playsAs(sonnet.id, write("greeting.txt", "Hello\n"), [{ text: "The greeting is **polite**." }]);
    window.playsAs(haiku.id, write("greeting.txt", "Hi\n"), [{ text: "The greeting is short." }]);
    await ask("Add a greeting");
    await said(panel, "The greeting is polite.");
    await showBoth();
    await column(sonnet).getByText("The greeting is polite.").waitFor();
    await column(haiku).getByText("The greeting is short.").waitFor();
    for (const model of [sonnet, haiku]) await column(model).getByText("greeting.txt").waitFor();
    assert.equal(existsSync(inFolder("greeting.txt")), false);
    await press(panel, "Compare their files");
    await window.page.locator(".tab.active", { hasText: "↔" }).waitFor();
    const editor = window.page.locator(".multiDiffEntry .view-lines");
    await editor.filter({ hasText: "Hello" }).first().waitFor();
    await editor.filter({ hasText: "Hi" }).first().waitFor();
    await shoot("two-models");

    await keep(haiku);
    await card().getByText(`${sonnet.name}, rondo/add-a-greeting`).waitFor();
    await card().getByRole("button", { name: "Merge", exact: true }).click();
    await nothingIsLeft();
    assert.equal(text("greeting.txt"), "Hi\n");
    assert.equal(git("log", "-1", "--format=%s"), "Add a greeting");
    assert.equal(await panel.getByRole("region", { name: "Changes to review" }).count(), 0, "it was reviewed before");
  });

  it("W4 one fails and the other is stopped: both say so, and nothing is merged of them", async () => {
    const { answer } = heldAnswer();
    window.playsAs(sonnet.id, { status: 400, body: { error: { message: "no such thing" } } });
    window.playsAs(haiku.id, answer);
    await ask("Say something");
    await showBoth();
    await column(sonnet).getByText("Failed", { exact: true }).waitFor();
    await column(haiku).getByText("Running", { exact: true }).waitFor();
    await column(haiku).getByText("word9 ").waitFor();
    await press(panel, `Open the session of ${haiku.name}`);
    await said(panel, "word9 ");
    await press(panel, "Stop");
    await status(panel, /Stopped by you/);
    await showBoth();
    await column(haiku).getByText("Running", { exact: true }).waitFor({ state: "detached" });
    assert.equal(await page().getByRole("button", { name: /^Keep/ }).count(), 0);
    await press(panel, "Back to the conversation");
    for (const left of [1, 0]) {
      await window.command("Rondo: Throw Away Worktree");
      await window.page.getByRole("button", { name: "Throw Away" }).click();
      await bar().waitFor({ state: "detached" });
      assert.equal(git("worktree", "list").split("\n").length, 1 + left);
      if (left > 0) await window.command("Rondo: Previous Session");
      if (left > 0) await bar().waitFor();
    }
    assert.deepEqual(branches(), ["main"]);
  });

  it("W4 a reload in the middle loses nothing: what has ended is kept, what ran is thrown away", async () => {
    const { answer } = heldAnswer();
    window.playsAs(sonnet.id, write("lost.txt", "Lost\n"), answer);
    window.playsAs(haiku.id, write("found.txt", "Found\n"), [{ text: "It is found." }]);
    await ask("Find it");
    await said(panel, "word9 ");
    await showBoth();
    await column(haiku).getByText("It is found.").waitFor();
    panel = await window.reload();
    // VS Code opens the comparison again, whose texts ended with the window.
    await window.page.locator(".tab", { hasText: "↔" }).click();
    await window.page.locator(".view-line", { hasText: "This comparison ended" }).first().waitFor();
    await bar().waitFor();
    await showBoth();
    await column(haiku).getByText("It is found.").waitFor();
    await column(haiku).getByText("found.txt").waitFor();
    await column(sonnet).getByText("lost.txt").waitFor();
    await keep(haiku);
    await card().getByRole("button", { name: "Merge", exact: true }).click();
    await nothingIsLeft();
    assert.deepEqual([text("found.txt"), existsSync(inFolder("lost.txt"))], ["Found\n", false]);
  });

  it("W4 the user's changes are not overwritten: uncommitted ones stop the merge, committed ones are solved", async () => {
    const edit = (to: string) => [
      [{ call: { name: "read", input: { file_path: "notes.txt" } } }],
      [{ call: { name: "edit", input: { file_path: "notes.txt", old_string: "first", new_string: to } } }],
      [{ text: `It says ${to}.` }],
    ];
    window.playsAs(sonnet.id, ...edit("sonnet"));
    window.playsAs(haiku.id, ...edit("haiku"));
    await ask("Change the notes");
    await said(panel, "It says sonnet.");
    writeFileSync(inFolder("notes.txt"), "mine\n");
    await showBoth();
    await keep(sonnet);
    await card().getByText("Your uncommitted notes.txt is in the way.").waitFor();
    await card().getByRole("button", { name: "Merge", exact: true }).press("Enter");
    assert.equal(text("notes.txt"), "mine\n");
    await card().press("Escape");
    git("commit", "--quiet", "-am", "Mine");

    window.playsAs(
      sonnet.id,
      [{ call: { name: "read", input: { file_path: "notes.txt" } } }],
      write("notes.txt", "mine and sonnet\n"),
      [{ text: "Both are in it." }],
    );
    await press(panel, "Keep this one…");
    await card().getByText("1 conflict").waitFor();
    await card().press("Control+Enter");
    await said(panel, "Both are in it.");
    assert.equal(text("notes.txt"), "mine\n", "the folder has no marks of a conflict");
    await press(panel, "Keep this one…");
    await card().getByText("merges").waitFor();
    await card().press("Control+Enter");
    await nothingIsLeft();
    assert.equal(text("notes.txt"), "mine and sonnet\n");
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
