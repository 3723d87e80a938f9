/** Tells of changed cells once the user pauses: to read them writes the whole notebook as text. */
import type * as vscode from "vscode";

const delayMs = 300;

export class CellPauses {
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #look: (uri: vscode.Uri) => void;

  constructor(look: (uri: vscode.Uri) => void) {
    this.#look = look;
  }

  changed(uri: vscode.Uri): void {
    const key = uri.toString();
    clearTimeout(this.#timers.get(key));
    this.#timers.set(
      key,
      setTimeout(() => {
        this.#timers.delete(key);
        this.#look(uri);
      }, delayMs),
    );
  }

  dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }
}
