/** States of the list that "@" opens. */
import type { EditorContext } from "../../src/chat/protocol.ts";
import * as f from "./fixtures.ts";
import { agents } from "./loop-states.ts";
import type { Unnumbered } from "./page.ts";
import type { State } from "./states.ts";

const held = (kind: EditorContext["kind"], words: string): EditorContext => ({ kind, words, isEmpty: false });
const nothing = (kind: EditorContext["kind"], words: string): EditorContext => ({ kind, words, isEmpty: true });

export const contexts: EditorContext[] = [
  held("problems", "3 errors, 1 warning in 2 files"),
  held("file-problems", "2 errors in cart.ts"),
  held("terminal", "npm test -- cart, exit 1"),
  held("terminal-selection", "what is selected in zsh"),
  held("failed-tests", "1 failed test"),
  held("debug-output", "Launch shop, 212 lines"),
];

export const noContexts: EditorContext[] = [
  nothing("problems", "no problems"),
  nothing("file-problems", "no file is open"),
  nothing("terminal", "no terminal is open"),
  nothing("terminal-selection", "no terminal is open"),
  nothing("failed-tests", "no failed tests"),
  nothing("debug-output", "nothing printed yet"),
];

const long: EditorContext[] = [
  held("problems", "1,234 errors, 5,678 warnings, 910 infos in 1,112 files"),
  held("file-problems", "2 errors in a-very-long-name-of-a-file-that-does-not…"),
  held("terminal", "docker compose -f compose.yaml -f compos…, exit 137"),
];

export const telling = (list: readonly EditorContext[]): Unnumbered[] =>
  list.map((context) => ({ type: "editor-context", context }));

const mentioning = (typed: string, list: readonly EditorContext[], keys: string[] = []): State => ({
  messages: [
    f.snapshot(f.chat("Fix the rounding in cart totals", [f.asked, f.rondo(f.work)]), f.panelState({ agents })),
    ...telling(list),
  ],
  async act(page) {
    const field = page.getByRole("textbox", { name: "Message" });
    await field.pressSequentially(typed);
    for (const key of keys) await field.press(key);
  },
});

export const mentionStates: Record<string, State> = {
  mentions: mentioning("Why does @", contexts),
  "mentions-begun": mentioning("Why does @t", contexts, ["ArrowDown"]),
  "mentions-none": mentioning("Why does @", noContexts, ["ArrowDown"]),
  "mentions-long": mentioning("Why does @", [...contexts.slice(3), ...long]),
};
