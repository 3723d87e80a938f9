/** States of the field that searches the conversation. */
import type { Page } from "playwright-core";
import * as f from "./fixtures.ts";
import type { State } from "./states.ts";

const found = [f.asked, f.rondo([...f.work, f.testFailed, f.said("Fixed: `cart.ts` rounds **once**, at the end.")])];

const find = (query: string, words: RegExp) => async (page: Page) => {
  await page.keyboard.press("Control+F");
  const field = page.getByRole("textbox", { name: "Find in conversation" });
  await field.fill(query);
  await page.getByRole("search").getByText(words).waitFor();
  await field.press("Shift+Enter");
};

export const findStates: Record<string, State> = {
  "find-matches": {
    messages: [f.snapshot(f.chat("Fix the rounding in cart totals", found))],
    act: find("cart", / of /),
  },
  "find-nothing": {
    messages: [f.snapshot(f.chat("Fix the rounding in cart totals", found))],
    act: find("no such words", /No results/),
  },
  "find-asked": {
    messages: [
      f.snapshot(
        f.chat("Fix the rounding in cart totals", found, {
          status: { type: "busy", since: f.now - 24_000 },
          requests: [f.request()],
        }),
      ),
    ],
    act: find("round", / of /),
  },
};
