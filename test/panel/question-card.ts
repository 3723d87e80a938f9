/** Panels with an open question, and the elements of its card. */
import type { Locator } from "playwright-core";
import type { UserRequest } from "../../src/chat/requests.ts";
import { panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

export const busy = { type: "busy", since: Date.now() } as const;
/** In ms: longer than the card ignores clicks. */
export const guard = 450;
export const card = (panel: PanelPage) => panel.page.getByRole("alertdialog");
export const field = (panel: PanelPage) => panel.page.getByRole("textbox", { name: "Tell Rondo what to do instead" });

/** Returns a card that accepts clicks. */
export async function asked(...requests: UserRequest[]): Promise<PanelPage> {
  const panel = await panelWith(f.snapshot(f.chat("T", [f.asked], { status: busy, requests })));
  await panel.page.waitForTimeout(guard);
  return panel;
}

/** Waits until the panel has sent this many messages of a type: it delays them while the user types. */
export async function untilSent(panel: PanelPage, type: string, times: number): Promise<void> {
  await panel.page.waitForFunction(
    ([type, times]) => window.sent.filter((sent) => sent.type === type).length >= times,
    [type, times] as const,
  );
}

/** Returns the text of each element, with single spaces. */
export async function texts(list: Locator): Promise<string[]> {
  return (await list.allTextContents()).map((text) => text.replace(/\s+/g, " ").trim());
}
