/**
 * What the editor holds and can be attached: problems, the terminal, failed tests, the Debug Console. The list of "@" and
 * the commands attach the same.
 */

import * as vscode from "vscode";
import { type EditorContext, type EditorContextKind, editorContextKinds } from "../../chat/editor-views.ts";
import type { Attachment } from "../../chat/prompt-input.ts";
import { textFile } from "../../chat/text-file.ts";
import { counted, t } from "../../l10n/l10n.ts";
import { PlainTextRenderer } from "../../tools/run-command/plain-text.ts";
import { countLines } from "../../tools/text/text.ts";
import { Shortener } from "../../tools/text/truncate.ts";
import { AttachError, type Attachments } from "../attachments/attachments.ts";
import type { Composer } from "../composer/composer.ts";
import type { Handlers, PanelContext } from "../panel/handlers.ts";
import { allChanges, diffOf, namesOf, whyNotShown } from "./commit/git-changes.ts";
import type { DebugOutput } from "./debug-output.ts";
import { failedTests } from "./failed-tests.ts";
import { openFiles } from "./open-files.ts";
import {
  countedProblems,
  countedWithFiles,
  openFileProblems,
  problemsInWords,
  workspaceProblems,
} from "./problem-context.ts";
import type { TerminalCommands } from "./terminal-commands.ts";
import { copiedBy, copyLastCommand, copySelection } from "./terminal-text.ts";

interface EditorContextOptions {
  page: Pick<PanelContext, "send">;
  composer: Pick<Composer, "attach">;
  files: Pick<Attachments, "whyNot" | "fromFile">;
  terminals: TerminalCommands;
  debugOutput: DebugOutput;
}

interface ReadContext {
  attachments: readonly Attachment[];
  /** Why some of it, or all, is not attached; empty if all is. */
  why: string;
}

/** What it holds now, or why it holds nothing. */
type Held = Omit<EditorContext, "kind">;

const held = (words: string): Held => ({ words, isEmpty: false });
const nothing = (words: string): Held => ({ words, isEmpty: true });

/** A longer name would leave no room for what follows it. */
const maxNameChars = 40;
/** Git is asked for the diffs of so many files. */
const maxChanges = 100;

export class EditorContexts {
  readonly #options: EditorContextOptions;

  readonly handlers = {
    "list-editor-contexts": () => this.#list(),
    "attach-editor-context": ({ kind }) => this.#attach(kind),
  } satisfies Partial<Handlers>;

