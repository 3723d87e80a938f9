/** Sessions in worktrees of their own: real VS Code, real git. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Frame } from "playwright-core";
import { answer, press, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

describe("worktrees", () => {
  let window: Window;
  let panel: Frame;
  const git = (...args: string[]) => execFileSync("git", ["-C", window.folder, ...args], { encoding: "utf8" }).trim();
  const inFolder = (name: string) => path.join(window.folder, name);
  const bar = () => panel.getByRole("region", { name: "Worktree" });

  before(async () => {
    window = await openWindow({ settings: { "rondo.permission.mode": "acceptEdits" } });
    git("init", "--quiet", "--initial-branch=main");
    git("config", "user.name", "Dev");
    git("config", "user.email", "dev@example.com");
    writeFileSync(inFolder(".gitignore"), ".env.local\ndata/\n");
    git("add", "--all");
    git("commit", "--quiet", "-m", "First");
    panel = await window.panel();
  });
  after(() => window?.close());

  it("a session works in its own copy, and its work is merged from the panel", async () => {
    await panel.getByRole("button", { name: /^In a worktree of its own/ }).click();
    await panel.getByText("The next message begins a session in a worktree of its own.").waitFor();
    window.plays(
      [{ call: { name: "write", input: { file_path: "greeting.txt", content: "Hello\n" } } }],
      [{ call: { name: "bash", input: { command: "git branch --show-current" } } }],
      [{ text: "The greeting is there." }],
    );
    await say(panel, "Add a greeting");
    await answer(panel, "Allow once");
    await said(panel, "The greeting is there.");
    await status(panel, /Done/);
    await bar().getByText("rondo/add-a-greeting").waitFor();
    await bar().getByText("1 file").waitFor();
    assert.equal(existsSync(inFolder("greeting.txt")), false, "the user's folder is as it was");
    const told = JSON.stringify(window.requests.at(-1)?.body);
    assert.match(told, /rondo\/add-a-greeting/, "commands run in the worktree");

    await press(panel, "Merge…");
    const card = panel.getByRole("alertdialog", { name: "Merge into main?" });
    await card.getByText("greeting.txt").waitFor();
    await card.getByRole("button", { name: "Merge", exact: true }).click();
    await bar().waitFor({ state: "detached" });
    assert.equal(readFileSync(inFolder("greeting.txt"), "utf8"), "Hello\n");
    assert.equal(git("branch", "--format=%(refname:short)"), "main");
    assert.equal(git("worktree", "list").split("\n").length, 1);

    window.plays([{ text: "I am in your folder now." }]);
    await say(panel, "And now?");
    await said(panel, "I am in your folder now.");
  });

  it("a worktree is thrown away after asking", async () => {
    await window.newSession();
    await panel.getByRole("button", { name: /^In a worktree of its own/ }).click();
    window.plays(
      [{ call: { name: "write", input: { file_path: "bad.txt", content: "Bad\n" } } }],
      [{ text: "There." }],
    );
    await say(panel, "Something bad");
    await bar().getByText("1 file").waitFor();
    await status(panel, /Done/);
    await press(panel, "Throw away rondo/something-bad");
    await window.page.getByRole("button", { name: "Throw Away" }).click();
    await bar().waitFor({ state: "detached" });
    assert.equal(existsSync(inFolder("bad.txt")), false);
    assert.equal(git("branch", "--format=%(refname:short)"), "main");
  });

  /** Begins a session in a worktree that makes a file, and puts files there that git ignores. Returns its folder. */
  async function begin(task: string, file: string): Promise<string> {
    await window.newSession();
    await panel.getByRole("button", { name: /^In a worktree of its own/ }).click();
    window.plays([{ call: { name: "write", input: { file_path: file, content: "Work\n" } } }], [{ text: "There." }]);
    await say(panel, task);
    await bar().getByText("1 file").waitFor();
    await status(panel, /Done/);
    const [, tree = ""] = git("worktree", "list", "--porcelain").split("\n\n");
    const top = tree.split("\n")[0]?.replace("worktree ", "") ?? "";
    mkdirSync(path.join(top, "data"));
    for (const name of [".env.local", "data/a.db", "data/b.db"]) writeFileSync(path.join(top, name), "KEY=1\n");
    return top;
  }
  const dialog = (text: string) => window.page.getByRole("dialog").filter({ hasText: text });

  async function merge(answer: string): Promise<void> {
    await press(panel, "Merge…");
    const card = panel.getByRole("alertdialog", { name: "Merge into main?" });
    await card.getByRole("button", { name: "Merge", exact: true }).click();
    await dialog("The merge does not take these").getByRole("button", { name: answer }).click();
  }

  it("W6 what git does not hold is kept by a merge on request, and listed before it is thrown away", async () => {
    const top = await begin("Throw this", "thrown.txt");
    await merge("Merge and Keep Them");
    await bar().getByText("no changes").waitFor();
    assert.equal(readFileSync(inFolder("thrown.txt"), "utf8"), "Work\n");
    await press(panel, "Throw away rondo/throw-this");
    await dialog(".env.local (6 byte)").filter({ hasText: "data/ (2 files, 12 byte)" }).waitFor();
    await dialog(".env.local").getByRole("button", { name: "Cancel" }).click();
    assert.equal(readFileSync(path.join(top, ".env.local"), "utf8"), "KEY=1\n");
    await press(panel, "Throw away rondo/throw-this");
    await dialog(".env.local").getByRole("button", { name: "Throw Away" }).click();
    await bar().waitFor({ state: "detached" });
    assert.equal(existsSync(top), false);
  });

  it("W6 what a merge does not take along is listed before it, and deleted on request", async () => {
    const top = await begin("Merge this", "merged.txt");
    await merge("Cancel");
    assert.equal(existsSync(inFolder("merged.txt")), false);
    assert.equal(readFileSync(path.join(top, ".env.local"), "utf8"), "KEY=1\n");
    await merge("Merge and Delete Them");
    await bar().waitFor({ state: "detached" });
    assert.equal(readFileSync(inFolder("merged.txt"), "utf8"), "Work\n");
    assert.equal(existsSync(top), false);
  });
});
