/** What finds elements by their names finds them in other languages, too. */
import assert from "node:assert/strict";
import { events, focused } from "./browser.ts";
import * as f from "./fixtures.ts";
import { launch, type PanelBrowser } from "./page.ts";

describe("the queue in German", () => {
  let browser: PanelBrowser;
  before(async () => {
    browser = await launch("tests", "de");
  });
  after(() => browser?.close());

  it("Q2 keeps the focus on the button that moves a message", async () => {
    const panel = await browser.open();
    const [one, two, three, four] = ["one", "two", "three", "four"].map((text) => f.waiting(`q_${text}`, text));
    assert.ok(one && two && three && four);
    const busy = { type: "busy", since: f.now } as const;
    await panel.post(f.snapshot(f.chat("T", [f.asked], { status: busy, queue: [one, two, three, four] })));
    const rows = panel.page.getByRole("list", { name: "Warteschlange" }).getByRole("listitem");
    const down = (at: number) => rows.nth(at).getByRole("button", { name: "Nach unten" });
    await down(0).focus();
    await panel.page.keyboard.press("Enter");
    await panel.post(events({ type: "queued", queue: [two, one, three, four] }));
    assert.equal(await focused(panel), "Nach unten");
    // To the other end, so that the row itself has to be moved in the page.
    await panel.post(events({ type: "queued", queue: [two, three, four, one] }));
    await rows.nth(2).getByRole("button", { name: "Nach oben" }).focus();
    await panel.page.keyboard.press("Enter");
    await panel.post(events({ type: "queued", queue: [two, four, three, one] }));
    assert.equal(await focused(panel), "Nach oben");
    assert.ok(await rows.nth(1).evaluate((row) => row.contains(document.activeElement)));
    panel.close();
  });
});
