/** Commands after "/" that the panel carries out itself. The others are prompts, which the host knows. */
import { argumentHint, missingArguments, writtenArguments } from "../../src/chat/command-arguments.ts";
import type { ModelChoice } from "../../src/chat/model-views.ts";
import type { PageName } from "../../src/chat/pages.ts";
import { type CommandChoice, slashCommandIn } from "../../src/chat/slash-command.ts";
import { t } from "../../src/l10n/l10n.ts";
import { pages } from "../pages/pages.ts";
import { panel } from "../panel/panel.svelte.ts";
import { send } from "../panel/vscode-api.ts";
import { escapeInvisible } from "../text/escape-invisible.ts";
import { price } from "../text/format.ts";
import { allRead, isReading } from "./attach-files.ts";
import { modeList } from "./permission-modes.ts";

interface OwnCommand {
  name: string;
  description: string;
  hint: string;
  /** An argument with values that the panel knows, which may be left out. */
  choice?: { argument: string; values(): string[] };
  /** `args`: what was written after the name. `when`: as for a message. */
  run(args: string, when: Parameters<typeof panel.prompt>[0]): void;
}

const pageNames = Object.keys(pages) as PageName[]; // the keys of a record of pages
const otherPages = pageNames.filter((page) => pages[page].command && page !== "sessions" && page !== "context");

const ownCommands: readonly OwnCommand[] = [
  { name: "new", description: t("Begin a new session."), hint: "", run: () => panel.newSession() },
  pageCommand("sessions"),
  {
    name: "compact",
    description: t("Sum up the conversation to make room in the context window."),
    hint: t("[what to keep]"),
    run: (args) => panel.compact(args),
  },
  {
    name: "model",
    description: t("Choose the model."),
    hint: "",
    choice: { argument: "model", values: () => models().map(([name]) => name) },
    run: chooseModel,
  },
  {
    name: "mode",
    description: t("Choose what Rondo may do without asking."),
    hint: "",
    choice: { argument: "mode", values: () => modeList.map(({ name }) => name) },
    run: chooseMode,
  },
  {
    name: "plan",
    description: t("Plan a task first: Rondo changes nothing until you approve."),
    hint: t("[task]"),
    run(args, when) {
      send({ type: "set-mode", mode: "plan" });
      if (args === "") return;
      panel.write(args);
      sendDraft(when);
    },
  },
  {
    name: "commit",
    description: t("Write a commit message for your changes into the Source Control view."),
    hint: "",
    run: () => send({ type: "write-commit-message" }),
  },
  pageCommand("context"),
  { name: "cost", description: t("Say what this session and today have cost."), hint: "", run: tellCost },
  ...otherPages.map(pageCommand),
  { name: "find", description: t("Search this conversation."), hint: "", run: () => panel.find() },
  {
    name: "export",
    description: t("Save this session as Markdown."),
    hint: "",
    run: () => panel.chat && send({ type: "export-session", id: panel.chat.session.id, format: "markdown" }),
  },
  { name: "help", description: t("List the commands."), hint: "", run: () => panel.rewrite("/") },
];

function pageCommand(page: PageName): OwnCommand {
  return { name: page, description: pages[page].command ?? "", hint: "", run: () => panel.show(page) };
}

const ownSource = "Rondo";

/** Returns all commands that "/" offers: the panel's own, then the others, which do not replace those. */
export function allCommands(others: readonly CommandChoice[]): CommandChoice[] {
  const own = ownCommands.map(({ name, description, hint, choice }) => ({
    ...{ name, description, hint, source: ownSource },
    ...(choice && { args: [optional(choice.argument)] }),
  }));
  const names = new Set(own.map(({ name }) => name));
  const rest = others.filter(({ name }) => !names.has(name));
  const isOwn = ({ source }: CommandChoice) => source === ownSource;
  return [...own, ...rest.filter(isOwn), ...rest.filter((one) => !isOwn(one))];
}

const optional = (name: string) => ({ name, description: "", isRequired: false });

