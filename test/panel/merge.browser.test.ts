/** The card that asks before a worktree is merged: what it shows, and its keys. */
import assert from "node:assert/strict";
import type { MergeView } from "../../src/chat/session-views.ts";
import { button, focused, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

const state = f.panelState({ worktree: f.worktree });

async function asked(change: Partial<MergeView> = {}): Promise<PanelPage> {
  const panel = await panelWith(f.snapshot(f.chat("Add gift cards", [f.asked]), state));
  await panel.post({ type: "merge-preview", merge: f.merge(change) });
  await card(panel).waitFor();
  return panel;
}
const card = (panel: PanelPage) => panel.page.getByRole("alertdialog");
const sent = async (panel: PanelPage) =>
  (await panel.sent()).filter(({ type }) => type === "merge" || type === "worktree");

describe("the card of a merge", () => {
  it("W4 takes the focus; Ctrl+Enter merges as chosen, and the focus goes to the message box", async () => {
    const panel = await asked();
    assert.equal(await focused(panel), "alertdialog");
    for (let tabs = 0; (await focused(panel)) !== "INPUT"; tabs++) {
      assert.ok(tabs < 5, "Tab reaches the first option");
      await panel.page.keyboard.press("Tab");
    }
    await panel.page.keyboard.press("Space");
    await panel.page.keyboard.press("Tab");
    await panel.page.keyboard.press("Space");
    await panel.page.keyboard.press("Control+Enter");
    await card(panel).waitFor({ state: "detached" });
    assert.deepEqual(await sent(panel), [{ type: "merge", id: "ses_1", solve: false, remove: false }]);
    assert.equal(await message(panel).evaluate((field) => field === document.activeElement), true);
  });

  it("W4 Enter on a button presses that button alone, and Escape merges nothing", async () => {
    const panel = await asked();
    await button(panel, "Compare").focus();
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await sent(panel), [{ type: "worktree", id: "ses_1", action: "compare" }]);
    await panel.page.keyboard.press("Escape");
    await card(panel).waitFor({ state: "detached" });
    assert.equal((await sent(panel)).length, 1);
    assert.equal(await message(panel).evaluate((field) => field === document.activeElement), true);
  });

  it("W4 what is in the way is named, and then Ctrl+Enter merges nothing", async () => {
    const panel = await asked({ conflicts: [], blocked: ["src/cart.ts"] });
    await card(panel).getByText("Your uncommitted src/cart.ts is in the way. Commit or stash first.").waitFor();
    assert.equal(await button(panel, "Merge").getAttribute("aria-disabled"), "true");
    await panel.page.keyboard.press("Control+Enter");
    await button(panel, "Merge").click({ force: true });
    assert.ok(await card(panel).isVisible());
    assert.deepEqual(await sent(panel), []);
  });

  it("W4 names the other model's work, which is thrown away unless that is not wanted", async () => {
    const rival = { branch: "rondo/gift-cards-2", title: "Add gift cards · Claude Haiku 4.5" };
    const panel = await asked({ conflicts: [], rival });
    const line = card(panel).getByRole("listitem").filter({ hasText: "is thrown away" });
    assert.match(await line.innerText(), /Claude Haiku 4\.5, rondo\/gift-cards-2/);
    await panel.page.getByLabel("Remove both worktrees after it").uncheck();
    await line.waitFor({ state: "detached" });
  });
});
