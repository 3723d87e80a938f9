/** Questions and every way to answer them. */
import assert from "node:assert/strict";
import { assertCallsAnswered } from "./model-requests.ts";
import { answer, question, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const edit = {
  call: {
    name: "edit",
    input: { file_path: "src/discount.js", old_string: "rate: 0.15", new_string: "rate: 0.2" },
  },
};
const run = (command: string) => ({ call: { name: "bash", input: { command } } });

describe("questions", () => {
  let window: Window;
  let original: string;
  before(async () => {
    window = await openWindow();
    original = await window.read("src/discount.js");
  });
  after(() => window?.close());

  it("T7 a denial with a reason is sent to the model, and the turn continues", async () => {
    window.plays([edit], [{ text: "I leave the rate as it is." }]);
    const panel = await window.panel();
    await say(panel, "raise the discount");
    await question(panel, /Edit/);
    const words = panel.getByRole("textbox", { name: "Tell Rondo what to do instead" });
    await words.fill("The rate is fixed by contract.");
    await words.press("Enter");
    await said(panel, "I leave the rate as it is.");
    await status(panel, /Done/);
    const told = window.requests.at(-1);
    assert.ok(told);
    assert.ok(told.raw.includes("The rate is fixed by contract."));
    assertCallsAnswered(told);
    assert.equal(await window.read("src/discount.js"), original);
  });

  it("T7 a denial without a reason stops the turn; nothing is written, and the status line says so", async () => {
    const panel = await window.newSession();
    const asked = window.requests.length;
    window.plays([edit], [{ text: "This is never said." }]);
    await say(panel, "raise the discount");
    await (await question(panel, /Edit/)).press("Escape");
    await status(panel, /you denied/);
    assert.equal(await panel.getByRole("alertdialog").count(), 0);
    assert.equal(window.requests.length, asked + 1, "the model is not asked again");
    assert.equal(await window.read("src/discount.js"), original);
  });

  it("T7 continues after a denial on request, with a complete request", async () => {
    window.plays([{ text: "Another way, then." }]);
    const panel = await window.panel();
    await say(panel, "find another way");
    await said(panel, "Another way, then.");
    const last = window.requests.at(-1);
    assert.ok(last);
    assertCallsAnswered(last);
  });

  it("allows once by Ctrl+Enter", async () => {
    const panel = await window.newSession();
    window.plays([run("echo once > once.txt")], [{ text: "Written." }]);
    await say(panel, "write it");
    await (await question(panel, /command/)).press("Control+Enter");
    await status(panel, /Done/);
    assert.equal(await window.read("once.txt"), "once\n");
  });

  it("shows the rule that Always allow would add before adding it", async () => {
    const panel = await window.newSession();
    window.plays([run("node --version")], [run("node --version")], [{ text: "Asked once, run twice." }]);
    await say(panel, "which node is it?");
    const card = await question(panel, /command/);
    const always = card.getByRole("button", { name: "Always allow" });
    await always.click();
    await card.getByText("Allow, and keep 1 rule").waitFor();
    assert.equal(await card.isVisible(), true, "the first press gives nothing");
    await card.getByRole("menuitem", { name: "Edit the rules first…" }).click();
    const rule = panel.getByRole("textbox", { name: "Rule", exact: true });
    assert.equal(await rule.inputValue(), "node --version");
    await rule.press("Escape");
    await always.click();
    await card.getByRole("menuitem", { name: "For this workspace" }).click();
    await said(panel, "Asked once, run twice.");
    assert.equal((await panel.getByRole("group", { name: /Ran node --version|Ran 2/ }).count()) > 0, true);
  });

  it("keeps that rule when the window reloads, and asks for everything else", async () => {
    const panel = await window.reload();
    window.plays([run("node --version")], [run("node --version && touch more.txt")], [{ text: "No more." }]);
    await say(panel, "and now?");
    const card = await question(panel, /command/);
    await card.getByText("1 part is already allowed").waitFor();
    const marked = await card.getByRole("region", { name: "Command" }).locator("mark").innerText();
    assert.match(marked, /touch more\.txt/);
    await answer(panel, "Deny");
    await status(panel, /you denied/);
  });

  it("counts open questions", async () => {
    const panel = await window.newSession();
    const outside = (file_path: string) => ({ call: { name: "read", input: { file_path } } });
    window.plays([outside("/etc/hostname"), outside("/etc/os-release")], [{ text: "Both are read." }]);
    await say(panel, "read two files of the system");
    await status(panel, /1 of 2/);
    await answer(panel, "Allow once", /hostname/);
    await answer(panel, "Allow once", /os-release/);
    await said(panel, "Both are read.");
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