/** Returns the values of the argument of one of the panel's own commands; undefined for other commands. */
export function ownValues({ name, source }: CommandChoice): string[] | undefined {
  return source === ownSource ? ownCommands.find((one) => one.name === name)?.choice?.values() : undefined;
}

/** Carries out the command that the draft begins with, else sends the draft; it stays where an argument is missing. */
export function submitDraft(when: Parameters<typeof panel.prompt>[0]): void {
  const typed = slashCommandIn(panel.draft);
  const { name = "", args = [] } = panel.state?.commands.find((one) => one.name === typed?.name) ?? {};
  const [missing] = missingArguments(typed?.args ?? "", args);
  if (missing) {
    const message = t("/{0} needs the argument {1}.", name, escapeInvisible(missing.name));
    panel.notice = {
      message,
      next: t("Write it after the name: /{0} {1}", name, escapeInvisible(argumentHint(args))),
      fix: "none",
    };
    return;
  }
  const command = ownCommands.find(({ name }) => name === typed?.name);
  if (!command || !typed) {
    sendDraft(when);
    return;
  }
  if (typed.args !== "" && command.hint === "" && !command.choice) {
    // The words may be a task: they are not thrown away.
    panel.notice = {
      message: t("/{0} takes no arguments.", command.name),
      next: t("Send it alone."),
      fix: "none",
    };
    return;
  }
  panel.write("");
  command.run(typed.args, when);
}

/** A message that waits until what was pasted into it is read. */
let waiting: { sessionID: string | undefined; when: Parameters<typeof panel.prompt>[0] } | undefined;

/** What was pasted belongs to this message. */
function sendDraft(when: Parameters<typeof panel.prompt>[0]): void {
  if (!isReading()) {
    panel.prompt(when);
    return;
  }
  const isFirst = waiting === undefined;
  waiting = { sessionID: panel.chat?.session.id, when };
  // Enter that is pressed again sends no second message.
  if (isFirst) void allRead().then(sendWaiting);
}

/** Only what the user has sent: the draft of a session that has come on screen meanwhile is another one. */
function sendWaiting(): void {
  const sent = waiting;
  waiting = undefined;
  if (sent?.sessionID === panel.chat?.session.id) panel.prompt(sent?.when);
  else panel.notice = { message: t("Another session came on screen before it was sent."), next: "", fix: "none" };
}

/** The models by their names; names that several have, with what tells them apart. */
function models(): [string, ModelChoice][] {
  const all = panel.state?.models ?? [];
  const isShared = ({ label }: ModelChoice) => all.filter((other) => other.label === label).length > 1;
  return all.map((one) => [isShared(one) ? `${one.label} (${one.group})` : one.label, one]);
}

/** Without a name, opens the menu. */
function chooseModel(args: string): void {
  const asked = writtenArguments(args, [optional("model")])[0]?.value.toLowerCase();
  if (asked === undefined) {
    openMenu("model");
    return;
  }
  const found = models().find(([name, { modelID }]) => [name, modelID].some((one) => one.toLowerCase() === asked));
  if (found) send({ type: "set-model", providerID: found[1].providerID, modelID: found[1].modelID });
  else refuse("model", args);
}

function chooseMode(args: string): void {
  const asked = writtenArguments(args, [optional("mode")])[0]?.value.toLowerCase();
  if (asked === undefined) {
    openMenu("mode");
    return;
  }
  const found = modeList.find(({ name, mode }) => [name, mode].some((one) => one.toLowerCase() === asked));
  if (found) send({ type: "set-mode", mode: found.mode });
  else refuse("mode", args);
}

/** Says that there is no such value, and puts the command back. */
function refuse(command: "model" | "mode", args: string): void {
  panel.notice = {
    message: command === "model" ? t("There is no model {0}.", args) : t("There is no mode {0}.", args),
    next: t("Choose one of the list after /{0}.", command),
    fix: "none",
  };
  panel.write(`/${command} ${args}`);
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
