/** Commands of the palette, attachments and the queue. */
import assert from "node:assert/strict";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { heldAnswer } from "./held-answer.ts";
import { message, openSession, press, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

describe("commands", () => {
  let window: Window;
  before(async () => {
    window = await openWindow({ files: { "broken.json": '{\n  "name": \n}\n', ".env": "KEY=hunter2\n" } });
    await symlink(".env", path.join(window.folder, "notes.md"));
  });
  after(() => window?.close());

  /** Returns the messages of the newest request. */
  function sent(): string {
    return JSON.stringify(window.requests.at(-1)?.body["messages"]);
  }

  /** Selects lines 2 and 3 of the file that is open. */
  async function selectLines(): Promise<void> {
    const { keyboard } = window.page;
    await window.page.locator(".view-line").first().click();
    await keyboard.press("Control+Home");
    await keyboard.press("ArrowDown");
    await keyboard.press("Shift+ArrowDown");
    await keyboard.press("Shift+ArrowDown");
  }

  it("Add Selection to Chat: the chip shows what will be sent, and can be removed", async () => {
    await window.open("src/discount.js");
    await selectLines();
    await window.command("Rondo: Add Selection to Chat");
    const panel = await window.panel();
    const chips = panel.getByRole("group", { name: "Attached" });
    await chips.getByText("src/discount.js:2–3").waitFor();
    await chips.getByRole("button", { name: "Remove src/discount.js:2–3" }).click();
    await chips.waitFor({ state: "detached" });

    await window.command("Rondo: Add Selection to Chat");
    await chips.getByText("src/discount.js:2–3").waitFor();
    window.plays([{ text: "Two steps of a table." }]);
    await say(panel, "what is this?");
    await said(panel, "Two steps of a table.");
    assert.match(sent(), /src\/discount\.js[\s\S]*const steps = \[[\s\S]*from: 5000[\s\S]*what is this\?/);
    assert.doesNotMatch(sent(), /from: 1000/, "only the selected lines are sent");
    await chips.waitFor({ state: "detached" });
    const own = panel.getByRole("article", { name: "You" });
    assert.match(await own.innerText(), /src\/discount\.js:2–3/);
  });

  it("I6 Attach adds files, but no protected one and no link to one: the panel says where it leads", async () => {
    const panel = await window.newSession();
    for (const name of ["notes.md", "src/discount.js"]) {
      await press(panel, "Attach");
      const field = window.page.locator(".quick-input-widget input[type=text]");
      await field.fill(name);
      const row = window.page.locator(".quick-input-list .monaco-list-row", { hasText: name });
      await row.locator(".quick-input-list-checkbox, input[type=checkbox], .monaco-checkbox").first().click();
      await window.page.getByRole("button", { name: "OK", exact: true }).click();
    }
    const alert = panel.getByRole("alert").filter({ hasText: "notes.md is not attached" });
    assert.match(await alert.innerText(), /it is a link to \.env, which may hold secrets\.[\s\S]*Ask Rondo to read it/);
    const chips = panel.getByRole("group", { name: "Attached" });
    await chips.getByText(/src\/discount\.js/).waitFor();
    assert.equal(await chips.getByText("notes.md").count(), 0);
    window.plays([{ text: "It is attached." }]);
    await say(panel, "what is attached?");
    await said(panel, "It is attached.");
    assert.match(sent(), /from: 1000/);
    assert.doesNotMatch(sent(), /hunter2/);
    await window.open("notes.md");
    await window.command("Rondo: Add Selection to Chat");
    await panel.getByRole("alert").filter({ hasText: "notes.md is not attached" }).waitFor();
    await window.open("src/discount.js");
  });

  it("V14 Attach adds a file from anywhere on the computer", async () => {
    const panel = await window.newSession();
    const outside = await mkdtemp(path.join(os.tmpdir(), "rondo-outside-"));
    await writeFile(path.join(outside, "minutes.txt"), "The rebate is 5 %.");
    await press(panel, "Attach");
    await window.page.getByRole("button", { name: "Choose on this computer…" }).click();
    await window.chooseFile(path.relative(window.folder, path.join(outside, "minutes.txt")));
    await panel.getByRole("group", { name: "Attached" }).getByText("minutes.txt").waitFor();
    window.plays([{ text: "It is 5 %." }]);
    await say(panel, "how much is it?");
    await said(panel, "It is 5 %.");
    assert.match(sent(), /The rebate is 5 %\./);
    await rm(outside, { recursive: true });
  });

  it("Explain sends the selection immediately; the draft and what is attached to it stay", async () => {
    const panel = await window.newSession();
    await message(panel).fill("half a thought");
    await window.open("package.json");
    await window.command("Rondo: Add Selection to Chat");
    const chips = panel.getByRole("group", { name: "Attached" });
    await chips.getByText("package.json").waitFor();
    await window.open("src/discount.js");
    await selectLines();
    window.plays([{ text: "It is explained." }]);
    await window.command("Rondo: Explain");
    await said(panel, "It is explained.");
    assert.match(sent(), /from: 5000[\s\S]*Explain this code/);
    assert.doesNotMatch(sent(), /half a thought|package\.json/);
    await panel.getByRole("button", { name: "Sessions", exact: true }).click();
    await press(panel, "Back to the conversation");
    await chips.getByText("package.json").waitFor();
    assert.equal(await message(panel).inputValue(), "half a thought");
    window.plays([{ text: "It is a whole one." }]);
    await say(panel, "a whole thought");
    await said(panel, "It is a whole one.");
    assert.match(sent(), /package\.json[\s\S]*a whole thought/);
    await chips.waitFor({ state: "detached" });
    // Nothing of it is left for the next empty session.
    await window.newSession();
    assert.equal(await chips.count(), 0);
    assert.equal(await message(panel).inputValue(), "");
  });

  it("Fix sends the problems of the file", async () => {
    await window.newSession();
    await window.open("broken.json");
    await window.page.locator(".squiggly-error").first().waitFor();
    window.plays([{ text: "It is fixed." }]);
    await window.command("Rondo: Fix");
    await said(await window.panel(), "It is fixed.");
    assert.match(sent(), /Fix these problems in broken\.json:[\s\S]*Value expected/);
  });

  it("New Session and Show Sessions: opens another session, returns to it, and deletes it", async () => {
    window.titles("A talk about titles");
    await window.command("Rondo: New Session");
    const panel = await window.panel();
    await panel.getByRole("article").first().waitFor({ state: "detached" });
    window.plays([{ text: "Hello to you." }]);
    await say(panel, "hello");
    await said(panel, "Hello to you.");
    await panel.getByRole("heading", { name: "A talk about titles" }).waitFor();

    await window.command("Rondo: Show Sessions");
    const list = panel.getByRole("region", { name: "Sessions" });
    await list.getByRole("button", { name: /^what is this\?/ }).click();
    await said(panel, "Two steps of a table.");
    await openSession(panel, "A talk about titles");
    await said(panel, "Hello to you.");

    await press(panel, "Sessions");
    await list.getByRole("button", { name: "Delete what is this?" }).click();
    await list.getByRole("button", { name: "Delete for good" }).click();
    await list.getByText("what is this?").waitFor({ state: "detached" });
    assert.equal(await list.getByText("A talk about titles").count(), 1);
    await press(panel, "Back to the conversation");
    await said(panel, "Hello to you.");
  });

  it("Select Model accepts any model id, and the next request uses it", async () => {
    await window.command("Rondo: Select Model");
    const field = window.page.locator(".quick-input-widget input[type=text]");
    await field.fill("a-model-of-mine");
    await field.press("Enter");
    const panel = await window.panel();
    await panel.getByRole("button", { name: "Model: a-model-of-mine" }).waitFor();
    window.plays([{ text: "I am another one." }]);
    await say(panel, "who are you?");
    await said(panel, "I am another one.");
    assert.equal(window.requests.at(-1)?.body["model"], "a-model-of-mine");
  });

  it("messages sent while Rondo works wait for the next step; one can be withdrawn", async () => {
    const panel = await window.newSession();
    const { answer, release } = heldAnswer("I have much to say about this. ".repeat(4));
    window.plays(answer, [{ text: "The second is answered." }]);
    await say(panel, "the first");
    await said(panel, "I have much");
    await say(panel, "the second");
    await say(panel, "the third");
    const queue = panel.getByRole("list", { name: "Queue" });
    await queue.getByText("the third").waitFor();
    const rows = (await queue.getByRole("listitem").allInnerTexts()).map((row) => row.split("\n"));
    assert.deepEqual(rows, [
      ["the second", "at the next step"],
      ["the third", "at the next step"],
    ]);
    await queue.getByRole("button", { name: "Withdraw" }).last().click();
    await queue.getByText("the third").waitFor({ state: "detached" });
    release();
    await said(panel, "The second is answered.");
    await status(panel, /Done/);
    assert.equal(await queue.count(), 0);
    assert.match(sent(), /the second/);
    assert.doesNotMatch(sent(), /the third/);
    assert.equal(await message(panel).inputValue(), "");
  });

  it("Q2 queued messages can be edited and reordered until they are sent", async () => {
    const panel = await window.newSession();
    const { answer, release } = heldAnswer("I have much to say. ".repeat(4));
    window.plays(answer, [{ text: "All heard." }]);
    await say(panel, "the beginning");
    await said(panel, "I have much");
    await say(panel, "plant an oak");
    await say(panel, "plant an elm");
    const queue = panel.getByRole("list", { name: "Queue" });
    const row = (words: string) => queue.getByRole("listitem").filter({ hasText: words });
    await row("plant an elm").getByRole("button", { name: "Move up" }).click();
    await queue.getByRole("listitem").first().filter({ hasText: "plant an elm" }).waitFor();
    await row("plant an oak").getByRole("button", { name: "Edit" }).click();
    const field = queue.getByRole("textbox");
    await field.fill("plant a beech");
    await field.press("Enter");
    await row("plant a beech").waitFor();
    release();
    await said(panel, "All heard.");
    await status(panel, /Done/);
    assert.match(sent(), /plant an elm[\s\S]*plant a beech/);
    assert.doesNotMatch(sent(), /oak/);
  });

  it("Open Session Record shows the file, and Show Log shows the log", async () => {
    await window.command("Rondo: Open Session Record");
    await window.page.locator(".tab.active", { hasText: ".jsonl" }).waitFor();
    await window.command("Rondo: Show Log");
    await window.page.locator(".part.panel", { hasText: "Rondo" }).waitFor();
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
