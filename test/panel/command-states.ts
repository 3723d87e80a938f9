/** States of the list that "/" opens. */
import type { CommandChoice } from "../../src/chat/slash-command.ts";
import * as f from "./fixtures.ts";
import type { State } from "./states.ts";

export const commands: CommandChoice[] = [
  {
    name: "review",
    description: "Review the uncommitted changes, or what you name.",
    hint: "[branch, commit or files]",
    source: "Rondo",
  },
  {
    name: "changelog",
    description: "Write the entry for a release.",
    hint: "<version>",
    source: ".rondo/commands/changelog.md",
  },
  {
    name: "frontend:component",
    description: "Add a component with its story, its test and an entry in the index of the design system.",
    hint: "[name] [folder]",
    source: ".claude/commands/frontend/component.md",
  },
  { name: "tidy", description: "Tidy up my notes.", hint: "", source: "~/.claude/commands/tidy.md" },
];

const typing = (typed: string, keys: string[] = []): State => ({
  messages: [
    f.snapshot(f.chat("Fix the rounding in cart totals", [f.asked, f.rondo(f.work)]), f.panelState({ commands })),
  ],
  async act(page) {
    const field = page.getByRole("textbox", { name: "Message" });
    await field.pressSequentially(typed);
    for (const key of keys) await field.press(key);
  },
});

export const commandStates: Record<string, State> = {
  commands: typing("/"),
  "commands-begun": typing("/c", ["ArrowUp", "ArrowUp"]),
};
