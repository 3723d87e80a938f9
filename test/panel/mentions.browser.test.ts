/** The list of "@": what the editor holds, and agents. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { EditorContext } from "../../src/chat/editor-views.ts";
import type { FoundMentions } from "../../src/chat/mention-search.ts";
import { boxes, button, focused, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { agents } from "./loop-states.ts";
import { contexts, groups, noContexts, symbols, telling } from "./mention-states.ts";
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
    assert.deepEqual(before.slice(0, 12), [
      ...["Files", "Folders", "Symbols", "Sessions"],
      ...["Problems", "Problems in this file", "Changes", "Terminal", "Terminal selection", "Failed tests"],
      ...["Debug output", "Open editors"],
    ]);
    await panel.post(...telling(contexts), { type: "mention-kinds", notes: { file: "cart.ts", session: "14" } });
    assert.deepEqual((await names(panel)).slice(0, 12), [
      ...["Files cart.ts", "Folders", "Symbols", "Sessions 14"],
      "Problems 3 errors, 1 warning in 2 files",
      "Problems in this file 2 errors in cart.ts",
      "Changes 3 files",
      "Terminal npm test -- cart, exit 1",
      "Terminal selection what is selected in zsh",
      "Failed tests 1 failed test",
      "Debug output Launch shop, 212 lines",
      "Open editors 2 files",
    ]);
    assert.equal(await options(panel).count(), before.length);
    const group = list(panel).getByRole("group", { name: "From the editor" });
    assert.equal(await group.getByRole("option").count(), 8);
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
    await type(panel, "@te");
    await panel.post(...telling([...noContexts.slice(0, 5), ...contexts.slice(5)]));
    assert.match(await (await active(panel)).innerText(), /^Failed tests/);
    await message(panel).press("ArrowUp");
    const row = await active(panel);
    assert.match(await row.innerText(), /^Terminal selection\s+no terminal is open$/);
    assert.equal(await row.getAttribute("aria-disabled"), "true");
    await message(panel).press("Enter");
    await options(panel).first().click({ force: true });
    assert.deepEqual(await attached(panel), []);
    assert.deepEqual(await panel.sentOf("prompt"), []);
    assert.equal(await message(panel).inputValue(), "@te");
    await message(panel).press("Escape");
    await message(panel).press("Enter");
    assert.equal((await panel.sentOf("prompt")).length, 1, "after Escape the word is a word");
  });

  it("V14 the arrow keys reach every row, also those below the edge, and come round", async () => {
    const panel = await opened();
    await panel.resize({ width: 320, height: 360 });
    await type(panel, "@");
    await panel.post(...telling(contexts));
    const count = await options(panel).count();
    for (let i = 0; i < count; i++) {
      const [box, frame] = await boxes(panel, await active(panel), list(panel));
      assert.ok(box.y >= frame.y && box.y + box.height <= frame.y + frame.height + 1, `row ${i}`);
      await message(panel).press("ArrowDown");
    }
    assert.match(await (await active(panel)).innerText(), /^Files/);
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
      (await names(panel))[7] ?? "",
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

  const query = (words: string, ignored = false) => ({ words, ignored });
  const asked = async (panel: PanelPage) => (await panel.sentOf("find-mentions")).map((one) => one.query.words);
  const answer = (words: string, more: Partial<FoundMentions> = {}) =>
    ({ type: "mentions", found: { query: query(words), groups, pending: [], ...more } }) as const;

  it("V14 asks the host for each change of the words, and shows what it finds by kind, with marked letters", async () => {
    const panel = await opened();
    await type(panel, "Why does @cart");
    assert.deepEqual(await asked(panel), ["c", "ca", "car", "cart"]);
    assert.equal((await panel.sentOf("begin-mention")).length, 1);
    await panel.post(answer("cart"));
    assert.deepEqual(await names(panel), [
      "cart.ts src/ open",
      "CustomerArticle.ts src/model/",
      "carts src/fixtures/ 12 files",
    ]);
    const files = list(panel).getByRole("group", { name: "Files" });
    assert.deepEqual(await files.locator("b").allInnerTexts(), ["cart", "C", "Art"]);
    await message(panel).press("Enter");
    assert.deepEqual(await panel.sentOf("attach-mention"), [
      { type: "attach-mention", mention: { kind: "file", uri: "file:///shop/src/cart.ts" } },
    ]);
    assert.equal(await message(panel).inputValue(), "Why does ");
  });

  it("V14 an answer for other words changes nothing", async () => {
    const panel = await opened();
    await type(panel, "@cart");
    await panel.post(answer("car"));
    assert.deepEqual(await names(panel), []);
  });

  it("V14 what comes late is added at the end, and the choice stays", async () => {
    const panel = await opened();
    await type(panel, "@cart");
    await panel.post(answer("cart", { pending: ["symbol"] }));
    await panel.page.getByText("Symbols: looking…").waitFor();
    await message(panel).press("ArrowDown");
    await message(panel).press("ArrowDown");
    assert.match(await (await active(panel)).innerText(), /^carts/);
    await panel.post(answer("cart", { groups: [symbols] }));
    assert.match(await (await active(panel)).innerText(), /^carts/);
    assert.equal((await names(panel)).at(-1), "addToCart src/shop.ts:41 method");
    assert.equal(await panel.page.getByText("looking…").count(), 0);
  });

  it("V14 the first row stays the choice, though a slow kind adds rows above it", async () => {
    const panel = await opened();
    await type(panel, "@prob");
    await panel.post(...telling(contexts), answer("prob", { groups: [], pending: ["symbol"] }));
    assert.match(await (await active(panel)).innerText(), /^Problems/);
    await panel.post(answer("prob", { groups: [symbols] }));
    assert.match((await names(panel))[0] ?? "", /^addToCart/, "it came above");
    assert.match(await (await active(panel)).innerText(), /^Problems/);
    await message(panel).press("Enter");
    assert.deepEqual(await panel.sentOf("attach-editor-context"), [
      { type: "attach-editor-context", kind: "problems" },
    ]);
  });

  it("V14 rows stay until the next answer, so that the list does not blink", async () => {
    const panel = await opened();
    await type(panel, "@car");
    await panel.post(answer("car"));
    await type(panel, "t");
    assert.equal(await options(panel).count(), 3);
    await panel.post(answer("cart", { groups: [] }));
    assert.equal(await options(panel).count(), 0);
  });

  it("V14 a kind is searched alone, and Tab looks into a folder", async () => {
    const panel = await opened();
    await type(panel, "@");
    await message(panel).press("ArrowDown");
    await message(panel).press("Enter");
    assert.equal(await message(panel).inputValue(), "@folder:");
    const [last] = (await panel.sentOf("find-mentions")).slice(-1);
    assert.deepEqual(last?.query, { words: "", ignored: false, only: "folder" });
    await message(panel).fill("");
    await type(panel, "@cart");
    await panel.post(answer("cart", { groups: groups.slice(1) }));
    await message(panel).press("Tab");
    assert.equal(await message(panel).inputValue(), "@src/fixtures/carts/");
    assert.deepEqual(await panel.sentOf("attach-mention"), []);
  });

  it("V14 says that nothing was found and where it was not looked for; Enter then sends the message", async () => {
    const panel = await opened();
    await type(panel, "@crttotl");
    await panel.post(answer("crttotl", { groups: [] }));
    await panel.page.getByText("Nothing is called “crttotl”.").waitFor();
    await button(panel, "Search them too").click();
    const [last] = (await panel.sentOf("find-mentions")).slice(-1);
    assert.deepEqual(last?.query, query("crttotl", true));
    await message(panel).press("Enter");
    assert.equal((await panel.sentOf("prompt")).length, 1);
  });

  it("V14 hostile names are shown as text", async () => {
    const panel = await opened();
    await type(panel, "@x");
    const name = "<img src=x onerror=window.ran=1>\u202Ets.exe";
    const hit = {
      mention: { kind: "file" as const, uri: "file:///x" },
      name,
      marks: [],
      where: "a\u0007/",
      whereMarks: [],
      note: "",
    };
    await panel.post(answer("x", { groups: [{ kind: "file", hits: [hit] }] }));
    assert.deepEqual(await names(panel), ["<img src=x onerror=window.ran=1>[U+202E]ts.exe a[U+0007]/"]);
    assert.equal(await list(panel).locator("img").count(), 0);
  });

  it("V14 says what is being read to be attached", async () => {
    const panel = await opened();
    await panel.post({ type: "state", state: f.panelState({ attaching: ["example.com"] }) });
    await panel.page.getByRole("status").getByText("Reading example.com…").waitFor();
  });
});
