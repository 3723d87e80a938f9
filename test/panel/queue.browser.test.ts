/** Messages that wait in the queue, as shown and changed in the panel. */
import assert from "node:assert/strict";
import { events, focused, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

const busy = { type: "busy", since: Date.now() } as const;

describe("the queue", () => {
  const queue = ["one", "two", "three"].map((text) => f.waiting(`q_${text}`, text));
  const waiting = () => panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy, queue })));
  const rows = (panel: PanelPage) => panel.page.getByRole("list", { name: "Queue" }).getByRole("listitem");

  it("Q2 is edited in place", async () => {
    const panel = await waiting();
    await rows(panel).nth(1).hover();
    await rows(panel).nth(1).getByRole("button", { name: "Edit" }).click();
    const field = panel.page.getByRole("textbox", { name: "Waiting message 2" });
    assert.equal(await field.inputValue(), "two");
    await field.fill("two, but better");
    await field.press("Enter");
    assert.deepEqual(await panel.sentOf("edit-queued"), [
      { type: "edit-queued", queuedID: "q_two", text: "two, but better", agents: [] },
    ]);
    assert.equal(await focused(panel), "Message");
    await message(panel).press("ArrowUp");
    const last = panel.page.getByRole("textbox", { name: "Waiting message 3" });
    await last.fill("something else");
    await last.press("Escape");
    assert.equal((await panel.sentOf("edit-queued")).length, 1);
    assert.deepEqual(await panel.sentOf("stop"), [], "Escape left the field only");
  });

  it("Q2 is reordered by buttons and keys, and keeps the focus", async () => {
    const panel = await waiting();
    assert.ok(await rows(panel).nth(0).getByRole("button", { name: "Move up" }).isDisabled());
    await rows(panel).nth(2).getByRole("button", { name: "Move up" }).focus();
    await panel.page.keyboard.press("Enter");
    const [one, two, three] = queue;
    assert.ok(one && two && three);
    await panel.post(events({ type: "queued", queue: [one, three, two] }));
    assert.equal(await focused(panel), "Move up");
    await panel.page.keyboard.press("Alt+ArrowUp");
    await panel.post(events({ type: "queued", queue: [three, one, two] }));
    assert.equal(await focused(panel), "Move down", "there is no way further up");
    await panel.page.keyboard.press("Alt+ArrowUp");
    await panel.page.keyboard.press("Alt+ArrowDown");
    assert.deepEqual(await panel.sentOf("move-queued"), [
      { type: "move-queued", queuedID: "q_three", to: 1 },
      { type: "move-queued", queuedID: "q_three", to: 0 },
      { type: "move-queued", queuedID: "q_three", to: 1 },
    ]);
  });

  it("Q2 returns a message until it is sent, and loses no text if it was sent meanwhile", async () => {
    const panel = await waiting();
    await rows(panel).nth(0).hover();
    await rows(panel).nth(0).getByRole("button", { name: "Withdraw" }).click();
    assert.deepEqual(await panel.sentOf("withdraw"), [{ type: "withdraw", queuedID: "q_one" }]);
    await rows(panel).nth(1).getByRole("button", { name: "Edit" }).click();
    await panel.page.getByRole("textbox", { name: "Waiting message 2" }).fill("two, half writ");
    await panel.post(events({ type: "queued", queue: [] }));
    assert.equal(await message(panel).inputValue(), "two, half writ");
  });
});
