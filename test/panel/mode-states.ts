/** States of the panel in each mode: strips, the button, and the menu. */
import type { Page } from "playwright-core";
import type { PanelState } from "../../src/chat/panel-state.ts";
import * as f from "./fixtures.ts";
import type { Unnumbered } from "./page.ts";

interface Drawing {
  messages: Unnumbered[];
  act?: (page: Page) => Promise<void>;
}

/** 15:42 on the day of the tests, in the time zone of the browser. */
export const modeEnd = new Date(new Date(f.now).setHours(15, 42, 0, 0)).getTime();

const title = "Fix the rounding in cart totals";
const busy = { type: "busy", since: f.now } as const;
const bypass: Partial<PanelState> = { mode: "bypassPermissions", modeEndsAt: modeEnd };

export const reviewer: PanelState["agents"] = [
  { name: "build", description: "Does the work: reads, edits, runs.", mode: "primary" },
  { name: "reviewer", description: "Reads changes and finds mistakes.", mode: "primary" },
];

function drawing(change: Partial<PanelState>, status?: typeof busy): Drawing {
  return {
    messages: [f.snapshot(f.chat(title, [f.asked, f.rondo(f.work)], status && { status }), f.panelState(change))],
  };
}

export const modeStates: Record<string, Drawing> = {
  "mode-bypass": drawing(bypass),
  "mode-bypass-busy": drawing({ ...bypass, agents: reviewer, agent: "reviewer" }, busy),
  "mode-plan": drawing({ mode: "plan", buildMode: "acceptEdits" }),
  "mode-edits": drawing({ mode: "acceptEdits", buildMode: "acceptEdits" }, busy),
  "mode-menu": {
    ...drawing({ ...bypass, agents: reviewer }),
    act: (page) => page.getByRole("button", { name: /^Mode: / }).click(),
  },
};
