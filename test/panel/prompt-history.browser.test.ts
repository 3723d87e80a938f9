/** Earlier messages in the field, and what the field's own undo takes back. */
import assert from "node:assert/strict";
import { events, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { agents } from "./loop-states.ts";
import type { PanelPage } from "./page.ts";

const busy = { type: "busy", since: Date.now() } as const;
const reply = () => f.rondo([f.said("Done.")]);
const talk = () => ["first", "second\nof two lines", "third"].flatMap((text) => [f.you(text), reply()]);
const text = (panel: PanelPage) => message(panel).inputValue();

async function press(panel: PanelPage, ...keys: string[]): Promise<string> {
  for (const key of keys) await message(panel).press(key);
  return await text(panel);
}

describe("earlier messages", () => {
  it("Up goes to older ones, Down to newer ones, and past the newest the field is empty again", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", talk())));
    assert.equal(await press(panel, "ArrowUp"), "third");
    assert.equal(await press(panel, "ArrowUp"), "second\nof two lines");
    assert.equal(await press(panel, "ArrowUp"), "first");
    assert.equal(await press(panel, "ArrowUp"), "first", "there is none before");
    assert.equal(await press(panel, "ArrowDown"), "second\nof two lines");
    assert.equal(await press(panel, "ArrowDown", "ArrowDown"), "");
    assert.deepEqual(await panel.sentOf("prompt"), []);
  });

  it("Escape brings the empty field back, and only the next one stops", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", talk(), { status: busy })));
    assert.equal(await press(panel, "ArrowUp", "ArrowUp", "Escape"), "");
    assert.deepEqual(await panel.sentOf("stop"), []);
    await press(panel, "Escape");
    assert.equal((await panel.sentOf("stop")).length, 1);
  });

  it("a text that was changed stays: the keys move the caret in it", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", talk())));
    await press(panel, "ArrowUp", "ArrowUp");
    await press(panel, "ArrowLeft", "ArrowUp");
    assert.equal(await text(panel), "second\nof two lines", "Up moved the caret to the first line");
    await message(panel).press("End");
    await message(panel).pressSequentially("!");
    assert.equal(await press(panel, "ArrowDown", "ArrowUp", "ArrowUp", "ArrowUp"), "second!\nof two lines");
    assert.equal(await press(panel, "Enter"), "");
    assert.equal((await panel.sentOf("prompt"))[0]?.text, "second!\nof two lines");
  });

  it("a waiting message is edited first; a draft and a message that nobody wrote are left alone", async () => {
    const silent = f.you("go on");
    silent.info.silent = true;
    const queue = [f.waiting("q", "waiting")];
    const panel = await panelWith(f.snapshot(f.chat("T", [...talk(), silent], { status: busy, queue })));
    await message(panel).press("ArrowUp");
    const field = panel.page.getByRole("textbox", { name: "Waiting message 1" });
    assert.equal(await field.inputValue(), "waiting");
    await field.press("Escape");
    await panel.post(events({ type: "queued", queue: [] }));
    assert.equal(await press(panel, "ArrowUp"), "third");
    await message(panel).fill("a draft");
    assert.equal(await press(panel, "ArrowUp", "ArrowUp"), "a draft");
  });

  it("belong to the session on screen", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", talk())));
    assert.equal(await press(panel, "ArrowUp"), "third");
    const other = f.chat("Other", [f.you("of the other one"), reply()]);
    other.session = { ...other.session, id: "ses_other" };
    await panel.post(f.snapshot(other, f.panelState(), "its draft"));
    assert.equal(await press(panel, "ArrowDown", "ArrowUp"), "its draft");
    await message(panel).fill("");
    assert.equal(await press(panel, "ArrowUp"), "of the other one");
  });
});

describe("undo in the field", () => {
  it("takes a recalled message back, and brings it again", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", talk())));
    assert.equal(await press(panel, "ArrowUp", "ArrowUp"), "second\nof two lines");
    assert.equal(await press(panel, "Control+z"), "third");
    assert.equal(await press(panel, "Control+z"), "");
    assert.equal(await press(panel, "Control+Shift+z"), "third");
    await panel.page.waitForFunction(() => window.sent.some((sent) => sent.type === "draft" && sent.text === "third"));
  });

  it("takes a picked mention back to what was typed", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", talk()), f.panelState({ agents })));
    await message(panel).pressSequentially("Let @ge");
    assert.equal(await press(panel, "Enter"), "Let @general ");
    await message(panel).pressSequentially("count");
    await press(panel, "Control+z");
    while ((await text(panel)) === "Let @general ") await press(panel, "Control+z");
    assert.equal(await text(panel), "Let @ge");
  });

  it("takes back what the host has put into the field, and keeps what stood around it", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", talk())));
    await message(panel).pressSequentially("before 😀 after");
    for (let at = 0; at < 6; at++) await message(panel).press("ArrowLeft");
    await panel.post({ type: "compose", text: "😁", send: false });
    assert.equal(await text(panel), "before 😀😁 after");
    assert.equal(await press(panel, "Control+z"), "before 😀 after");
  });
});
