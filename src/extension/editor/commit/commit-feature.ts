/** "Generate Commit Message": its command, and its button in the panel. */

import * as vscode from "vscode";
import { t } from "../../../l10n/l10n.ts";
import { ModelError } from "../../../loop/model.ts";
import type { Attachments } from "../../attachments/attachments.ts";
import type { Feature } from "../../feature.ts";
import { showNotice } from "../../notice-fixes.ts";
import type { PanelContext } from "../../panel/handlers.ts";
import type { WindowServices } from "../../services.ts";
import type { EditorWindow } from "../../window.ts";
import type { BriefModel } from "../brief-model.ts";
import { collectChanges } from "./commit-contents.ts";
import { commitQuestion, messageFrom } from "./commit-prompt.ts";
import { findRepository, type GitRepository } from "./git-extension.ts";

export function commitFeature({ own }: EditorWindow, { files, page }: WindowServices, model: BriefModel) {
  const messages = own(new CommitMessages({ page, model, files }));
  return {
    handlers: { "write-commit-message": () => messages.generate() },
    commands: {
      "rondo.generateCommitMessage": (sourceControl: unknown) => messages.generate(sourceControl),
      "rondo.cancelCommitMessage": () => messages.cancel(),
    },
  } satisfies Feature;
}

// "Generate Commit Message" in the SCM view.

const maxReplyTokens = 2_000;
const timeoutMs = 60_000;
const runningKey = "rondo.generatesCommitMessage";

interface CommitMessageOptions {
  page: Pick<PanelContext, "prepare" | "explain">;
  model: BriefModel;
  files: Attachments;
}

export class CommitMessages implements vscode.Disposable {
  readonly #options: CommitMessageOptions;
  #running: AbortController | undefined;

  constructor(options: CommitMessageOptions) {
    this.#options = options;
  }

  /** Writes a message into the input box of the repository. `sourceControl`: argument of the menu's command. */
  async generate(sourceControl?: unknown): Promise<void> {
    if (this.#running) return;
    const stop = new AbortController();
    this.#running = stop;
    void vscode.commands.executeCommand("setContext", runningKey, true);
    try {
      const repository = await findRepository(sourceControl);
      if (!repository) return tell(t("There is no Git repository here, or VS Code's Git extension is off."));
      const progress = { location: vscode.ProgressLocation.SourceControl, title: t("Generating the commit message") };
      await vscode.window.withProgress(progress, () => this.#write(repository, stop.signal));
    } catch (error) {
      if (stop.signal.aborted) return;
      void showNotice(t("No commit message was written."), this.#options.page.explain(error));
    } finally {
      this.#running = undefined;
      void vscode.commands.executeCommand("setContext", runningKey, false);
    }
  }

  cancel(): void {
    this.#running?.abort();
  }

  dispose(): void {
    this.cancel();
  }

  /** @throws ModelError */
  async #write(repository: GitRepository, signal: AbortSignal): Promise<void> {
    await this.#options.page.prepare();
    const { inputBox } = repository;
    const before = inputBox.value;
    const contents = await collectChanges(repository, this.#options.files, signal);
    if (contents.files.length === 0) return tell(t("Nothing has changed, so there is nothing to commit."));
    const message = messageFrom(await this.#ask(commitQuestion(contents), signal));
    signal.throwIfAborted();
    if (message === "") throw new ModelError("invalid", t("The model gave no message."), t("Try again."));
    if (inputBox.value !== before && !(await mayReplace())) return;
    inputBox.value = message;
  }

  async #ask(asked: string, signal: AbortSignal): Promise<string> {
    const { model } = this.#options;
    const agent = model.agent("commit");
    // A model that is good enough for titles is good enough here.
    const named = agent.model === undefined ? model.agent("title") : agent;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    return await model.ask({ agent, modelOf: named, asked, maxTokens: maxReplyTokens, signal: limit });
  }
}

async function mayReplace(): Promise<boolean> {
  const question = t("You have written in the message box meanwhile. Replace it with the generated commit message?");
  return (await vscode.window.showInformationMessage(question, t("Replace"))) === "Replace";
}

function tell(sentence: string): void {
  void vscode.window.showInformationMessage(sentence);
}
