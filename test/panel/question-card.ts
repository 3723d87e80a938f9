/** Panels with an open question, and the elements of its card. */
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
