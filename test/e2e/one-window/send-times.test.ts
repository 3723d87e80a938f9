/** Messages that are sent while Rondo works: at the next step, after the turn, or now. */
import assert from "node:assert/strict";
import type { Frame } from "playwright-core";
import { heldAnswer } from "../held-answer.ts";
import { composed, message, said, say, status, transcript } from "../panel-actions.ts";
import { sharedWindow, type Window } from "../window.ts";

describe("sending while Rondo works", () => {
  let window: Window;
  let panel: Frame;
  beforeEach(async () => {
    window = await sharedWindow();
    panel = await window.panel();
  });

  const queue = () => panel.getByRole("list", { name: "Queue" });
  const row = (words: string) => queue().getByRole("listitem").filter({ hasText: words });
  const asked = () => panel.getByRole("article", { name: "You" }).allInnerTexts();

  /** Which of these words each request has. */
  const sent = (...words: string[]) => window.requests.map(({ raw }) => words.filter((word) => raw.includes(word)));

  it("Q2 one message joins the turn, the other one begins its own; Alt+Enter and the row change which", async () => {
    const { answer, release } = heldAnswer("I work on the first. ".repeat(4));
    window.plays(answer, [{ text: "First and second are done." }], [{ text: "The third is done." }]);
    await say(panel, "the first");
    await said(panel, "I work on");
    await message(panel).fill("the second");
    await message(panel).press("Alt+Enter");
    await message(panel).fill("the third");
    await panel.getByRole("button", { name: "When to send" }).click();
    await panel.getByRole("menuitem", { name: /^Send after this turn/ }).click();
    await row("the third")
      .getByRole("button", { name: /^after this turn/ })
      .waitFor();
    await row("the second")
      .getByRole("button", { name: /^after this turn/ })
      .click();
    await row("the second")
      .getByRole("button", { name: /^at the next step/ })
      .waitFor();
    release();
    await said(panel, "The third is done.");
    await status(panel, /Done/);
    const steps = [["the first"], ["the first", "the second"], ["the first", "the second", "the third"]];
    assert.deepEqual(sent("the first", "the second", "the third"), steps);
    assert.deepEqual(
      (await asked()).map((text) => text.trim()),
      ["the first", "the second", "the third"],
    );
  });

  it("Q2 Ctrl+Shift+Enter stops the turn and sends; Stop and a reload keep what waits", async () => {
    const one = heldAnswer("I say much. ".repeat(8));
    const two = heldAnswer("I say other things. ".repeat(8));
    window.plays(one.answer, two.answer, [{ text: "A new one is done." }], [{ text: "The last is done." }]);
    await say(panel, "the first");
    await said(panel, "I say much");
    await message(panel).fill("the last");
    await message(panel).press("Alt+Enter");
    await row("the last").waitFor();
    await message(panel).fill("this now");
    await message(panel).press("Control+Shift+Enter");
    await said(panel, "I say other things");
    assert.deepEqual(sent("the first", "this now", "the last"), [["the first"], ["the first", "this now"]]);
    await row("the last").waitFor();
    await message(panel).press("Escape");
    await status(panel, /Stopped|Ready|Done/);
    panel = await window.reload();
    await row("the last")
      .getByRole("button", { name: /^after your next message/ })
      .waitFor();
    assert.equal(window.requests.length, 2, "nothing is sent on its own");
    await say(panel, "a new one");
    await said(panel, "The last is done.");
    await status(panel, /Done/);
    assert.equal(await queue().count(), 0);
    assert.match(await transcript(panel), /A new one is done\.[\s\S]*the last[\s\S]*The last is done\./);
    one.release();
    two.release();
  });

  it("Up goes through earlier messages, and Ctrl+Z undoes what it has written", async () => {
    window.plays([{ text: "One." }], [{ text: "Two." }]);
    await say(panel, "message one");
    await said(panel, "One.");
    await status(panel, /Done/);
    await say(panel, "message two");
    await said(panel, "Two.");
    await status(panel, /Done/);
    await message(panel).press("ArrowUp");
    await composed(panel, "message two");
    const earlier = panel.getByRole("listbox", { name: "Earlier messages" });
    await earlier.getByRole("option", { name: /^message two/, selected: true }).waitFor();
    await message(panel).press("ArrowUp");
    await composed(panel, "message one");
    await earlier.getByRole("option", { name: /^message one/, selected: true }).waitFor();
    await message(panel).press("Escape");
    await composed(panel, "");
    await earlier.waitFor({ state: "detached" });
    await message(panel).press("ArrowUp");
    await message(panel).press("ArrowUp");
    await composed(panel, "message one");
    await message(panel).press("Control+z");
    await composed(panel, "message two");
    await message(panel).press("Control+z");
    await composed(panel, "");
  });

  it("a draft belongs to its session", async () => {
    window.plays([{ text: "One." }]);
    await say(panel, "the session of the draft");
    await said(panel, "One.");
    await status(panel, /Done/);
    await message(panel).fill("half a thought");
    panel = await window.newSession();
    await composed(panel, "");
    await message(panel).press("ArrowUp");
    await composed(panel, "");
    await panel.getByRole("button", { name: "Sessions", exact: true }).click();
    const list = panel.getByRole("region", { name: "Sessions" });
    await list.getByRole("button", { name: "the session of the draft" }).first().click();
    await composed(panel, "half a thought");
    await message(panel).fill("");
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
