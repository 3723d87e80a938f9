/** Two windows on one folder: a session never has two runs at once. */
import assert from "node:assert/strict";
import type { Frame } from "playwright-core";
import { heldAnswer, manyWords } from "./held-answer.ts";
import { assertCallsAnswered } from "./model-requests.ts";
import { choose, composed, enter, press, question, said, say, status, transcript } from "./panel-actions.ts";
import { processCount } from "./processes.ts";
import { openWindow, type Window } from "./window.ts";

const run = (command: string) => ({ call: { name: "bash", input: { command } } });

describe("two windows on one folder", () => {
  let first: Window;
  let second: Window;
  before(async () => {
    first = await openWindow({ settings: { "rondo.loop.queueTimeoutSeconds": 1.5 } });
    second = await first.another();
  });
  after(() => first?.close());

  /** Opens the newest session with this title in the second window. */
  async function openThere(title: string): Promise<void> {
    const panel = await second.panel();
    await press(panel, "Sessions");
    await panel.getByRole("region", { name: "Sessions" }).getByRole("button", { name: title }).first().click();
    await panel.getByRole("heading", { name: title, exact: true }).waitFor();
  }

  it("Q1 the second follows the first one's run live", async () => {
    const panel = await first.panel();
    const { answer, release } = heldAnswer();
    first.plays(answer);
    await say(panel, "talk to me");
    await said(panel, "word5 ");
    await openThere("talk to me");
    const there = await second.panel();
    await said(there, "word5 ");
    assert.doesNotMatch(await transcript(there), /word79/, "it is shown while it runs");
    await status(there, /Answering|Thinking/);
    release();
    await said(there, "word79");
    await status(there, /Ready/);
    await status(panel, /Done/);
    assert.ok((await transcript(there)).includes(manyWords), "each word is there once and in order");
  });

  it("Q2 the second continues the session once it is free, and the first follows", async () => {
    const there = await second.panel();
    second.plays([{ text: "I answer in the other window." }]);
    await say(there, "and now from here");
    await said(there, "I answer in the other window.");
    const panel = await first.panel();
    await said(panel, "I answer in the other window.");
    first.plays([{ text: "And I am back." }]);
    await say(panel, "thank you");
    await said(panel, "And I am back.");
    await said(there, "And I am back.");
    const last = first.requests.at(-1);
    assert.ok(last);
    assertCallsAnswered(last);
    for (const words of ["talk to me", "and now from here", "thank you"]) {
      assert.equal(last.raw.split(words).length - 1, 1, words);
    }
  });

  it("U4 the list of the second says what the session waits for in the first, until that is answered", async () => {
    const panel = await first.panel();
    const there = await second.panel();
    await press(there, "Sessions");
    const list = there.getByRole("region", { name: "Sessions" });
    const row = (words: RegExp) => list.getByRole("button", { name: /^talk to me/ }).filter({ hasText: words });
    await row(/^(?!.*another window)/).waitFor();
    first.plays([run("echo asked > asked.txt")], [{ text: "You were asked." }]);
    await say(panel, "ask me");
    const card = await question(panel, /Run this command/);
    await row(/Waits for you in another window: Run this command\?/).waitFor();
    await card.press("Control+Enter");
    await said(panel, "You were asked.");
    await row(/^(?!.*another window)/).waitFor();
    await press(there, "Back to the conversation");
  });

  it("U1 Bypass in the first is not Bypass of the same session in the second", async () => {
    const panel = await first.panel();
    const there = await second.panel();
    await choose(panel, "Mode", "Bypass");
    assert.equal(await there.getByRole("note", { name: "Mode Bypass" }).count(), 0);
    second.plays([run("echo no > asked.txt")], [{ text: "Never said." }]);
    await say(there, "run it");
    await (await question(there, /Run this command/)).press("Escape");
    await status(there, /you denied/);
    assert.equal(await first.read("asked.txt"), "asked\n");
    await press(panel, "End now");
    await panel.getByRole("button", { name: "Mode: Ask first" }).waitFor();
  });

  it("U1 Bypass that the second has found in the session is over when the first ends it", async () => {
    const panel = await first.panel();
    const strip = (there: Frame) => there.getByRole("note", { name: "Mode Bypass" });
    await choose(panel, "Mode", "Bypass");
    await strip(panel).waitFor();
    const there = await second.reload();
    await strip(there).waitFor();
    await press(panel, "End now");
    await strip(there).waitFor({ state: "detached" });
    await there.getByRole("button", { name: "Mode: Ask first" }).waitFor();
    second.plays([run("echo no > asked.txt")], [{ text: "Never said." }]);
    await say(there, "run it again");
    await (await question(there, /Run this command/)).press("Escape");
    await status(there, /you denied/);
    assert.equal(await first.read("asked.txt"), "asked\n");
  });

  it("C8 the second sees the context of what runs in the first, and can change it when that is over; the first follows", async () => {
    const panel = await first.panel();
    const there = await second.panel();
    const { answer, release } = heldAnswer();
    first.plays(answer);
    await say(panel, "talk again");
    await status(there, /Answering|Thinking/);
    const meter = (of: Frame) => of.getByRole("button", { name: /^Context: / });
    const drop = there.getByRole("button", { name: "Drop “talk to me”" });
    await meter(there).click();
    await there.getByText("This session runs in another window or process. Change its context there.").waitFor();
    // It is one of the smallest pieces.
    await there.getByRole("region", { name: "Largest" }).getByRole("button", { name: "All", exact: true }).click();
    assert.equal(await drop.getAttribute("aria-disabled"), "true");
    release();
    await status(panel, /Done/);
    await there.locator("button:not([aria-disabled=true])[aria-label='Drop “talk to me”']").click();
    await there.getByRole("button", { name: "Put back “talk to me”" }).waitFor();
    await meter(panel).click();
    await panel.getByRole("button", { name: "Put back “talk to me”" }).click();
    await drop.waitFor();
    for (const frame of [panel, there]) await press(frame, "Back to the conversation");
  });

  it("Q2 a prompt for a session that stays busy elsewhere is returned with its owner", async () => {
    const panel = await first.panel();
    first.plays([run("sleep 8731.4")], [{ text: "I have slept." }]);
    await say(panel, "sleep");
    await (await question(panel, /command/)).press("Control+Enter");
    await processCount(first.marker, "sleep\u00008731.4", 1);
    const there = await second.panel();
    await there.getByRole("group", { name: /sleep 8731\.4/ }).waitFor();
    const asked = first.requests.length;
    await say(there, "are you done?");
    await there.getByRole("alert").filter({ hasText: "Your message will be sent" }).waitFor();
    await there
      .getByRole("alert")
      .filter({ hasText: /running in .* since/ })
      .waitFor();
    await composed(there, "are you done?");
    assert.equal(first.requests.length, asked, "the model was not asked");
    await processCount(first.marker, "sleep\u00008731.4", 1);
    await press(panel, "Stop");
    await status(panel, /Stopped by you/);
    await processCount(first.marker, "8731.4", 0);
    await status(there, /Stopped by you/);
    second.plays([{ text: "Now I am." }]);
    await enter(there);
    await said(there, "Now I am.");
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual([...first.errors, ...second.errors], []);
  });
});
