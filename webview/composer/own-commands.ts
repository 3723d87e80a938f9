/** Commands after "/" that the panel carries out itself. The others are prompts, which the host knows. */

import { type CommandChoice, slashCommandIn } from "../../src/chat/slash-command.ts";
import { t } from "../../src/l10n/l10n.ts";
import { price } from "../lib/format.ts";
import { panel } from "../lib/panel.svelte.ts";
import { send } from "../lib/vscode-api.ts";

interface OwnCommand {
  name: string;
  description: string;
  hint: string;
  /** `args`: what was written after the name. */
  run(args: string): void;
}

const ownCommands: readonly OwnCommand[] = [
  { name: "new", description: t("Begin a new session."), hint: "", run: () => panel.newSession() },
  { name: "sessions", description: t("Show earlier sessions."), hint: "", run: () => panel.showSessions() },
  {
    name: "compact",
    description: t("Sum up the conversation to make room in the context window."),
    hint: "",
    run: () => panel.compact(),
  },
  { name: "model", description: t("Choose the model."), hint: "", run: () => openMenu("model") },
  { name: "mode", description: t("Choose what Rondo may do without asking."), hint: "", run: () => openMenu("mode") },
  {
    name: "plan",
    description: t("Plan a task first: Rondo changes nothing until you approve."),
    hint: "[task]",
    run(args) {
      send({ type: "set-mode", mode: "plan" });
      panel.write(args);
      panel.prompt();
    },
  },
  { name: "context", description: t("Show what fills the context window."), hint: "", run: () => panel.showContext() },
  { name: "cost", description: t("Say what this session and today have cost."), hint: "", run: tellCost },
  { name: "rules", description: t("Show the permission rules."), hint: "", run: () => panel.showRules() },
  { name: "servers", description: t("Show the MCP servers."), hint: "", run: () => (panel.view = "servers") },
  {
    name: "trace",
    description: t("Show what the last turns have done, and when."),
    hint: "",
    run: () => panel.showTrace(),
  },
  { name: "find", description: t("Search this conversation."), hint: "", run: () => panel.find() },
  {
    name: "export",
    description: t("Save this session as Markdown."),
    hint: "",
    run: () => panel.chat && send({ type: "export-session", id: panel.chat.session.id, format: "markdown" }),
  },
  { name: "help", description: t("List the commands."), hint: "", run: () => panel.rewrite("/") },
];

const ownSource = "Rondo";

/** Returns all commands that "/" offers: the panel's own, then the others, which do not replace those. */
export function allCommands(others: readonly CommandChoice[]): CommandChoice[] {
  const own = ownCommands.map(({ name, description, hint }) => ({ name, description, hint, source: ownSource }));
  const names = new Set(own.map(({ name }) => name));
  const rest = others.filter(({ name }) => !names.has(name));
  const isOwn = ({ source }: CommandChoice) => source === ownSource;
  return [...own, ...rest.filter(isOwn), ...rest.filter((one) => !isOwn(one))];
}

/** Carries out the command that the draft begins with, else sends the draft. */
export function submitDraft(when: Parameters<typeof panel.prompt>[0]): void {
  const typed = slashCommandIn(panel.draft);
  const command = ownCommands.find(({ name }) => name === typed?.name);
  if (!command || !typed) {
    panel.prompt(when);
    return;
  }
  panel.write("");
  command.run(typed.args);
}

function openMenu(menu: "mode" | "model"): void {
  panel.menu = menu;
}

function tellCost(): void {
  const cost = panel.state?.cost;
  if (!cost) return;
  const { session, today, partial, estimated } = cost;
  const message = t(
    "This session has cost {0}, all sessions of today {1}.",
    price(session, partial),
    price(today, partial),
  );
  const parts = [partial && t("The price of some replies is not known."), estimated && t("Some of it is estimated.")];
  panel.notice = { message, next: parts.filter((one) => one !== false).join(" "), fix: "none" };
}
