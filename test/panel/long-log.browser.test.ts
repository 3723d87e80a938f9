/** The log of a long session: what is near the view is in the page, and all the rest is still reached. */
import assert from "node:assert/strict";
import { tailStart } from "../../src/chat/chat-slices.ts";
import { until } from "../timing.ts";
import { events, focused, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { below, copied, drawn, elements, log, sendEarlier, withTail } from "./long-log.ts";
import { lastWords, longChat, longest } from "./long-session.ts";
import type { PanelPage } from "./page.ts";

/** 300 steps. */
const length = { turns: 6, steps: 50, outputCharacters: 400 };
const groups = 2 * length.turns;
const firstWords = "Task number 0:";
/** The space below the last row. */
const paddingPx = 40;
/** Far fewer than a session of any length has. */
const mostElements = 1500;

/** Scrolls as the wheel does, but to any place. */
async function scrollTo(panel: PanelPage, share: number): Promise<void> {
  await log(panel).evaluate((element, part) => {
    element.scrollTop = part * (element.scrollHeight - element.clientHeight);
  }, share);
  await drawn(panel);
}

/** Returns how much of the view has no row, in px. */
function empty(panel: PanelPage): Promise<number> {
  return log(panel).evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    let covered = 0;
    for (const row of element.querySelectorAll("[data-row]")) {
      const box = row.getBoundingClientRect();
      covered += Math.max(0, Math.min(box.bottom, bottom) - Math.max(box.top, top));
    }
    return bottom - top - covered;
  });
}

/** The message that has the focus, or that the focus is in. */
const place = (panel: PanelPage) =>
  panel.page.evaluate(() => Number(document.activeElement?.closest("[aria-posinset]")?.getAttribute("aria-posinset")));

