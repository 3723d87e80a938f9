/** Sessions: search, rename, fork, export, import, delete. */
import assert from "node:assert/strict";
import type { Frame, Locator } from "playwright-core";
import { composed, enter, message, openSession, press, said, say, status, transcript } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

describe("sessions", () => {
  let window: Window;
  /** Kept from the start: while the list of sessions is open, the composer that `panel()` waits for is hidden. */
  let panel: Frame;
  before(async () => {
    window = await openWindow();
    const talks = [
      ["tell me of the pear", "A pear is a fruit."],
      ["and of the plum", "A plum is one too."],
    ] as const;
    panel = await window.panel();
    for (const [asked, told] of talks) {
      window.plays([{ text: told }]);
      await say(panel, asked);
      await said(panel, told);
      await status(panel, /Done/);
    }
    await window.newSession();
    window.plays([{ text: "An anvil is heavy." }]);
    await say(panel, "tell me of the anvil");
    await said(panel, "An anvil is heavy.");
    await status(panel, /Done/);
  });
  after(() => window?.close());

  async function list(): Promise<Locator> {
    const region = panel.getByRole("region", { name: "Sessions" });
    if (!(await region.isVisible())) await press(panel, "Sessions");
    await region.waitFor();
    return region;
  }

  it("R5 finds a session by words from its messages", async () => {
    const sessions = await list();
    const anvil = sessions.getByRole("button", { name: /^tell me of the anvil/ });
    // The list is empty until the host has answered.
    await anvil.waitFor();
    await sessions.getByRole("searchbox", { name: "Search sessions" }).fill("one too");
    const pear = sessions.getByRole("button", { name: /^tell me of the pear/ });
    await pear.filter({ hasText: /A plum is\s+one\s+too/ }).waitFor();
    assert.equal(await anvil.count(), 0);
    await sessions.getByRole("searchbox").fill("a word that nobody said");
    await sessions.getByText("Nothing has").waitFor();
    await sessions.getByRole("searchbox").fill("");
    await anvil.waitFor();
  });

  it("R5 renames a closed session, which keeps the name", async () => {
    const sessions = await list();
    await sessions.getByRole("button", { name: "Rename tell me of the pear" }).click();
    const field = sessions.getByRole("textbox", { name: "Title" });
    await field.fill("On fruit");
    await field.press("Enter");
    await sessions.getByRole("button", { name: /^On fruit/ }).waitFor();
    panel = await window.reload();
    await openSession(panel, "On fruit");
    await said(panel, "A plum is one too.");
  });

  it("R6 forks a session at an earlier message; the original does not change", async () => {
    const second = panel.getByRole("article", { name: "You" }).nth(1);
    await second.hover();
    await second.getByRole("button", { name: "Edit from here" }).click();
    await panel.getByRole("log").getByText("A plum is one too.").waitFor({ state: "detached" });
    await said(panel, "A pear is a fruit.");
    await composed(panel, "and of the plum");
    window.plays([{ text: "A fig is another." }]);
    await message(panel).fill("and of the fig");
    await enter(panel);
    await said(panel, "A fig is another.");
    await status(panel, /Done/);
    const { raw = "" } = window.requests.at(-1) ?? {};
    assert.match(raw, /A pear is a fruit\./);
    assert.doesNotMatch(raw, /plum/);
    await panel.getByRole("heading", { name: "On fruit (fork)" }).waitFor();
    const sessions = await list();
    await sessions.getByRole("button", { name: /^On fruit \d/ }).click();
    await said(panel, "A plum is one too.");
  });

  it("R6 exports a session as Markdown and as JSON lines", async () => {
    for (const [button, file] of [
      ["Markdown", "fruit.md"],
      ["JSON lines", "fruit.jsonl"],
    ] as const) {
      const sessions = await list();
      await sessions.getByRole("button", { name: "Export On fruit", exact: true }).click();
      await sessions.getByRole("button", { name: button, exact: true }).click();
      await window.chooseFile(file);
      await window.page.locator(`.tab[data-resource-name="${file}"]`).waitFor();
      const text = await window.read(file);
      for (const words of ["tell me of the pear", "A plum is one too."]) assert.ok(text.includes(words), words);
    }
    await press(panel, "Back to the conversation");
  });

  it("R6 imports an exported session, which can be continued", async () => {
    await press(panel, "New session");
    await panel.getByRole("log").getByText("A plum is one too.").waitFor({ state: "detached" });
    await window.command("Rondo: Import Session");
    await window.chooseFile("fruit.jsonl");
    await said(panel, "A plum is one too.");
    assert.match(await transcript(panel), /tell me of the pear[\s\S]*and of the plum/);
    window.plays([{ text: "It goes on." }]);
    await say(panel, "go on");
    await said(panel, "It goes on.");
    assert.match(window.requests.at(-1)?.raw ?? "", /A plum is one too\./);
  });

  it("R6 says why a file cannot be imported, and opens nothing", async () => {
    await window.command("Rondo: Import Session");
    await window.chooseFile("package.json");
    const alert = panel.getByRole("alert");
    await alert.waitFor();
    assert.doesNotMatch(await alert.innerText(), /log/, "it is the file's fault, not Rondo's");
    await press(panel, "Dismiss");
    await said(panel, "It goes on.");
  });

  it("deletes a session after a second click, permanently", async () => {
    const sessions = await list();
    await sessions.getByRole("button", { name: "Delete tell me of the anvil" }).click();
    await sessions.getByRole("button", { name: "Delete for good" }).click();
    await sessions.getByRole("button", { name: /^tell me of the anvil/ }).waitFor({ state: "detached" });
    const kept = await window.kept("data/User/globalStorage/rondo.rondo");
    assert.deepEqual(
      [...kept].filter(([, text]) => text.includes("An anvil is heavy.")).map(([file]) => file),
      [],
    );
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
