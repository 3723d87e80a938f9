/** The commands that a message can begin with, and the text for the model that each stands for. */

import { type CommandChoice, fillTemplate, slashCommandIn } from "../../chat/slash-command.ts";
import { t } from "../../l10n/l10n.ts";
import type { PromptCommand } from "../../project/command-files.ts";

/** Rondo's own commands that are prompts. A command of the same name in the workspace counts before them. */
const ownCommands: readonly PromptCommand[] = [
  {
    name: "init",
    description: t("Write AGENTS.md, which tells Rondo about this project."),
    hint: "",
    source: "Rondo",
    template:
      "Write AGENTS.md at the top of the workspace, or improve the one that is there. It is read at the beginning of each session by coding agents. Look at the project first: its manifest, its build and test commands, its structure, rules files of other agents. Keep it below 60 lines: what the project is, the commands to build, test and lint (also for a single test), where things are, conventions that the code alone does not show. Nothing that is obvious, nothing invented.",
  },
  {
    name: "review",
    description: t("Review the uncommitted changes, or what you name."),
    hint: t("[branch, commit or files]"),
    source: "Rondo",
    template:
      "Review changes as a careful engineer would, and change nothing. What to review: $ARGUMENTS (if nothing is named: what is uncommitted, else the last commit). Read the code around the changes. Report faults first, the worst first, each with file, line, what goes wrong and in which case; then what is unclear or missing, such as tests. Leave out taste and praise. If there is nothing to report, say so in one sentence.",
  },
];

export class SlashCommands {
  readonly #load: () => ReadonlyMap<string, PromptCommand>;
  #loaded: ReadonlyMap<string, PromptCommand> | undefined;

  /** `load` reads the commands of the workspace and the user, by name. */
  constructor(load: () => ReadonlyMap<string, PromptCommand>) {
    this.#load = load;
  }

  /** The files may have changed. They are read when they are needed, not watched: VS Code misses files of new folders. */
  refresh(): void {
    this.#loaded = undefined;
  }

  /** All commands, Rondo's own first, as of the last refresh. */
  get choices(): CommandChoice[] {
    this.#loaded ??= this.#load();
    const others = this.#loaded;
    const own = ownCommands.filter(({ name }) => !others.has(name));
    return [...own, ...others.values()].map(({ name, description, hint, source }) => ({
      name,
      description,
      hint,
      source,
    }));
  }

  /** Returns the instructions of the command that the text begins with; undefined if it begins with none. */
  instructions(text: string): string | undefined {
    const typed = slashCommandIn(text);
    if (!typed) return undefined;
    this.#loaded = this.#load();
    const command = this.#loaded.get(typed.name) ?? ownCommands.find(({ name }) => name === typed.name);
    if (!command) return undefined;
    const from = command.source === "Rondo" ? "" : `, from ${command.source}`;
    return `The user has sent the command /${command.name}${from}. It says:\n\n${fillTemplate(command.template, typed.args)}`;
  }
}
