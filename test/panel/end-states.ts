/** Turns that have reached a limit: the notice, and the forms that change the limit in its place. */
import type { Page } from "playwright-core";
import * as f from "./fixtures.ts";
import type { Unnumbered } from "./page.ts";
import type { State } from "./states.ts";

export function limited(by: "turn-limit" | "budget" | "time-limit" | "error"): Unnumbered {
  const chat = f.chat("Test refunds", [f.asked, f.rondo(f.work, { finish: "tool-calls" })]);
  const reason = "The turn was stopped after 1 hour, its time limit.";
  return f.snapshot({ ...chat, session: { ...chat.session, terminated: { by, time: 1, reason } } });
}

const change = (page: Page) => page.getByRole("button", { name: "Change the limit" }).click();

export const endStates: Record<string, State> = {
  "ended-replies": { messages: [limited("turn-limit")] },
  "ended-replies-form": { messages: [limited("turn-limit")], act: change },
  "ended-time": { messages: [limited("time-limit")] },
  "ended-time-form": { messages: [limited("time-limit")], act: change },
};
