/** The log of a long session in the tests' browser, and the host that has the rest of it. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { Chat } from "../../src/chat/apply.ts";
import { sliceBefore, tailStart } from "../../src/chat/chat-slices.ts";
import { panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

export const log = (panel: PanelPage): Locator => panel.page.getByRole("log", { name: "Conversation" });
export const elements = (panel: PanelPage) => log(panel).locator("*").count();
export const below = (panel: PanelPage) =>
  log(panel).evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);

/** Waits until the panel has drawn what came before. */
export const drawn = (panel: PanelPage) =>
  panel.page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  );

/** The newest messages alone are here, as the host sends them. */
export async function withTail(chat: Chat): Promise<PanelPage> {
  const missing = tailStart(chat.messages);
  assert.ok(missing > 0);
  const tail = { ...chat, messages: chat.messages.slice(missing) };
  return await panelWith({ type: "snapshot", chat: tail, missing, state: f.panelState(), draft: "" });
}

/** Answers the panel's requests for earlier messages, as the host does, until all are there. */
export async function sendEarlier(panel: PanelPage, { messages }: Chat): Promise<void> {
  for (let answered = 0; ; answered++) {
    await panel.page.waitForFunction(
      (count) => window.sent.filter(({ type }) => type === "earlier").length > count,
      answered,
    );
    const before = (await panel.sentOf("earlier"))[answered]?.before ?? "";
    const slice = sliceBefore(messages, before);
    assert.ok(slice);
    await panel.post({ type: "earlier", before, ...slice });
    if (slice.missing === 0) return;
  }
}

/** Copies by the page's own event. */
export function copied(panel: PanelPage): Promise<string> {
  return log(panel).evaluate((element) => {
    const clipboardData = new DataTransfer();
    element.dispatchEvent(new ClipboardEvent("copy", { clipboardData, bubbles: true, cancelable: true }));
    return clipboardData.getData("text/plain");
  });
}
