/** Every state of the panel in German, whose words are the longest: nothing is cut and nothing leaves its place. */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import process from "node:process";
import type { Queued } from "../../src/chat/events.ts";
import { t, useLanguage } from "../../src/l10n/l10n.ts";
import { boxes } from "./browser.ts";
import * as f from "./fixtures.ts";
import { now } from "./fixtures.ts";
import { withEnglishNames } from "./in-language.ts";
import { launch, type PanelBrowser, textsOf } from "./page.ts";
import { states } from "./states.ts";

/** `RONDO_SHOTS=DIR`: writes a picture of each state there; `RONDO_SHOTS_LANGUAGE=zh-cn`: in that language. */
const shots = process.env["RONDO_SHOTS"];
const shown = process.env["RONDO_SHOTS_LANGUAGE"] === "zh-cn" ? "zh-cn" : "de";

describe(`the panel in ${shown === "de" ? "German" : shown}`, () => {
  let browser: PanelBrowser;
  before(async function () {
    this.timeout(240_000);
    useLanguage(shown, await textsOf(shown));
    browser = await launch("tests", shown);
    if (shots) await mkdir(shots, { recursive: true });
  });
  after(async () => {
    useLanguage("en");
    await browser?.close();
  });

  for (const [name, state] of Object.entries(states)) {
    it(`${name} has room for its texts at 320 px`, async () => {
      const panel = await browser.open({ width: 320, height: 720 });
      const { page } = panel;
      await page.clock.setFixedTime(now);
      await panel.post(...state.messages);
      await state.act?.(withEnglishNames(page), panel);
      if (shots) await page.screenshot({ path: `${shots}/${name}.png` });
      const faults = await page.evaluate(misfits);
      assert.deepEqual([...faults, ...panel.errors], []);
      panel.close();
    });
  }

  it("a search that finds nothing says so in the colour of errors", async () => {
    const panel = await browser.open({ width: 400, height: 640 });
    await panel.post(f.snapshot(f.chat("T", [f.asked])));
    await panel.page.keyboard.press("Control+F");
    const bar = panel.page.getByRole("search");
    const colour = (words: string) => bar.getByText(words).evaluate((element) => getComputedStyle(element).color);
    await bar.getByRole("textbox").fill("nirgends");
    const nowhere = await colour(t("No results"));
    await bar.getByRole("textbox").fill("a");
    await bar.getByText(t("{0} of {1}", "1", "").trim()).waitFor();
    assert.notEqual(nowhere, await colour(t("{0} of {1}", "1", "").trim()));
    panel.close();
  });

  it("the menu of send times stands above its button", async () => {
    const state = states["send-menu"];
    assert.ok(state?.act);
    const panel = await browser.open({ width: 600, height: 640 });
    const page = withEnglishNames(panel.page);
    await panel.post(...state.messages);
    await state.act(page, panel);
    const names = { name: "When to send" };
    const [menu, opener] = await boxes(panel, page.getByRole("menu", names), page.getByRole("button", names));
    assert.ok(menu.x > 200 && menu.x + menu.width >= opener.x + opener.width, `the menu is at ${menu.x} px`);
    panel.close();
  });

  it("a queued message that is moved keeps the focus on its button", async () => {
    const panel = await browser.open({ width: 400, height: 640 });
    const [one, two, three, four] = ["one", "two", "three", "four"].map((text) => f.waiting(text, text));
    assert.ok(one && two && three && four);
    const busy = { type: "busy", since: now } as const;
    await panel.post(f.snapshot(f.chat("T", [f.asked], { status: busy, queue: [one, two, three, four] })));
    const page = withEnglishNames(panel.page);
    const move = async (text: string, name: string, queue: Queued[]) => {
      const row = page.getByRole("listitem").filter({ hasText: text });
      const button = row.getByRole("button", { name });
      await button.focus();
      await panel.page.keyboard.press("Enter");
      await panel.post({ type: "events", events: [{ type: "queued", queue }] });
      assert.ok(await button.evaluate((element) => element.matches(":focus")), `${text}: ${name}`);
    };
    await move("one", "Move down", [two, one, three, four]);
    // Another window has moved one, so that now the row itself has to be moved in the page.
    await panel.post({ type: "events", events: [{ type: "queued", queue: [two, three, four, one] }] });
    await move("four", "Move up", [two, four, three, one]);
    panel.close();
  });
});

/** Runs in the page. Returns which texts are cut that should not be, and what leaves its place sideways. */
function misfits(): string[] {
  const faults: string[] = [];
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over > 0) faults.push(`the panel is ${over} px wider than its view`);
  const said = (element: Element) =>
    `<${element.tagName.toLowerCase()} class="${element.className}"> ${element.textContent?.trim().slice(0, 60)}`;
  for (const element of document.body.querySelectorAll<HTMLElement>("*")) {
    // Tabs are as narrow as their number wants.
    if (
      element.closest(".Tab") ||
      !element.checkVisibility({ visibilityProperty: true }) ||
      element.closest(".sr, svg, script, style")
    )
      continue;
    const { overflowX, textOverflow } = getComputedStyle(element);
    const isScroller = overflowX === "auto" || overflowX === "scroll";
    if (element.clientWidth > 1 && !isScroller && overflowX !== "visible" && textOverflow !== "ellipsis") {
      if (element.scrollWidth > element.clientWidth + 1) faults.push(`cut: ${said(element)}`);
    }
    // A name may be cut, an action must not.
    const isAction = element.tagName === "BUTTON" && element.matches(".Button, .Link");
    if (isAction && element.scrollWidth > element.clientWidth + 1) faults.push(`too narrow: ${said(element)}`);
    const isText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim());
    if (!isText) continue;
    // Elements within a line have no width of their own.
    const spills = element.clientWidth > 1 && overflowX === "visible" && element.scrollWidth > element.clientWidth + 1;
    if (spills) faults.push(`spills: ${said(element)}`);
    const { left, right } = element.getBoundingClientRect();
    for (let outer = element.parentElement; outer && outer !== document.body; outer = outer.parentElement) {
      const { overflowX: clips, textOverflow: ends } = getComputedStyle(outer);
      if (clips === "auto" || clips === "scroll" || ends === "ellipsis") break;
      const box = outer.getBoundingClientRect();
      if (box.width > 1 && clips !== "visible" && (right > box.right + 1 || left < box.left - 1)) {
        faults.push(`leaves ${outer.className}: ${said(element)}`);
        break;
      }
    }
  }
  return faults;
}
