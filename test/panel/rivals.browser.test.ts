/** Two models with the same task, side by side. */
import assert from "node:assert/strict";
import type { RivalView } from "../../src/chat/session-views.ts";
import { boxes, button, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

const state = f.panelState({ worktree: { ...f.worktree, rival: "ses_rival" } });
const shown = (panel: PanelPage) => panel.page.getByRole("region", { name: "Side by side" });
const column = (panel: PanelPage, model: string) => shown(panel).getByRole("article", { name: model });

async function sideBySide(change: Partial<RivalView> = {}): Promise<PanelPage> {
  const panel = await panelWith(f.snapshot(f.chat("Add gift cards", [f.asked]), state));
  await button(panel, "Show both models side by side").click();
  await shown(panel).getByText("Loading…").waitFor();
  await panel.post({ type: "rivals", rivals: f.rivals(change) });
  await column(panel, "Claude Haiku 4.5").waitFor();
  return panel;
}
const sent = async (panel: PanelPage) =>
  (await panel.sent()).filter(({ type }) => /^(open-session|worktree|compare-rivals)$/.test(type));

describe("two models side by side", () => {
  it("W4 show their answers, files and states beside each other; below each other in a narrow panel", async () => {
    const panel = await sideBySide();
    assert.deepEqual(await panel.sentOf("show-rivals"), [{ type: "show-rivals" }]);
    const left = column(panel, "Claude Sonnet 5");
    const right = column(panel, "Claude Haiku 4.5");
    assert.match(await left.innerText(), /never pays for what is free[\s\S]*src\/gift\.ts[\s\S]*\+84/);
    assert.match(await right.innerText(), /Done[\s\S]*the total is reduced[\s\S]*src\/cart\.ts/);
    for (const [width, isBeside] of [
      [1000, true],
      [600, true],
      [480, false],
      [320, false],
    ] as const) {
      await panel.resize({ width, height: 700 });
      const [one, two] = await boxes(panel, left, right);
      assert.equal(two.x > one.x + one.width / 2, isBeside, `${width}`);
      assert.ok(two.x + two.width <= width, `nothing sticks out at ${width}`);
    }
  });

  it("W4 by keyboard: one is kept, which opens its session and asks; Escape goes back", async () => {
    const panel = await sideBySide();
    await button(panel, "Compare their files").focus();
    await panel.page.keyboard.press("Enter");
    await button(panel, "Keep this one… Claude Haiku 4.5").focus();
    await panel.page.keyboard.press("Enter");
    await message(panel).waitFor();
    assert.deepEqual(await sent(panel), [
      { type: "compare-rivals" },
      { type: "open-session", id: "ses_rival" },
      { type: "worktree", id: "ses_rival", action: "merge" },
    ]);
    assert.equal((await panel.sentOf("hide-rivals")).length, 1);
    await button(panel, "Show both models side by side").click();
    await panel.page.keyboard.press("Escape");
    await shown(panel).waitFor({ state: "detached" });
  });

  it("W4 one that runs or has failed cannot be kept, and says what it does", async () => {
    const panel = await sideBySide({ state: "error", doing: "The model is overloaded.", answer: "", files: [] });
    const failed = column(panel, "Claude Haiku 4.5");
    assert.match(await failed.innerText(), /Failed[\s\S]*The model is overloaded\.[\s\S]*No answer\./);
    assert.equal(await failed.getByRole("button").count(), 1);
    await panel.post({ type: "rivals", rivals: f.rivals({ state: "asks", doing: "Run npm test" }) });
    await button(panel, "Open the session of Claude Haiku 4.5").filter({ hasText: "Answer…" }).waitFor();
    assert.equal(await button(panel, "Keep this one… Claude Haiku 4.5").count(), 0);
    await panel.post({ type: "rivals", rivals: [] });
    await shown(panel).waitFor({ state: "detached" });
  });
});
