/** The first page: a text box that takes keys before the panel is there, which then takes it over. */
import assert from "node:assert/strict";
import type { Chat } from "../../src/chat/apply.ts";
import { message, panelBrowser } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage, Unnumbered } from "./page.ts";

const busy = { type: "busy", since: f.now } as const;
const running = f.chat("Fix the rounding", [f.asked, f.rondo(f.work)], { status: busy });
const asking = { ...running, requests: [f.request()] };

describe("the first page", () => {
  it("keeps what is typed before the panel is there, with focus and selection", async () => {
    const first = await firstPage();
    const { page } = first.panel;
    await message(first.panel).focus();
    await page.keyboard.type("Fix the bg");
    await page.keyboard.press("ArrowLeft");
    await page.evaluate(() => Object.assign(window, { typedInto: document.activeElement }));
    await first.goesOn(f.snapshot(f.chat("T", [])));
    await page.keyboard.type("u");
    assert.equal(await message(first.panel).inputValue(), "Fix the bug");
    const isSame = () => Object.is(document.querySelector("textarea"), Reflect.get(window, "typedInto"));
    assert.ok(await page.evaluate(isSame), "the text box is another one");
    await page.waitForFunction(() => window.sent.some((sent) => sent.type === "draft" && sent.text === "Fix the bug"));
    await page.keyboard.press("Enter");
    assert.deepEqual(await promptsOf(first.panel), ["Fix the bug"]);
  });

  it("takes the focus that VS Code gives to the frame", async () => {
    const { panel } = await firstPage();
    await panel.page.evaluate(() => dispatchEvent(new Event("focus")));
    await panel.page.keyboard.type("x");
    assert.equal(await message(panel).inputValue(), "x");
  });

  it("adds to the draft that only the host has", async () => {
    const first = await firstPage();
    await message(first.panel).pressSequentially(" and more");
    await first.goesOn(f.snapshot(f.chat("T", []), f.panelState(), "some"));
    assert.equal(await message(first.panel).inputValue(), "some and more");
  });

  it("keeps what is typed when the page is discarded before the panel is there, also beside the draft of the host", async () => {
    const { panel } = await firstPage();
    await message(panel).pressSequentially(" and mo");
    const scriptMayCome = await panel.reloadHeld();
    assert.equal(await message(panel).inputValue(), " and mo");
    await message(panel).press("End");
    await panel.page.keyboard.type("re");
    await panel.post(f.snapshot(f.chat("T", []), f.panelState(), "some"));
    scriptMayCome();
    await taken(panel);
    assert.equal(await message(panel).inputValue(), "some and more");
    await panel.page.waitForFunction(() =>
      window.sent.some((sent) => sent.type === "draft" && sent.text === "some and more"),
    );
    const again = await panel.reloadHeld();
    await panel.post(f.snapshot(f.chat("T", []), f.panelState(), "some and more"));
    again();
    await taken(panel);
    assert.equal(await message(panel).inputValue(), "some and more");
  });

  it("keeps each letter, once and in order, that is typed while the panel comes", async () => {
    const first = await firstPage();
    const { page } = first.panel;
    await message(first.panel).focus();
    const letters = "the quick brown fox jumps over the lazy dog, and over the panel".repeat(2);
    const typed = page.keyboard.type(letters, { delay: 15 });
    await page.waitForTimeout(100);
    const comes = first.goesOn(f.snapshot(f.chat("T", [])));
    await Promise.all([typed, comes]);
    assert.equal(await message(first.panel).inputValue(), letters);
    await page.waitForFunction(
      (text) => window.sent.some((sent) => sent.type === "draft" && sent.text === text),
      letters,
    );
  });

  it("lets a word be composed before the panel comes", async () => {
    const { panel } = await firstPage();
    const { page } = panel;
    const scriptMayCome = await panel.reloadHeld();
    await message(panel).focus();
    const keys = await page.context().newCDPSession(page);
    await keys.send("Input.imeSetComposition", { text: "ni", selectionStart: 2, selectionEnd: 2 });
    await panel.post(f.snapshot(f.chat("T", []), f.panelState(), "kept "));
    scriptMayCome();
    await panel.loaded();
    await panel.drawn();
    assert.equal(await page.locator(".Chat").getAttribute("aria-busy"), "true");
    await keys.send("Input.imeSetComposition", { text: "nih", selectionStart: 3, selectionEnd: 3 });
    await keys.send("Input.insertText", { text: "你好" });
    await taken(panel);
    assert.equal(await message(panel).inputValue(), "kept 你好");
    // Not for reuse: the session of the keys belongs to it.
    await page.close();
  });

  it("sends at once after Enter, unless the user has gone on typing", async () => {
    const sends = await firstPage();
    await message(sends.panel).pressSequentially("Fix it\n");
    await sends.goesOn(f.snapshot(f.chat("T", [])));
    assert.deepEqual(await promptsOf(sends.panel), ["Fix it"]);
    assert.equal(await message(sends.panel).inputValue(), "");

    const goesOn = await firstPage();
    await message(goesOn.panel).pressSequentially("Fix it\nsoon");
    await goesOn.goesOn(f.snapshot(f.chat("T", [])));
    assert.deepEqual(await promptsOf(goesOn.panel), []);
    assert.equal(await message(goesOn.panel).inputValue(), "Fix it\nsoon");
  });

  it("answers no question that was not in sight", async () => {
    const { panel, goesOn } = await firstPage();
    await message(panel).pressSequentially("yes\n");
    await goesOn(f.snapshot(asking));
    await panel.page.getByRole("alertdialog").waitFor();
    assert.deepEqual(await panel.sentOf("answer"), []);
    assert.deepEqual(await promptsOf(panel), []);
  });

  it("is taken over once, also if it is painted late", async () => {
    const panel = await (await panelBrowser()).open();
    const { page } = panel;
    await page.addInitScript(() => {
      const later = window.requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (callback) => {
        window.requestAnimationFrame = later;
        // Longer than the page waits for it. What the callback starts has run when `painted` is set.
        return window.setTimeout(() => {
          callback(performance.now());
          setTimeout(() => Object.assign(window, { painted: true }));
        }, 400);
      };
    });
    await page.reload();
    await page.waitForFunction(() => "painted" in window);
    await panel.loaded();
    await panel.post(f.snapshot(f.chat("T", [f.asked])));
    await taken(panel);
    assert.equal(await page.locator('script[src$="panel.js"]').count(), 1);
    assert.equal(await page.locator(".Chat").count(), 1);
    // Not for reuse: it would be painted late there, too.
    await page.close();
  });

  it("says why the host cannot start, tries it again, and keeps what is typed", async () => {
    const first = await firstPage();
    const { panel } = first;
    await message(panel).pressSequentially("Fix it");
    const fails = (why: string) =>
      panel.page.evaluate((why) => postMessage({ type: "start-failure", message: `It failed: ${why}` }, "*"), why);
    const alert = panel.page.getByRole("alert");
    await fails("the first reason");
    await alert.getByText("It failed: the first reason").waitFor();
    await fails("another reason");
    await alert.getByText("It failed: another reason").waitFor();
    assert.equal(await alert.count(), 1);
    await alert.getByRole("button", { name: "Try again" }).click();
    const asked = () => panel.page.evaluate(() => window.sent.map(({ type }) => String(type)));
    assert.deepEqual(
      (await asked()).filter((type) => type === "start-again"),
      ["start-again"],
    );
    await first.goesOn(f.snapshot(f.chat("T", [])));
    assert.equal(await alert.count(), 0);
    assert.equal(await message(panel).inputValue(), "Fix it");
  });

  for (const [name, chat] of Object.entries({ idle: f.chat("Done", [f.asked]), running, asking })) {
    it(`moves nothing when the panel comes: ${name}`, async () => {
      for (const [width, height] of [
        [600, 820],
        [320, 480],
        [240, 330],
      ] as const) {
        const { panel, goesOn } = await firstPage(chat, { width, height });
        const before = await panel.page.evaluate(places);
        await goesOn(f.snapshot(chat));
        assert.deepEqual(await panel.page.evaluate(places), before, `${width} × ${height}`);
      }
    });
  }
});

