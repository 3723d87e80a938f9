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
  {
    name: "weather:forecast",
    description: "The forecast of the next days, for planning releases.",
    hint: "<city> [state]",
    source: "MCP server weather",
    args: [
      { name: "city", description: "Name of the city", isRequired: true },
      { name: "state", description: "", isRequired: false },
    ],
  },
  { name: "weather:now", description: "", hint: "", source: "MCP server weather", args: [] },
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

/** The server offers cities. */
const cities = typing("/weather:forecast ");
const offered = {
  ...{ type: "argument-values" as const, command: "weather:forecast", argument: "city", value: "" },
  values: ["Berlin", "Bern", "New York", "a\u202eb"],
};

export const commandStates: Record<string, State> = {
  "commands-values": { messages: [...cities.messages, offered], ...(cities.act && { act: cities.act }) },
  "fresh-context": {
    messages: [
      f.snapshot(
        f.chat("Split the cart", [
          f.asked,
          f.rondo([f.said("# Plan\n1. Split cart.ts.")]),
          f.unsaid({ type: "compaction", auto: false, plan: "msg_1" }),
          f.rondo([f.said("# Plan\n1. Split cart.ts.")], { summary: true, finish: "stop", completedAt: f.now }),
          f.you("Start building: carry out the plan."),
          f.rondo([f.said("The cart is split.")], { finish: "stop", completedAt: f.now }),
        ]),
      ),
    ],
    act: (page) => page.getByText("Fresh context: only the plan goes on").click(),
  },
  "commands-asking": {
    messages: [
      f.snapshot(
        f.chat("Fix the rounding in cart totals", [f.asked, f.rondo(f.work)]),
        f.panelState({ commands, asking: "weather" }),
      ),
    ],
  },
  commands: typing("/"),
  "commands-begun": typing("/c", ["ArrowUp", "ArrowUp"]),
};
