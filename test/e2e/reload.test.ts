/** Reloaded windows, a hidden panel and a killed extension host: nothing is lost, nothing is doubled. */
import assert from "node:assert/strict";
import { webviewFrame } from "../vscode.mjs";
import { heldAnswer, manyWords } from "./held-answer.ts";
import { assertCallsAnswered } from "./model-requests.ts";
import { message, openSession, question, said, say, status, transcript } from "./panel-actions.ts";
import { processCount, processes } from "./processes.ts";
import { openWindow, type Window } from "./window.ts";

const run = (command: string) => ({ call: { name: "bash", input: { command } } });

describe("reloads", () => {
  let window: Window;
  before(async () => {
    window = await openWindow();
  });
  after(() => window?.close());

  /** Checks that the session continues: each prompt is shown once, and the next request is valid and complete. */
  async function assertGoesOn(first: string): Promise<void> {
    window.plays([{ text: "Here I am again." }]);
    const panel = await window.panel();
    await say(panel, "go on");
    await said(panel, "Here I am again.");
    await status(panel, /Done/);
    const text = await transcript(panel);
    for (const words of [first, "go on", "Here I am again."]) {
      assert.equal(text.split(words).length - 1, 1, `"${words}" in: ${text}`);
    }
    const last = window.requests.at(-1);
    assert.ok(last);
    assertCallsAnswered(last);
    assert.equal(last.raw.split(first).length - 1, 1, "the model is told the first prompt once");
  }

  async function hideAndShow(): Promise<void> {
    const panel = await window.panel();
    await window.command("View: Toggle Secondary Side Bar Visibility");
    while (!panel.isDetached()) await new Promise((resolve) => setTimeout(resolve, 20));
    await window.command("Rondo: Focus Chat");
  }

  it("R3 reloads while a command runs, a question is open, a reply streams and a draft is unsent", async () => {
    let panel = await window.panel();
    window.plays([run("echo begun; sleep 8642.1")]);
    await say(panel, "run something long");
    await (await question(panel, /command/)).press("Control+Enter");
    await processCount(window.marker, "sleep\u00008642.1", 1);

    panel = await window.newSession();
    window.plays([{ call: { name: "write", input: { file_path: "new.txt", content: "new" } } }]);
    await say(panel, "write something new");
    await question(panel, /new\.txt/);

    panel = await window.newSession();
    window.plays(heldAnswer().answer);
    await say(panel, "talk to me");
    await said(panel, "word9 ");
    await message(panel).fill("half a thought");
    await window.reload();
    await processCount(window.marker, "8642.1", 0);
  });

  it("R3 shows the received part of the reply once and marks it, and keeps the draft", async () => {
    const panel = await window.panel();
    await status(panel, /Interrupted/);
    const text = await transcript(panel);
    assert.match(text, /word0 word1 .*word8[\s\S]*Interrupted/);
    assert.equal(text.split("word5 ").length, 2, "nothing is doubled");
    assert.doesNotMatch(text, /word79/);
    assert.equal(await message(panel).inputValue(), "half a thought");
    await assertGoesOn("talk to me");
  });

  it("R3 asks the open question again, and its answer goes on with the turn", async () => {
    const panel = await window.panel();
    await openSession(panel, "write something new");
    const card = await question(panel, /new\.txt/);
    await assert.rejects(window.read("new.txt"));
    window.plays([{ text: "It is written." }]);
    await card.press("Control+Enter");
    await said(panel, "It is written.");
    assert.equal(await window.read("new.txt"), "new");
    await assertGoesOn("write something new");
  });

  it("R3 a turn that was cut says so, and Continue goes on with it", async () => {
    let panel = await window.newSession();
    window.plays(heldAnswer().answer);
    await say(panel, "talk about it");
    await said(panel, "word9 ");
    panel = await window.reload();
    const notice = panel.getByRole("group", { name: "VS Code was closed while Rondo worked." });
    await notice.getByRole("button", { name: "Continue" }).waitFor();
    window.plays([{ text: "I continue." }]);
    await message(panel).press("Control+Enter");
    await said(panel, "I continue.");
    await notice.waitFor({ state: "detached" });
    assert.match(window.requests.at(-1)?.raw ?? "", /The window was closed while you worked/);
    await assertGoesOn("talk about it");
  });

  it("R3 has ended the command and tells the model", async () => {
    const panel = await window.panel();
    await openSession(panel, "run something long");
    await panel.getByRole("group", { name: /^Run echo begun/ }).waitFor();
    await assertGoesOn("run something long");
    assert.match(window.requests.at(-1)?.raw ?? "", /begun.*ended because the window was closed or reloaded/);
  });

  it("R3 survives a reload of the page itself; commands of the old window are ended", async () => {
    let panel = await window.newSession();
    window.plays([{ text: "I start it." }, run("echo begun; sleep 8642.3")]);
    await say(panel, "run it again");
    await (await question(panel, /command/)).press("Control+Enter");
    await processCount(window.marker, "sleep\u00008642.3", 1);
    await window.page.reload();
    panel = await window.panel();
    await said(panel, "I start it.");
    await panel.getByRole("group", { name: /^Run echo begun/ }).waitFor();
    await processCount(window.marker, "8642.3", 0);
    await assertGoesOn("run it again");
  });

  it("shows the same content and draft after the panel was hidden during a reply", async () => {
    let panel = await window.newSession();
    const { answer, release } = heldAnswer();
    window.plays(answer);
    await say(panel, "talk to me");
    await said(panel, "word9 ");
    await message(panel).fill("another thought");
    await hideAndShow();
    release();
    panel = await window.panel();
    assert.equal(await message(panel).inputValue(), "another thought");
    await status(panel, /Done/);
    assert.ok((await transcript(panel)).includes(manyWords), "each word is there once and in order");
    assert.equal(await panel.getByRole("article").count(), 2);
    await assertGoesOn("talk to me");
  });

  it("keeps each letter, once and in order, that is typed while Rondo starts", async () => {
    await window.newSession();
    await window.command("View: Toggle Secondary Side Bar Visibility");
    const loaded = window.page.waitForEvent("domcontentloaded");
    await window.command("Developer: Reload Window");
    await loaded;
    await window.command("Rondo: Focus Chat");
    const panel = await webviewFrame(window.page, ".Chat textarea:focus");
    let typed = "";
    for (let later = 0; later < 20; later += await panel.locator('.Chat[aria-busy="false"]').count()) {
      const letter = "abcdefghij"[typed.length % 10] ?? "";
      await window.page.keyboard.press(letter);
      typed += letter;
    }
    assert.equal(await message(panel).inputValue(), typed);
    await message(panel).fill("");
  });

  it("R3 keeps the session when the extension host is killed during a run", async () => {
    let panel = await window.newSession();
    window.plays([{ text: "I begin." }, run("echo begun; sleep 8642.2")]);
    await say(panel, "run it");
    await (await question(panel, /command/)).press("Control+Enter");
    await processCount(window.marker, "sleep\u00008642.2", 1);
    // A window left behind may still have its own host: VS Code keeps it for a while, in case it comes back.
    const hosts = processes("--type=extensionHost", window.marker);
    assert.notEqual(hosts.length, 0);
    for (const host of hosts) process.kill(host, "SIGKILL");
    panel = await window.reload();
    await said(panel, "I begin.");
    await panel.getByRole("group", { name: /^Run echo begun/ }).waitFor();
    await assertGoesOn("run it");
    assert.match(window.requests.at(-1)?.raw ?? "", /Interrupted: Rondo was closed/);
  });
});
