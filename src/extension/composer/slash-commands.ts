/** The commands that a message can begin with, and the text for the model that each stands for. */
import { argumentHint } from "../../chat/command-arguments.ts";
import { type CommandChoice, fillTemplate, slashCommandIn } from "../../chat/slash-command.ts";
import { t } from "../../l10n/l10n.ts";
import type { ServerPrompt } from "../../mcp/prompts/listed-prompts.ts";
import type { PromptAnswer, ServerPrompts } from "../../mcp/prompts/server-prompts.ts";
import type { PromptCommand } from "../../project/command-files.ts";

/** Rondo's own commands that are prompts. A command of the same name in the workspace counts before them. */
const ownCommands: readonly PromptCommand[] = [
  {
    name: "init",
    description: t("Write AGENTS.md, which tells Rondo about this project."),
    hint: "",
    ...{ source: "Rondo", path: "" },
    template:
      "Write AGENTS.md at the top of the workspace, or improve the one that is there. It is read at the beginning of each session by coding agents. Look at the project first: its manifest, its build and test commands, its structure, rules files of other agents. Keep it below 60 lines: what the project is, the commands to build, test and lint (also for a single test), where things are, conventions that the code alone does not show. Nothing that is obvious, nothing invented.",
  },
  {
    name: "review",
    description: t("Review the uncommitted changes, or what you name."),
    hint: t("[branch, commit or files]"),
    ...{ source: "Rondo", path: "" },
    template:
      "Review changes as a careful engineer would, and change nothing. What to review: $ARGUMENTS (if nothing is named: what is uncommitted, else the last commit). Read the code around the changes. Report faults first, the worst first, each with file, line, what goes wrong and in which case; then what is unclear or missing, such as tests. Leave out taste and praise. If there is nothing to report, say so in one sentence.",
  },
];

/** Before the name of a server's prompt whose own name a file has. */
const serverPrefix = "mcp:";

export class SlashCommands {
  readonly #load: () => ReadonlyMap<string, PromptCommand>;
  readonly #prompts: ServerPrompts;
  #loaded: ReadonlyMap<string, PromptCommand> | undefined;

  /** `load` reads the commands of the workspace and the user, by name. */
  constructor(load: () => ReadonlyMap<string, PromptCommand>, prompts: ServerPrompts) {
    this.#load = load;
    this.#prompts = prompts;
  }

  /**
   * The files may have changed. They are read when they are needed, not watched: VS Code misses files of new folders.
   * Servers that may run are started, so that their prompts are listed before the first message, too.
   */
  refresh(): void {
    this.#loaded = undefined;
    void this.#prompts.start(new AbortController().signal);
  }

  /** All commands, Rondo's own first, as of the last refresh. */
  get choices(): CommandChoice[] {
    this.#loaded ??= this.#load();
    const others = this.#loaded;
    const own = ownCommands.filter(({ name }) => !others.has(name));
    const written = [...own, ...others.values()].map(({ name, description, hint, source }) => ({
      name,
      description,
      hint,
      source,
    }));
    return [...written, ...this.#prompts.all.map((prompt) => serverChoice(prompt, others.has(prompt.name)))];
  }

  /** Returns the name of the MCP server that must be asked what the text stands for; undefined if none must be. */
  serverOf(text: string): string | undefined {
    const name = this.#serverPromptIn(text);
    return name === undefined ? undefined : this.#prompts.serverOf(name);
  }

  /** Asks the server for what `serverOf` has found. @throws ServerRequestError, and the signal's reason on abort */
  async ask(text: string, signal: AbortSignal): Promise<PromptAnswer> {
    const prompt = await this.#prompts.find(this.#serverPromptIn(text) ?? "", signal);
    if (!prompt) return { parts: [], notes: [] };
    return await this.#prompts.get(prompt, slashCommandIn(text)?.args ?? "", signal);
  }

  /** Returns the values that a server offers for an argument. Never rejects. */
  async values(
    command: string,
    argument: { name: string; value: string },
    given: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<string[]> {
    const name = this.#serverPromptIn(`/${command}`);
    const prompt = this.#prompts.all.find((one) => one.name === name);
    return prompt ? await this.#prompts.values(prompt, argument, given, signal) : [];
  }

  /** Returns the name under which a server may have the prompt; undefined if the text is another command or none. */
  #serverPromptIn(text: string): string | undefined {
    const name = slashCommandIn(text)?.name;
    if (name === undefined || !name.includes(":")) return undefined;
    this.#loaded ??= this.#load();
    if (this.#loaded.has(name)) return undefined;
    const own = name.startsWith(serverPrefix) ? name.slice(serverPrefix.length) : name;
    return this.#loaded.has(own) ? own : name;
  }

  /** Returns the instructions of the command that the text begins with; undefined if it begins with none. */
  instructions(text: string): string | undefined {
    const typed = slashCommandIn(text);
    if (!typed) return undefined;
    this.#loaded = this.#load();
    const command = this.#loaded.get(typed.name) ?? ownCommands.find(({ name }) => name === typed.name);
    if (!command) return undefined;
    const from = command.path === "" ? "" : `, from ${command.path}`;
    return `The user has sent the command /${command.name}${from}. It says:\n\n${fillTemplate(command.template, typed.args)}`;
  }
}

function serverChoice({ name, description, args, server }: ServerPrompt, isTaken: boolean): CommandChoice {
  const shown = isTaken ? serverPrefix + name : name;
  return { name: shown, description, hint: argumentHint(args), source: `MCP server ${server}`, args };
}
