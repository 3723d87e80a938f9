/** When a message is sent that is written while Rondo works: keys, menu, and what each waiting message says. */
import assert from "node:assert/strict";
import { boxes, button, events, focused, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

const busy = { type: "busy", since: Date.now() } as const;
const idle = { type: "idle" } as const;

const working = () => panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy })));

/** What was sent, as "words when". */
async function sent(panel: PanelPage): Promise<string[]> {
  return (await panel.sentOf("prompt")).map(({ text, when }) => `${text} ${when}`);
}

describe("sending while Rondo works", () => {
  it("Q2 Enter sends at the next step, Alt+Enter after the turn, Ctrl+Shift+Enter stops and sends", async () => {
    const panel = await working();
    for (const [text, key] of [
      ["one", "Enter"],
      ["two", "Alt+Enter"],
      ["three", "Control+Shift+Enter"],
    ] as const) {
      await message(panel).fill(text);
      await message(panel).press(key);
      assert.equal(await message(panel).inputValue(), "", key);
    }
    await message(panel).fill("four");
    await message(panel).press("Shift+Enter");
    assert.deepEqual(await sent(panel), ["one next-step", "two after-turn", "three now"]);
    assert.equal(await message(panel).inputValue(), "four\n", "Shift+Enter still breaks the line");
    assert.deepEqual(await panel.sentOf("stop"), [], "the host ends the turn with the message");
  });

  it("Q2 a menu beside Send offers the three with their keys, and gives the focus back to the field", async () => {
    const panel = await working();
    assert.equal(await button(panel, "When to send").count(), 0, "nothing is written yet");
    const menu = panel.page.getByRole("menu", { name: "When to send" });
    for (const [name, when] of [
      ["Send at the next step Enter", "next-step"],
      ["Send after this turn Alt+Enter", "after-turn"],
      ["Stop and send now Ctrl+Shift+Enter", "now"],
    ] as const) {
      await message(panel).fill(when);
      await button(panel, "When to send").click();
      assert.equal(await menu.getByRole("menuitem").count(), 3);
      await menu.getByRole("menuitem", { name, exact: true }).click();
      assert.equal(await menu.count(), 0);
      assert.equal(await focused(panel), "Message");
    }
    assert.deepEqual(await sent(panel), ["next-step next-step", "after-turn after-turn", "now now"]);
  });

  it("Q2 the menu is used by keyboard alone, and Escape in it stops nothing", async () => {
    const panel = await working();
    await message(panel).fill("later");
    await button(panel, "When to send").focus();
    await panel.page.keyboard.press("Enter");
    await panel.page.keyboard.press("Escape");
    assert.equal(await panel.page.getByRole("menu").count(), 0);
    assert.equal(await focused(panel), "When to send");
    await panel.page.keyboard.press("Enter");
    await panel.page.keyboard.press("ArrowDown");
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await sent(panel), ["later after-turn"]);
    assert.deepEqual(await panel.sentOf("stop"), []);
  });

  it("Q2 the menu goes with the turn", async () => {
    const panel = await working();
    await message(panel).fill("something");
    assert.equal(await button(panel, "When to send").count(), 1);
    await panel.post(events({ type: "status", status: idle }));
    assert.equal(await button(panel, "When to send").count(), 0);
  });
});

describe("the queue", () => {
  const queue = [
    f.waiting("q_one", "one"),
    f.waiting("q_two", "two"),
    f.waiting("q_three", "three", "after-turn"),
    f.waiting("q_four", "four", "after-turn"),
  ];
  const waiting = (all = queue) => panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy, queue: all })));
  const row = (panel: PanelPage, at: number) =>
    panel.page.getByRole("list", { name: "Queue" }).getByRole("listitem").nth(at);

  it("Q2 each message says when it is sent, also while no turn runs", async () => {
    const panel = await waiting();
    const times = () => panel.page.getByRole("list", { name: "Queue" }).locator(".time").allInnerTexts();
    assert.deepEqual(await times(), [
      ...["at the next step", "at the next step"],
      ...["after this turn", "after this turn"],
    ]);
    await panel.post(events({ type: "status", status: idle }));
    assert.deepEqual(await times(), [
      ...["with your next message", "with your next message"],
      ...["after your next message", "after your next message"],
    ]);
  });

  it("Q2 the time of a message is changed in place, and keeps the focus", async () => {
    const panel = await waiting();
    const [one, two, three, four] = queue;
    assert.ok(one && two && three && four);
    const name = "at the next step, send after this turn instead";
    await row(panel, 0).getByRole("button", { name, exact: true }).focus();
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.sentOf("set-queued-time"), [
      { type: "set-queued-time", queuedID: "q_one", when: "after-turn" },
    ]);
    await panel.post(events({ type: "queued", queue: [two, { ...one, when: "after-turn" }, three, four] }));
    assert.equal(await focused(panel), "after this turn, send at the next step instead");
    assert.match(await row(panel, 1).innerText(), /one/);
    await panel.page.keyboard.press("Enter");
    assert.deepEqual((await panel.sentOf("set-queued-time")).at(-1), {
      type: "set-queued-time",
      queuedID: "q_one",
      when: "next-step",
    });
  });

  it("Q2 a message moves only among those that are sent at the same time", async () => {
    const panel = await waiting();
    const enabled = async (at: number) => {
      const buttons = row(panel, at).getByRole("button", { name: /^Move/ });
      return await buttons.evaluateAll((all) => all.map((one) => !one.matches(":disabled")));
    };
    const expected = [
      [false, true],
      [true, false],
      [false, true],
      [true, false],
    ];
    for (const [at, upAndDown] of expected.entries()) assert.deepEqual(await enabled(at), upAndDown, `row ${at}`);
    await row(panel, 1).getByRole("button", { name: "Edit" }).focus();
    await panel.page.keyboard.press("Alt+ArrowDown");
    assert.deepEqual(await panel.sentOf("move-queued"), []);
    await panel.page.keyboard.press("Alt+ArrowUp");
    assert.deepEqual(await panel.sentOf("move-queued"), [{ type: "move-queued", queuedID: "q_two", to: 0 }]);
  });

  it("Q2 one message, or all of them, stop the turn and are sent now", async () => {
    const panel = await waiting();
    await row(panel, 2).hover();
    await row(panel, 2).getByRole("button", { name: "Stop and send this now", exact: true }).click();
    assert.deepEqual(await panel.sentOf("send-one-now"), [{ type: "send-one-now", queuedID: "q_three" }]);
    await button(panel, "Stop and send now").click();
    assert.deepEqual(await panel.sentOf("send-queued-now"), [{ type: "send-queued-now" }]);
    await panel.post(events({ type: "status", status: idle }));
    assert.equal(await button(panel, "Send now").count(), 1, "there is nothing to stop");
  });

  it("Q2 the words of a message keep their room beside the time in a narrow panel", async () => {
    const panel = await waiting();
    await panel.resize({ width: 300, height: 820 });
    const words = row(panel, 3).getByText("four", { exact: true });
    assert.ok((await boxes(panel, words))[0].width > 100);
    await row(panel, 3).hover();
    assert.ok(
      await row(panel, 3)
        .getByRole("button", { name: /^after this turn/ })
        .isVisible(),
    );
  });
});
