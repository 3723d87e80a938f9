/** What helps everybody to read the panel: directions of writing, colours of the system, no motion, order of headings. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { use } from "./loop-states.ts";
import { states } from "./states.ts";
import { moving, vanishing } from "./system-settings.ts";

const arabic = "المجموع يقرب كل سطر على حدة";
const directionOf = (element: Locator) => element.evaluate((one) => getComputedStyle(one).direction);
/** Returns where the text of an element begins, seen from the middle of its box. */
const sideOf = (element: Locator) =>
  element.evaluate((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    const [text] = range.getClientRects();
    const box = one.getBoundingClientRect();
    if (!text) return "nowhere";
    return box.right - text.right < text.left - box.left ? "right" : "left";
  });

describe("right-to-left text", () => {
  it("stands in its own direction, with code from left to right", async () => {
    const markdown = [
      arabic,
      "",
      "`total()` هي الدالة",
      "",
      `- ${arabic}`,
      "- Rounds once",
      "",
      "```ts",
      "const a = 1;",
      "```",
    ];
    const panel = await panelWith(
      f.snapshot(f.chat(arabic, [f.you(`${arabic}\nin cart.ts`), f.rondo([f.said(markdown.join("\n"))])])),
    );
    const own = panel.page.getByRole("article", { name: "You" }).locator("p");
    const paragraphs = panel.page.getByRole("article", { name: "Rondo" }).locator("p");
    assert.equal(await directionOf(own), "rtl");
    for (const paragraph of [paragraphs.nth(0), paragraphs.nth(1)]) {
      assert.equal(await directionOf(paragraph), "rtl");
      assert.equal(await sideOf(paragraph), "right");
    }
    assert.equal(await directionOf(paragraphs.locator("code")), "ltr");
    const items = panel.page.getByRole("article", { name: "Rondo" }).getByRole("listitem");
    assert.deepEqual([await sideOf(items.nth(0)), await sideOf(items.nth(1))], ["right", "left"]);
    const code = panel.page.locator(".CodeBlock pre");
    assert.deepEqual([await directionOf(code), await sideOf(code)], ["ltr", "left"]);
    assert.equal(await directionOf(panel.page.getByRole("heading", { level: 1 })), "rtl");
  });

  it("is written from the right, and the panel around it stays as it is", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.you(arabic)])));
    const field = panel.page.getByRole("textbox", { name: "Message" });
    assert.equal(await directionOf(field), "ltr");
    await field.fill(arabic);
    assert.equal(await directionOf(field), "rtl");
    assert.equal(await directionOf(panel.page.getByRole("log")), "ltr");
  });

  it("leaves text from left to right alone", async () => {
    const panel = await panelWith(
      f.snapshot(f.chat("T", [f.you("Round once"), f.rondo([f.said("Done: `a` is *b*.")])])),
    );
    for (const name of ["You", "Rondo"]) {
      const paragraph = panel.page.getByRole("article", { name }).locator("p").first();
      assert.deepEqual([await directionOf(paragraph), await sideOf(paragraph)], ["ltr", "left"], name);
    }
  });
});

it("Markdown has tables, crossed-out words and bare addresses", async () => {
  const text = "| Case | After |\n|---|---:|\n| half cents | 905 |\n\n~~old~~ https://example.com/a";
  const panel = await panelWith(f.snapshot(f.chat("T", [f.you("a"), f.rondo([f.said(text)])])));
  const article = panel.page.getByRole("article", { name: "Rondo" });
  await article.getByRole("cell", { name: "905" }).waitFor();
  assert.equal(await article.locator("del").innerText(), "old");
  await article.getByRole("link", { name: "https://example.com/a" }).waitFor();
});

describe("colours of the system", () => {
  it("leave the context's meter and bar filled, and what is chosen or pressed marked", async () => {
    const panel = await panelWith(
      f.snapshot(f.chat("T", [f.asked]), f.panelState({ contextUsed: 0.24, follow: "on" })),
    );
    const { page } = panel;
    await page.emulateMedia({ forcedColors: "active" });
    try {
      const meter = page.getByRole("button", { name: /^Context: / }).locator("i");
      const [track, fill] = await meter.evaluate((one) =>
        [getComputedStyle(one), getComputedStyle(one, "::before")].map((style) => style.backgroundColor),
      );
      assert.notEqual(fill, track);
      const outline = (element: Locator) => element.evaluate((one) => getComputedStyle(one).outlineStyle);
      assert.equal(await outline(page.getByRole("button", { name: "Follow in the editor" })), "solid");
      assert.equal(await outline(page.getByRole("button", { name: "Attach" })), "none");
      await page.getByRole("button", { name: /^Context: / }).click();
      await panel.post({ type: "context", use });
      const colours = await page
        .getByRole("region", { name: "Context" })
        .locator(".Bar > span")
        .evaluateAll((parts) => parts.map((part) => getComputedStyle(part).backgroundColor));
      assert.ok(new Set(colours).size >= 6, colours.join());
    } finally {
      await page.emulateMedia({ forcedColors: null });
    }
  });
});

// The suite `pictures` checks both in every state.
describe("the checks of what the system wants", () => {
  it("see what moves", async () => {
    const { page } = await panelWith(...(states["running"]?.messages ?? []));
    assert.deepEqual(await moving(page), []);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    const all = await moving(page);
    await page.emulateMedia({ reducedMotion: "reduce" });
    assert.ok(all.length > 0);
  });

  it("see what vanishes, and what is no longer told from its like", async () => {
    const { page } = await panelWith(...(states["running"]?.messages ?? []));
    assert.deepEqual(await vanishing(page), []);
    const meter = page.getByRole("button", { name: /^Context: / }).locator("i");
    await meter.evaluate((one) => {
      one.style.cssText = "background: red; outline: none; forced-color-adjust: auto";
    });
    const follow = page.getByRole("button", { name: "Follow in the editor" });
    await follow.evaluate((one) => {
      one.setAttribute("aria-pressed", "true");
      one.style.outline = "none";
    });
    const faults = (await vanishing(page)).join();
    assert.match(faults, /^i\..* vanishes/);
    assert.match(faults, /button\..* looks as if it were not chosen/);
  });
});
