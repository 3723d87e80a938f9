/** The list of earlier messages, which Up opens in the empty message box. */
import type { Entry } from "../../src/chat/apply.ts";
import * as f from "./fixtures.ts";
import type { State } from "./states.ts";

const hour = 3_600_000;

function ago(ms: number, text: string): Entry[] {
  const prompt = f.you(text);
  prompt.info.createdAt = f.now - ms;
  return [prompt, f.rondo([f.said("Done.")], { finish: "stop", completedAt: f.now - ms })];
}

const messages = [
  ...ago(25 * hour, "Split the cart module into lines and totals, keep the exports, and tell me what else uses them"),
  ...ago(hour, "Run the tests and fix what fails.\nLeave the snapshots alone."),
  ...ago(120_000, "Why is the total one cent off?"),
];

/** `keys`: after the one that opens the list. */
const listing = (...keys: string[]): State => ({
  messages: [f.snapshot(f.chat("Fix the rounding in cart totals", messages))],
  async act(page) {
    for (const key of ["ArrowUp", ...keys]) await page.getByRole("textbox", { name: "Message" }).press(key);
  },
});

export const earlierStates: Record<string, State> = {
  "earlier-messages": listing(),
  "earlier-messages-older": listing("ArrowUp"),
};
