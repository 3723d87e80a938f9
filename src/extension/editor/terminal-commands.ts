/** Remembers the last command of each terminal, as the shell reports it. VS Code does not tell of earlier ones. */
import * as vscode from "vscode";

interface EndedCommand {
  line: string;
  /** Undefined if the shell reported none. */
  exitCode: number | undefined;
}

export class TerminalCommands implements vscode.Disposable {
  readonly #last = new WeakMap<vscode.Terminal, EndedCommand>();
  readonly #listener = vscode.window.onDidEndTerminalShellExecution(({ terminal, execution, exitCode }) => {
    const line = execution.commandLine.value.trim();
    // The shell reports an empty line, too; VS Code's own list of commands leaves it out.
    if (line !== "") this.#last.set(terminal, { line, exitCode });
  });

  lastOf(terminal: vscode.Terminal): EndedCommand | undefined {
    return this.#last.get(terminal);
  }

  dispose(): void {
    this.#listener.dispose();
  }
}