/** Returns a panel whose script has not come yet, after one that has shown `before`, and what lets it come. */
async function firstPage(
  before?: Chat,
  look = {},
): Promise<{ panel: PanelPage; goesOn: (snapshot: Unnumbered) => Promise<void> }> {
  const panel = await (await panelBrowser()).open(look);
  if (before) await panel.post(f.snapshot(before));
  const scriptMayCome = await panel.reloadHeld();
  return {
    panel,
    async goesOn(snapshot) {
      await panel.post(snapshot);
      scriptMayCome();
      await taken(panel);
      assert.deepEqual(panel.errors, []);
      panel.close();
    },
  };
}

/** Waits until the panel has taken the first page over. */
const taken = (panel: PanelPage) => panel.page.locator('.Chat[aria-busy="false"]').waitFor();

const promptsOf = async (panel: PanelPage) => (await panel.sentOf("prompt")).map(({ text }) => text);

/** Runs in the page: where the title, the text box and what is around it are, and how they look. */
function places() {
  return ["h1", ".Foot", "textarea"].map((name) => {
    const element = document.querySelector(name) ?? document.body;
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const { color, fontSize, padding } = getComputedStyle(element);
    const look = { name, left, bottom, color, fontSize, padding };
    return name === "textarea" ? { ...look, right, top } : look;
  });
}
