/** Earlier messages in the field, and what the field's own undo takes back. */
import assert from "node:assert/strict";
import { boxes, events, message, panelWith } from "./browser.ts";
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

/** Opens the panel when the messages were just sent. */
async function soonAfter(...messages: Parameters<typeof panelWith>): Promise<PanelPage> {
  const panel = await panelWith();
  await panel.page.clock.setFixedTime(f.now);
  await panel.post(...messages);
  return panel;
}

describe("the list of earlier messages", () => {
  const list = (panel: PanelPage) => panel.page.getByRole("listbox", { name: "Earlier messages" });
  const rows = async (panel: PanelPage) =>
    (await list(panel).getByRole("option").allInnerTexts()).map((row) => row.replace(/\s+/g, " ").trim());

  /** The text of the row that the message box names, which is the chosen one. */
  async function active(panel: PanelPage): Promise<string> {
    const id = await message(panel).getAttribute("aria-activedescendant");
    const option = panel.page.locator(`[id="${id}"][role=option][aria-selected=true]`);
    assert.equal(await list(panel).locator("[aria-selected=true]").count(), 1);
    return (await option.innerText()).replace(/\s+/g, " ").trim();
  }

  it("shows each message in one line with its age, the newest next to the field; the field holds the chosen one", async () => {
    const panel = await soonAfter(f.snapshot(f.chat("T", talk())));
    assert.equal(await press(panel, "ArrowUp"), "third");
    assert.deepEqual(await rows(panel), ["first now", "second of two lines now", "third now"]);
    assert.equal(await active(panel), "third now");
    assert.equal(await press(panel, "ArrowUp"), "second\nof two lines");
    assert.equal(await active(panel), "second of two lines now");
    const [lower, field] = await boxes(panel, list(panel), message(panel));
    assert.ok(lower.y + lower.height <= field.y, "it is over the field");
    await press(panel, "ArrowDown", "ArrowDown");
    assert.equal(await list(panel).count(), 0, "past the newest it is closed");
    assert.equal(await message(panel).getAttribute("aria-activedescendant"), null);
  });

  it("Enter sends the chosen message, Escape brings the draft back", async () => {
    const panel = await soonAfter(f.snapshot(f.chat("T", talk())));
    assert.equal(await press(panel, "ArrowUp", "ArrowUp", "Escape"), "");
    assert.equal(await list(panel).count(), 0);
    await press(panel, "ArrowUp", "ArrowUp", "ArrowUp", "Enter");
    assert.deepEqual(
      (await panel.sentOf("prompt")).map((sent) => sent.text),
      ["first"],
    );
    assert.equal(await list(panel).count(), 0);
  });

  it("Tab, a press on a row, a letter and a move of the caret keep the text and close the list", async () => {
    const panel = await soonAfter(f.snapshot(f.chat("T", talk())));
    assert.equal(await press(panel, "ArrowUp", "ArrowUp", "ArrowUp", "Tab"), "first");
    assert.equal(await list(panel).count(), 0);
    assert.equal(await press(panel, "ArrowDown"), "second\nof two lines", "the keys go on from there");
    await list(panel)
      .getByRole("option", { name: /^third/ })
      .click();
    assert.equal(await text(panel), "third");
    assert.equal(await list(panel).count(), 0);
    await panel.page.keyboard.type("!");
    assert.equal(await text(panel), "third!", "the field has the focus");
    await message(panel).fill("");
    await press(panel, "ArrowUp", "ArrowLeft");
    await list(panel).waitFor({ state: "detached" });
    await press(panel, "End", "ArrowUp");
    assert.equal(await active(panel), "second of two lines now");
    await message(panel).pressSequentially("?");
    assert.equal(await list(panel).count(), 0);
    assert.deepEqual(await panel.sentOf("prompt"), []);
  });

  it("a message that begins a command or ends in a mention opens no other list, until it is kept", async () => {
    const said = ["/compact", "ask @gen"].flatMap((words) => [f.you(words), reply()]);
    const panel = await soonAfter(f.snapshot(f.chat("T", said), f.panelState({ agents })));
    for (const words of ["ask @gen", "/compact"]) {
      assert.equal(await press(panel, "ArrowUp"), words);
      assert.equal(await panel.page.getByRole("listbox").count(), 1);
      assert.equal(await active(panel), `${words} now`);
    }
    await press(panel, "Tab");
    await panel.page.getByRole("listbox", { name: "Commands" }).waitFor();
  });

  it("shows a hundred messages at once, and the others when Up comes there", async () => {
    const many = Array.from({ length: 150 }, (_, at) => f.you(`message ${at}`));
    const panel = await soonAfter(f.snapshot(f.chat("T", many)));
    await press(panel, "ArrowUp");
    assert.deepEqual([(await rows(panel)).length, await active(panel)], [100, "message 149 now"]);
    for (let at = 148; at >= 0; at--) await press(panel, "ArrowUp");
    assert.deepEqual([(await rows(panel)).length, await active(panel)], [100, "message 0 now"]);
  });

  it("hostile words are shown as text, and the list goes with its session", async () => {
    const words = "<img src=x onerror=window.ran=1>\u202Ets.exe";
    const panel = await soonAfter(f.snapshot(f.chat("T", [f.you(words), reply()])));
    await press(panel, "ArrowUp");
    assert.deepEqual(await rows(panel), ["<img src=x onerror=window.ran=1>[U+202E]ts.exe now"]);
    assert.equal(await list(panel).locator("img").count(), 0);
    const other = f.chat("Other", [f.you("of the other one"), reply()]);
    other.session = { ...other.session, id: "ses_other" };
    await panel.post(f.snapshot(other, f.panelState(), words));
    await list(panel).waitFor({ state: "detached" });
  });
});

describe("undo in the field", () => {
  it("takes a recalled message back, and brings it again", async () => {
    const panel = await soonAfter(f.snapshot(f.chat("T", talk())));
    assert.equal(await press(panel, "ArrowUp", "ArrowUp"), "second\nof two lines");
    assert.equal(await press(panel, "Control+z"), "third");
    assert.equal(await press(panel, "Control+z"), "");
    assert.equal(await press(panel, "Control+Shift+z"), "third");
    await panel.page.waitForFunction(() => window.sent.some((sent) => sent.type === "draft" && sent.text === "third"));
  });

  it("takes a picked mention back to what was typed", async () => {
    const panel = await soonAfter(f.snapshot(f.chat("T", talk()), f.panelState({ agents })));
    await message(panel).pressSequentially("Let @ge");
    assert.equal(await press(panel, "Enter"), "Let @general ");
    await message(panel).pressSequentially("count");
    await press(panel, "Control+z");
    while ((await text(panel)) === "Let @general ") await press(panel, "Control+z");
    assert.equal(await text(panel), "Let @ge");
  });

  it("takes back what the host has put into the field, and keeps what stood around it", async () => {
    const panel = await soonAfter(f.snapshot(f.chat("T", talk())));
    await message(panel).pressSequentially("before 😀 after");
    for (let at = 0; at < 6; at++) await message(panel).press("ArrowLeft");
    await panel.post({ type: "compose", text: "😁", send: false });
    assert.equal(await text(panel), "before 😀😁 after");
    assert.equal(await press(panel, "Control+z"), "before 😀 after");
  });
});