  readonly #sources: Record<EditorContextKind, { held(): Held | Promise<Held>; read(): Promise<ReadContext> }> = {
    problems: {
      held() {
        const files = workspaceProblems();
        return files.length > 0 ? held(countedWithFiles(files)) : nothing(t("no problems"));
      },
      read: () => this.#problems(t("Problems"), workspaceProblems(), t("VS Code shows no problems.")),
    },
    "file-problems": {
      held() {
        const file = openFileProblems();
        if (!file) return nothing(t("no file is open"));
        const name = fileName(file[0]);
        return file[1].length > 0
          ? held(t("{0} in {1}", countedProblems([file]), name))
          : nothing(t("none in {0}", name));
      },
      read: () => {
        const file = openFileProblems();
        const has = file && file[1].length > 0 ? [file] : [];
        const name = file ? ` ${t("in {0}", vscode.workspace.asRelativePath(file[0]))}` : "";
        return this.#problems(t("Problems{0}", name), has, t("The file in the editor has no problems."));
      },
    },
    changes: {
      held() {
        const { length } = allChanges();
        return length > 0 ? held(counted(length, "{0} file", "{0} files")) : nothing(t("no changes"));
      },
      read: () => this.#changes(),
    },
    terminal: {
      held: () => this.#lastCommand(),
      read: () =>
        copied(
          copyLastCommand,
          t("The terminal does not know its last command: that needs VS Code's shell integration."),
        ),
    },
    "terminal-selection": {
      held() {
        const terminal = vscode.window.activeTerminal;
        return terminal
          ? held(t("what is selected in {0}", shortName(terminal.name)))
          : nothing(t("no terminal is open"));
      },
      read: () => copied(copySelection, t("Select text in the terminal first.")),
    },
    "failed-tests": {
      async held() {
        const failed = await failedTests();
        if (!failed) return nothing(t("this VS Code does not tell"));
        return failed.count > 0
          ? held(counted(failed.count, "{0} failed test", "{0} failed tests"))
          : nothing(t("no failed tests"));
      },
      async read() {
        const failed = await failedTests();
        if (!failed)
          return none(t("This VS Code does not tell which tests have failed. A test's menu adds it to the chat."));
        return failed.count > 0
          ? whole(t("Failed tests"), failed.text)
          : none(t("No test of the newest run has failed."));
      },
    },
    "debug-output": {
      held: () => {
        const output = this.#options.debugOutput.current;
        if (!output) return nothing(t("nothing printed yet"));
        return held(`${shortName(output.name)}, ${counted(countLines(output.text), "{0} line", "{0} lines")}`);
      },
      read: async () => {
        const output = this.#options.debugOutput.current;
        if (output) return whole(t("Debug Console {0}", output.name), output.text);
        return none(t("The Debug Console has no output yet. Rondo sees it from its first use in a window."));
      },
    },
    "open-editors": {
      held() {
        const { length } = openFiles();
        return length > 0 ? held(counted(length, "{0} file", "{0} files")) : nothing(t("no file is open"));
      },
      read: () => this.#openEditors(),
    },
  };

  constructor(options: EditorContextOptions) {
    this.#options = options;
  }

  async read(kind: EditorContextKind): Promise<ReadContext> {
    return await this.#sources[kind].read();
  }

  /** Tells what each holds as soon as it is known: none waits for another. */
  async #list(): Promise<void> {
    const tell = async (kind: EditorContextKind) => {
      const context = { kind, ...(await this.#heldBy(kind)) };
      this.#options.page.send({ type: "editor-context", context });
    };
    await Promise.all(editorContextKinds.map(tell));
  }

  async #heldBy(kind: EditorContextKind): Promise<Held> {
    try {
      return await this.#sources[kind].held();
    } catch {
      // Whoever attaches it is told the error.
      return held(t("not known"));
    }
  }

  /** @throws AttachError about what is not attached */
  async #attach(kind: EditorContextKind): Promise<void> {
    const { attachments, why } = await this.read(kind);
    this.#options.composer.attach(attachments);
    if (why !== "") throw new AttachError(why, "");
  }

  async #problems(name: string, files: ReturnType<typeof workspaceProblems>, without: string): Promise<ReadContext> {
    if (files.length === 0) return none(without);
    const { text, leftOut } = await problemsInWords(files, this.#options.files);
    const [first = "", ...others] = leftOut;
    const why =
      others.length > 0
        ? t(
            "{0} Nor are those in {1}.",
            first,
            counted(others.length, "{0} more protected file", "{0} more protected files"),
          )
        : first;
    return { attachments: text === "" ? [] : [textAttachment(name, text)], why };
  }

  async #changes(): Promise<ReadContext> {
    const { files } = this.#options;
    const changes = allChanges();
    if (changes.length === 0) return none(t("Git knows of no changes."));
    const leftOut: string[] = [];
    const diffs: string[] = [];
    for (const { repository, change } of changes.slice(0, maxChanges)) {
      const name = namesOf(repository, change).join(" → ");
      const why = await whyNotShown(change, files);
      if (why === undefined) diffs.push(await diffOf(repository, change, files));
      else leftOut.push(t("The changes of {0} are not attached: {1}.", name, why));
    }
    const more = changes.length - maxChanges;
    if (more > 0) diffs.push(`${more} more changed.`);
    return {
      attachments: diffs.length > 0 ? [textAttachment(t("Changes"), diffs.join("\n"))] : [],
      why: leftOut.slice(0, 3).join(" "),
    };
  }

  async #openEditors(): Promise<ReadContext> {
    const uris = openFiles();
    if (uris.length === 0) return none(t("No file is open in an editor."));
    const made = await Promise.allSettled(uris.map((uri) => this.#options.files.fromFile(uri)));
    return {
      attachments: made.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
      why: made.flatMap((one) => (one.status === "rejected" ? [messageOf(one.reason)] : [])).join(" "),
    };
  }

  #lastCommand(): Held {
    const terminal = vscode.window.activeTerminal;
    if (!terminal) return nothing(t("no terminal is open"));
    const last = this.#options.terminals.lastOf(terminal);
    if (last) {
      const [line = ""] = last.line.split("\n");
      const exit = last.exitCode === undefined ? "" : t(", exit {0}", last.exitCode);
      return held(shortName(line) + exit);
    }
    const name = shortName(terminal.name);
    return terminal.shellIntegration
      ? held(t("last command of {0}", name))
      : nothing(t("{0} has no shell integration", name));
  }
}

const none = (why: string): ReadContext => ({ attachments: [], why });
const whole = (name: string, text: string): ReadContext => ({ attachments: [textAttachment(name, text)], why: "" });
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Reads what a command of the active terminal copies. */
async function copied(command: string, without: string): Promise<ReadContext> {
  const name = vscode.window.activeTerminal?.name;
  const text = name === undefined ? undefined : await copiedBy(command);
  return text === undefined ? none(without) : whole(t("Terminal {0}", name ?? ""), text);
}

function shortName(name: string): string {
  return name.length > maxNameChars ? `${name.slice(0, maxNameChars).toWellFormed()}…` : name;
}

function fileName({ path }: vscode.Uri): string {
  return shortName(path.slice(path.lastIndexOf("/") + 1));
}

/** Attaches a text that is no file: without escape sequences, its middle left out if it is too long. */
export function textAttachment(filename: string, text: string): Attachment {
  const shortener = new Shortener(() => {});
  const renderer = new PlainTextRenderer((piece) => shortener.push(piece));
  renderer.push(text);
  renderer.end();
  return textFile(filename, shortener.shown("The rest was not attached."));
}
