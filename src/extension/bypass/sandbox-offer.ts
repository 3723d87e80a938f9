/** Offers the sandbox to a user who chooses the mode Bypass. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import { systemProblem } from "../../tools/sandbox/sandbox.ts";
import { openFolders } from "../host/documents.ts";
import { readSettings } from "../settings.ts";

const offered = "rondo.sandboxOffered";

export class SandboxOffer {
  readonly #memory: vscode.Memento;
  #saved: Thenable<void> = Promise.resolve();

  /** `memory`: for all workspaces. */
  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  /** Resolves when the user's answer, if there is one, holds for commands. */
  get saved(): Thenable<void> {
    return this.#saved;
  }

  /** Once, and only where the sandbox can be had. */
  async show(): Promise<void> {
    if (readSettings().sandbox !== "off" || this.#memory.get(offered, false)) return;
    if ((await systemProblem(openFolders(), "workspace")) !== undefined) return;
    await this.#memory.update(offered, true);
    const without = t("Without Network");
    const names = [without, t("With Network")];
    const message = t(
      "In Bypass, commands run without asking. In a sandbox they can write only in the workspace. Turn the sandbox on?",
    );
    const chosen = await vscode.window.showInformationMessage(message, ...names);
    if (chosen === undefined) return;
    const settings = vscode.workspace.getConfiguration("rondo");
    this.#saved = settings
      .update("sandbox", chosen === without ? "workspace" : "workspace-network", vscode.ConfigurationTarget.Global)
      .then(undefined, notSaved);
    await this.#saved;
  }
}

function notSaved(error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  void vscode.window.showWarningMessage(t("The sandbox is not on, because the setting could not be saved: {0}", why));
}