describe("the log of a long session", () => {
  it("U11 opens at the last message, with few elements however long it is, and shows rows wherever it is scrolled to", async () => {
    const chat = longChat(longest);
    const panel = await withTail(chat);
    await log(panel).getByText(lastWords).waitFor();
    assert.ok((await below(panel)) < 2);
    assert.ok((await elements(panel)) < mostElements, "at the end");
    await sendEarlier(panel, chat);
    await drawn(panel);
    assert.ok((await below(panel)) < 2, "the rest comes without a move");
    assert.ok((await elements(panel)) < mostElements, "with all 3,000 steps");
    await scrollTo(panel, 0.5);
    assert.ok((await empty(panel)) < paddingPx);
    assert.ok((await elements(panel)) < mostElements, "in the middle");
  });

  it("U11 has few elements and no hole in the view at any place", async () => {
    const panel = await panelWith(f.snapshot(longChat(length)));
    for (const share of [1, 0.93, 0.5, 0.07, 0, 0.31, 1]) {
      await scrollTo(panel, share);
      assert.ok((await elements(panel)) < mostElements, `${share}`);
      assert.ok((await empty(panel)) < paddingPx, `at ${share} ${await empty(panel)} px are empty`);
    }
  });

  it("U11 goes to the first message by Home and to the last by End, with the messages that the host still had", async () => {
    const chat = longChat(length);
    const panel = await withTail(chat);
    await log(panel).focus();
    await panel.page.keyboard.press("Home");
    await sendEarlier(panel, chat);
    await log(panel).getByText(firstWords).waitFor();
    await panel.page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "You");
    assert.equal(await log(panel).evaluate((element) => element.scrollTop), 0);
    assert.equal(await place(panel), 1);
    await panel.page.keyboard.press("End");
    await log(panel).getByText(lastWords).waitFor();
    await drawn(panel);
    assert.equal(await place(panel), groups);
    assert.ok((await below(panel)) < 2);
    // The last line, which had the focus, leaves the page meanwhile.
    await panel.page.keyboard.press("Home");
    await panel.page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "You");
    await until(() => log(panel).evaluate((element) => element.scrollTop === 0));
  });

  it("U11 goes by Alt and arrows between the user's messages, from the message box, with those that the host still had", async () => {
    const chat = longChat(length);
    const panel = await withTail(chat);
    const { keyboard } = panel.page;
    const isAt = (task: number) =>
      panel.page.waitForFunction((words) => {
        const box = document.activeElement?.getBoundingClientRect();
        const view = document.querySelector("[role=log]")?.getBoundingClientRect();
        const isSeen = box && view && box.top >= view.top - 1 && box.top < view.bottom;
        return isSeen && document.activeElement?.textContent?.includes(words);
      }, `Task number ${task}:`);
    await message(panel).focus();
    await keyboard.press("Alt+ArrowUp");
    await sendEarlier(panel, chat);
    await isAt(5);
    for (const task of [4, 3, 2, 1, 0]) {
      await keyboard.press("Alt+ArrowUp");
      await isAt(task);
    }
    await keyboard.press("Alt+ArrowUp");
    await drawn(panel);
    await isAt(0);
    for (const task of [1, 2, 3, 4, 5]) {
      await keyboard.press("Alt+ArrowDown");
      await isAt(task);
    }
    await keyboard.press("Alt+ArrowDown");
    await drawn(panel);
    assert.equal(await focused(panel), "Message");
    assert.ok((await below(panel)) < 2);
  });

  it("U11 tells screen readers the place of each message among all, and that their number is not known yet", async () => {
    const chat = longChat(length);
    const panel = await withTail(chat);
    const last = log(panel).getByRole("article", { name: "Rondo" }).last();
    assert.equal(await last.getAttribute("aria-setsize"), "-1");
    await log(panel).focus();
    await panel.page.keyboard.press("Home");
    await sendEarlier(panel, chat);
    await drawn(panel);
    for (const share of [0, 0.4, 1]) {
      await scrollTo(panel, share);
      const places = await log(panel)
        .locator("[aria-posinset]")
        .evaluateAll((all) => all.map((one) => [one.getAttribute("aria-posinset"), one.getAttribute("aria-setsize")]));
      const numbers = places.map(([at]) => Number(at));
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
        "in order",
      );
      assert.ok(places.every(([, size]) => size === `${groups}`));
      if (share === 1) assert.equal(numbers.at(-1), groups);
    }
  });

  it("U11 moves the focus by arrows from row to row, over what is not in the page, and keeps what has it", async () => {
    const panel = await panelWith(f.snapshot(longChat(length)));
    await log(panel).focus();
    await panel.page.keyboard.press("Home");
    await panel.page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "You");
    const places: number[] = [];
    for (let at = 0; at < 150 && places.at(-1) !== 3; at++) {
      await panel.page.keyboard.press("ArrowDown");
      await drawn(panel);
      places.push(await place(panel));
    }
    assert.deepEqual([...new Set(places)], [2, 3], "no message is left out");
    assert.ok(places.length > 20, "nor are its lines");
    await scrollTo(panel, 1);
    assert.equal(await place(panel), 3, "the focus stays where it is, far away");
    await panel.page.keyboard.press("ArrowUp");
    await drawn(panel);
    assert.equal(await place(panel), 2, "and goes on from there");
    assert.equal(
      await panel.page.evaluate(() => {
        const { top, bottom } = document.querySelector("[role=log]")?.getBoundingClientRect() ?? new DOMRect();
        const box = document.activeElement?.getBoundingClientRect() ?? new DOMRect();
        return box.bottom > top && box.top < bottom;
      }),
      true,
      "in sight",
    );
  });

  it("U11 copies all of it by Ctrl+A, with what is not in the page, and has the rest sent for it", async () => {
    const chat = longChat(length);
    const panel = await withTail(chat);
    await log(panel).focus();
    await panel.page.keyboard.press("Control+A");
    await sendEarlier(panel, chat);
    await drawn(panel);
    const text = await copied(panel);
    assert.ok(text.includes(firstWords) && text.trimEnd().endsWith(lastWords), `${text.length} characters`);
    for (let turn = 0; turn < length.turns; turn++) {
      assert.equal(text.split(`Task number ${turn}:`).length, 2, `task ${turn} once`);
    }
    assert.ok((await elements(panel)) < mostElements);
  });

  it("U11 keeps a selection whose ends are scrolled away, and copies what lies between them", async () => {
    const panel = await panelWith(f.snapshot(longChat(length)));
    await log(panel).focus();
    await panel.page.keyboard.press("Home");
    await log(panel).getByText(firstWords).waitFor();
    const first = log(panel).getByText(firstWords);
    await first.evaluate((element) => getSelection()?.selectAllChildren(element));
    await drawn(panel);
    await scrollTo(panel, 0.5);
    await scrollTo(panel, 1);
    await log(panel)
      .getByText(lastWords)
      .evaluate((element) => getSelection()?.extend(element, element.childNodes.length));
    await drawn(panel);
    const text = await copied(panel);
    assert.ok(text.startsWith(firstWords) && text.endsWith(lastWords));
    assert.ok(text.includes("Task number 3:"), "what is not in the page");
  });

  it("U11 stays at its end when it is resized in the moment in which it grows", async () => {
    const reply = f.rondo([f.saying(f.answer)]);
    const chat = longChat(length, { status: { type: "busy", since: f.now } });
    const panel = await panelWith(f.snapshot({ ...chat, messages: [...chat.messages, reply] }));
    const [part] = reply.parts;
    assert.ok(part);
    const grow = events({ type: "delta", messageID: part.messageID, partID: part.id, text: f.answer });
    for (const [width, height] of [
      [480, 1400],
      [320, 500],
      [600, 1200],
    ] as const) {
      await panel.resize({ width, height });
      await panel.post(grow);
      await drawn(panel);
      assert.ok((await below(panel)) < 2, `${width} × ${height}: ${await below(panel)} px below`);
    }
  });

  it("U11 is where it was after a reload, also when the host sends that place only later", async () => {
    const chat = longChat(length);
    const panel = await panelWith(f.snapshot(chat));
    await scrollTo(panel, 0.2);
    await panel.page.waitForFunction(() => sessionStorage.getItem("state")?.includes('"scroll"'));
    const seen = () =>
      log(panel).evaluate((element) => {
        const { top } = element.getBoundingClientRect();
        const rows = [...element.querySelectorAll<HTMLElement>("[data-row]")];
        const first = rows.find((row) => row.getBoundingClientRect().bottom > top + 1);
        return [first?.dataset["row"], Math.round((first?.getBoundingClientRect().top ?? 0) - top)];
      });
    const before = await seen();
    await panel.page.reload();
    await panel.dress("dark");
    const missing = tailStart(chat.messages);
    const tail = { ...chat, messages: chat.messages.slice(missing) };
    await panel.post({ type: "snapshot", chat: tail, missing, state: f.panelState(), draft: "" });
    await sendEarlier(panel, chat);
    await drawn(panel);
    assert.deepEqual(await seen(), before);
  });
});
