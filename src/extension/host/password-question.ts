/** Tells the user that a command waits for a password in the terminal. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import type { ShellCommand } from "../../tools/host.ts";

const maxNameLength = 60;

export class PasswordQuestion {
  readonly #terminal: vscode.Terminal;
  readonly #command: ShellCommand;
  #isTold = false;

  constructor(terminal: vscode.Terminal, command: ShellCommand) {
    this.#terminal = terminal;
    this.#command = command;
  }

  readonly onWaiting: ShellCommand["onWaiting"] = (prompt, by) => {
    this.#command.onWaiting(prompt, by);
    if (by !== "user" || this.#isTold) return;
    this.#isTold = true;
    // The focus stays where it is, so that nothing that is being typed becomes the password.
    this.#terminal.show(true);
    void this.#tell();
  };

  async #tell(): Promise<void> {
    const name = (this.#command.command.trim().split("\n")[0] ?? "").slice(0, maxNameLength);
    const go = t("Go to Terminal");
    const words = t(
      '"{0}" waits for your password in the terminal. Rondo and the model do not see what you type there.',
      name,
    );
    if ((await vscode.window.showInformationMessage(words, go)) === go) this.#terminal.show(false);
  }
}
