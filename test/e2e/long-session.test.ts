/** A session of 3,000 steps, opened from the list in the real VS Code: its end is seen, and all the rest is reached. */
import assert from "node:assert/strict";
import type { Frame, Locator } from "playwright-core";
import { addLongSession } from "../long-record.ts";
import { lastWords, longest } from "../panel/long-session.ts";
import { until } from "../timing.ts";
import { message, openSession, said } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

/** Far fewer than a session of any length has. */
const mostElements = 1500;
const firstWords = "Task number 0:";

describe("a long session", () => {
  let window: Window;
  let panel: Frame;
  let log: Locator;
  before(async () => {
    window = await openWindow();
    panel = await window.panel();
    log = panel.getByRole("log", { name: "Conversation" });
    await addLongSession(window.dataDir, "long", longest);
    await openSession(panel, "long");
  });
  after(() => window?.close());

  /** Whether the focused element, or the current match, is in view. */
  const isInView = (what: "focus" | "match") =>
    log.evaluate((element, wanted) => {
      const [match] = CSS.highlights.get("find-current") ?? [];
      const one = wanted === "focus" ? document.activeElement : match instanceof Range ? match : null;
      const box = one?.getBoundingClientRect();
      const { top, bottom } = element.getBoundingClientRect();
      return box !== undefined && box.bottom > top && box.top < bottom;
    }, what);

  it("U11 opens at its last message, with few elements", async () => {
    await said(panel, lastWords);
    assert.ok((await log.locator("*").count()) < mostElements);
  });

  it("U11 finds a word of the first turn by Ctrl+F, also with an editor that VS Code would search", async () => {
    await window.open("src/cart.js");
    await message(panel).focus();
    await window.page.keyboard.press("Control+F");
    const field = panel.getByRole("textbox", { name: "Find in conversation" });
    await field.fill("task number 0:");
    await panel.getByRole("search").getByText("1 of 1", { exact: true }).waitFor();
    assert.ok(await isInView("match"));
    assert.equal(await window.page.locator(".find-widget.visible").count(), 0);
    await field.press("Escape");
    assert.equal(await panel.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Message");
    await said(panel, firstWords);
    assert.ok((await log.locator("*").count()) < mostElements);
  });

  it("U11 opens find as a command", async () => {
    await window.command("Rondo: Find in Conversation");
    const field = panel.getByRole("textbox", { name: "Find in conversation" });
    await field.waitFor();
    await field.press("Escape");
    await field.waitFor({ state: "detached" });
  });

  it("U11 copies all of it by Ctrl+A", async () => {
    await log.focus();
    await window.page.keyboard.press("Control+A");
    await window.page.keyboard.press("Control+C");
    let text = "";
    await until(async () => {
      text = await window.page.evaluate(() => navigator.clipboard.readText());
      return text.includes(firstWords);
    });
    assert.ok(text.trimEnd().endsWith(lastWords), `${text.length} characters`);
  });

  it("U11 goes to its first message by Home", async () => {
    await log.focus();
    await window.page.keyboard.press("End");
    await said(panel, lastWords);
    await window.page.keyboard.press("Home");
    await panel.waitForFunction((words) => document.activeElement?.textContent?.includes(words), firstWords);
    assert.ok(await isInView("focus"));
  });

  it("logs no error of Rondo's to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
