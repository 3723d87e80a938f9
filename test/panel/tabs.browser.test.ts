/** Tabs of several sessions in a real browser. */
import assert from "node:assert/strict";
import { button, focused, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

const tab = (panel: PanelPage, name: string) => panel.page.getByRole("tab", { name, exact: true });

async function tabbed(): Promise<PanelPage> {
  return await panelWith(f.snapshot(f.chat("Fix the rounding", [f.asked]), f.panelState({ tabs: f.tabs() })));
}

describe("tabs of sessions", () => {
  it("W2 stand in the title's place from two sessions on, each named with its state", async () => {
    const panel = await panelWith(f.snapshot(f.chat("Alone", [f.asked]), f.panelState({ tabs: f.tabs().slice(0, 1) })));
    assert.equal(await panel.page.getByRole("tablist").count(), 0);
    assert.ok(await panel.page.getByRole("heading", { name: "Alone" }).isVisible());
    await panel.post({ type: "state", state: f.panelState({ tabs: f.tabs() }) });
    const tabs = panel.page.getByRole("tablist", { name: "Open sessions" }).getByRole("tab");
    await tabs.first().waitFor();
    assert.deepEqual(await tabs.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))), [
      "Fix the rounding in cart totals",
      "Clean up the build, waits for you",
      "Move the totals to cents, running",
      "Add gift cards, done",
    ]);
    assert.equal(await tabs.first().getAttribute("aria-selected"), "true");
  });

  it("W2 arrows move the focus and Enter shows the session", async () => {
    const panel = await tabbed();
    await tab(panel, "Fix the rounding in cart totals").focus();
    await panel.page.keyboard.press("ArrowRight");
    assert.equal(await focused(panel), "Clean up the build, waits for you");
    assert.deepEqual(await panel.sentOf("open-session"), []);
    await panel.page.keyboard.press("ArrowLeft");
    await panel.page.keyboard.press("ArrowLeft");
    assert.equal(await focused(panel), "Add gift cards, done");
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.sentOf("open-session"), [{ type: "open-session", id: "ses_done" }]);
  });

  it("W2 Delete closes a tab, but not that of a session that runs or waits", async () => {
    const panel = await tabbed();
    await tab(panel, "Fix the rounding in cart totals").focus();
    for (const _ of [1, 2, 3, 4]) {
      await panel.page.keyboard.press("Delete");
      await panel.page.keyboard.press("ArrowRight");
    }
    assert.deepEqual(await panel.sentOf("close-tab"), [
      { type: "close-tab", id: "ses_1" },
      { type: "close-tab", id: "ses_done" },
    ]);
  });

  it("W2 shows glyphs only for the others in a narrow panel", async () => {
    const panel = await tabbed();
    for (const [width, isShown] of [
      [480, true],
      [320, false],
    ] as const) {
      await panel.resize({ width, height: 600 });
      assert.equal(await panel.page.getByText("Clean up the build").isVisible(), isShown, `${width}`);
      assert.ok(await panel.page.getByText("Fix the rounding in cart totals").isVisible());
    }
  });

  it("W2 each has its own draft: what was written in one stays there", async () => {
    const panel = await tabbed();
    const field = panel.page.getByRole("textbox", { name: "Message" });
    await field.fill("for the first");
    await tab(panel, "Clean up the build, waits for you").click();
    const sent = (await panel.sent()).filter(({ type }) => type === "draft" || type === "open-session");
    assert.deepEqual(sent, [
      { type: "draft", sessionID: "ses_1", text: "for the first" },
      { type: "open-session", id: "ses_asks" },
    ]);
    const other = f.chat("Clean up the build", [f.asked]);
    other.session.id = "ses_asks";
    await panel.post(f.snapshot(other, f.panelState({ tabs: f.tabs() }), "for the second"));
    await panel.page.waitForFunction(() => document.querySelector("textarea")?.value === "for the second");
    await panel.post(f.snapshot(f.chat("Fix the rounding", [f.asked]), f.panelState(), ""));
    await panel.page.waitForFunction(() => document.querySelector("textarea")?.value === "");
    assert.ok(await button(panel, "Sessions").isVisible());
  });
});
