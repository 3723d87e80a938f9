/** The list of "@": what the editor holds, and agents. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { EditorContext } from "../../src/chat/protocol.ts";
import { button, focused, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { agents } from "./loop-states.ts";
import { contexts, noContexts, telling } from "./mention-states.ts";
import type { PanelPage } from "./page.ts";

const opened = () => panelWith(f.snapshot(f.chat("T", []), f.panelState({ agents })));
const type = (panel: PanelPage, text: string) => message(panel).pressSequentially(text);
const list = (panel: PanelPage) => panel.page.getByRole("listbox", { name: "Mentions" });
const options = (panel: PanelPage): Locator => list(panel).getByRole("option");
const names = async (panel: PanelPage) =>
  (await options(panel).allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
const attached = async (panel: PanelPage) => (await panel.sentOf("attach-editor-context")).map(({ kind }) => kind);

/** Returns the option that the message box names as the active one. */
async function active(panel: PanelPage): Promise<Locator> {
  const id = await message(panel).getAttribute("aria-activedescendant");
  const option = panel.page.locator(`[id="${id}"][aria-selected=true]`);
  assert.equal(await option.count(), 1);
  assert.equal(await list(panel).locator("[aria-selected=true]").count(), 1);
  return option;
}

describe("mentions", () => {
  it("V14 offers what the editor holds, each with what it is now; rows keep their places when it is known", async () => {
    const panel = await opened();
    await type(panel, "Why does @");
    assert.deepEqual(await panel.sentOf("list-editor-contexts"), [{ type: "list-editor-contexts" }]);
    const before = await names(panel);
    assert.deepEqual(before.slice(0, 6), [
      "Problems",
      "Problems in this file",
      "Terminal",
      "Terminal selection",
      "Failed tests",
      "Debug output",
    ]);
    await panel.post(...telling(contexts));
    assert.deepEqual((await names(panel)).slice(0, 6), [
      "Problems 3 errors, 1 warning in 2 files",
      "Problems in this file 2 errors in cart.ts",
      "Terminal npm test -- cart, exit 1",
      "Terminal selection what is selected in zsh",
      "Failed tests 1 failed test",
      "Debug output Launch shop, 212 lines",
    ]);
    assert.equal(await options(panel).count(), before.length);
    const group = list(panel).getByRole("group", { name: "From the editor" });
    assert.equal(await group.getByRole("option").count(), 6);
  });

  it("V14 asks anew each time that the list opens, and not for each letter", async () => {
    const panel = await opened();
    await type(panel, "@pro then @deb");
    assert.equal((await panel.sentOf("list-editor-contexts")).length, 2);
    await panel.post(...telling(contexts));
    assert.deepEqual(await names(panel), ["Debug output Launch shop, 212 lines"]);
  });

  it("V14 finds rows by the beginning of any word of their names, in any case", async () => {
    for (const [typed, found] of Object.entries({
      "@pro": ["Problems", "Problems in this file"],
      "@TERM": ["Terminal", "Terminal selection"],
      "@test": ["Failed tests"],
      "@deb": ["Debug output"],
      "@rob": [],
    })) {
      const panel = await opened();
      await type(panel, typed);
      assert.deepEqual(await names(panel), found, typed);
      const bold = await list(panel).locator("b").allInnerTexts();
      assert.ok(bold.every((piece) => piece.toLowerCase() === typed.slice(1).toLowerCase()));
    }
  });

  it("V14 attaches the chosen row by Enter, Tab or click, takes the word out of the message, and sends nothing", async () => {
    for (const choose of ["Enter", "Tab", "click"]) {
      const panel = await opened();
      await type(panel, "Why? @prob");
      await panel.post(...telling(contexts));
      await type(panel, "l");
      if (choose === "click") await options(panel).nth(1).click();
      else {
        await message(panel).press("ArrowDown");
        assert.match(await (await active(panel)).innerText(), /^Problems in this file/);
        await message(panel).press(choose);
      }
      assert.deepEqual(await attached(panel), ["file-problems"]);
      assert.equal(await message(panel).inputValue(), "Why? ");
      assert.equal(await list(panel).count(), 0);
      assert.equal(await focused(panel), "Message");
      assert.deepEqual(await panel.sentOf("prompt"), []);
    }
  });

  it("V14 leaves the words around a mention with one space between them, and the cursor there", async () => {
    const panel = await opened();
    await type(panel, "Why does  fail?");
    for (let i = 0; i < " fail?".length; i++) await message(panel).press("ArrowLeft");
    await type(panel, "@deb");
    await message(panel).press("Enter");
    assert.equal(await message(panel).inputValue(), "Why does fail?");
    await type(panel, "it ");
    assert.equal(await message(panel).inputValue(), "Why does it fail?");
  });

  it("V14 a row that holds nothing says why and is not attached; the first one that holds something is chosen", async () => {
    const panel = await opened();
    await type(panel, "@");
    await panel.post(...telling([...noContexts.slice(0, 4), ...contexts.slice(4)]));
    assert.match(await (await active(panel)).innerText(), /^Failed tests/);
    await message(panel).press("ArrowUp");
    const row = await active(panel);
    assert.match(await row.innerText(), /^Terminal selection\s+no terminal is open$/);
    assert.equal(await row.getAttribute("aria-disabled"), "true");
    await message(panel).press("Enter");
    await options(panel).first().click({ force: true });
    assert.deepEqual(await attached(panel), []);
    assert.deepEqual(await panel.sentOf("prompt"), []);
    assert.equal(await message(panel).inputValue(), "@");
    await message(panel).press("Escape");
    await message(panel).press("Enter");
    assert.equal((await panel.sentOf("prompt")).length, 1, "after Escape the word is a word");
  });

  it("V14 the arrow keys reach every row, also those below the edge, and come round", async () => {
    const panel = await opened();
    await panel.page.setViewportSize({ width: 320, height: 360 });
    await type(panel, "@");
    await panel.post(...telling(contexts));
    const count = await options(panel).count();
    for (let i = 0; i < count; i++) {
      const box = await (await active(panel)).boundingBox();
      const frame = await list(panel).boundingBox();
      assert.ok(box && frame && box.y >= frame.y && box.y + box.height <= frame.y + frame.height + 1, `row ${i}`);
      await message(panel).press("ArrowDown");
    }
    assert.match(await (await active(panel)).innerText(), /^Problems/);
  });

  it("V14 is closed while a question has the message box", async () => {
    const panel = await opened();
    await type(panel, "@");
    assert.equal(await list(panel).count(), 1);
    await panel.post({ type: "events", events: [{ type: "asked", request: f.request() }] });
    assert.equal(await list(panel).count(), 0);
  });

  it("V14 an agent may have the name of a row", async () => {
    const named = { name: "Terminal", description: "Types.", mode: "subagent" as const };
    const panel = await panelWith(f.snapshot(f.chat("T", []), f.panelState({ agents: [named] })));
    await type(panel, "@Termi");
    assert.deepEqual(await names(panel), ["Terminal", "Terminal selection", "Terminal Types."]);
  });

  it("V14 hostile words of a terminal or a file are shown as text", async () => {
    const panel = await opened();
    await type(panel, "@");
    const words = "<img src=x onerror=window.ran=1> \u202Etxt.exe\u0007";
    const hostile: EditorContext[] = [{ kind: "terminal", words, isEmpty: false }];
    await panel.post(...telling(hostile));
    assert.match(
      (await names(panel))[2] ?? "",
      /^Terminal <img src=x onerror=window\.ran=1> \[U\+202E\]txt\.exe\[U\+0007\]$/,
    );
    assert.equal(await list(panel).locator("img").count(), 0);
  });

  it("V14 says to screen readers what was attached, and shows it as a chip", async () => {
    const panel = await opened();
    const chip = { mime: "text/plain", filename: "Terminal zsh", url: "data:text/plain;base64,eA==" };
    await panel.post({ type: "state", state: f.panelState({ agents, attachments: [chip] }) });
    await panel.page
      .locator("[aria-live=polite]", { hasText: "Terminal zsh attached." })
      .waitFor({ state: "attached" });
    await button(panel, "Remove Terminal zsh").click();
    assert.deepEqual(await panel.sentOf("detach"), [{ type: "detach", index: 0 }]);
  });
});
