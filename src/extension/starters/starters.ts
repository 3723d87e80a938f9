/** Tasks to begin with, from what is in the folder: its problems, and the tests that it has. */

import path from "node:path";
import * as vscode from "vscode";
import type { Starter } from "../../chat/connect.ts";
import { counted, t } from "../../l10n/l10n.ts";
import type { Feature } from "../feature.ts";
import { openFolders } from "../host/documents.ts";
import type { PanelContext } from "../panel/handlers.ts";
import type { WindowServices } from "../services.ts";
import { type FoundTests, findTests } from "./find-tests.ts";

/** The folder is looked at again after this time. */
const maxAgeMs = 15_000;

/** Problems change with each key press. */
const restMs = 500;

const explain: Starter = {
  glyph: "book",
  name: t("Explain this project"),
  sub: t("What it does, how it is built, where to begin"),
  prompt: t("Explain this project: what it does, how it is built, and where to begin."),
};

export class Starters implements Feature {
  readonly #page: PanelContext;
  readonly #listener: vscode.Disposable;
  #tests: FoundTests | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor({ page }: WindowServices) {
    this.#page = page;
    this.#listener = vscode.languages.onDidChangeDiagnostics(() => {
      if (this.#isWanted) this.#timer ??= setTimeout(() => this.#problemsChanged(), restMs);
    });
  }

  state() {
    return { starters: this.#isWanted ? this.#list() : [] };
  }

  /** Whether they are on screen. */
  get #isWanted(): boolean {
    return this.#page.conversations.current.chat.messages.length === 0;
  }

  #list(): Starter[] {
    const folders = openFolders();
    if (folders.length === 0) return [];
    if (!vscode.workspace.isTrusted) return [explain];
    void this.#look(folders);
    return [...fixProblems(), ...(this.#tests ? [runTests(this.#tests)] : []), explain];
  }

  async #look(folders: readonly string[]): Promise<void> {
    if (performance.now() - this.#lookedAt < maxAgeMs) return;
    this.#lookedAt = performance.now();
    const before = this.#tests?.command;
    this.#tests = await findTests(folders);
    if (this.#tests?.command !== before) this.#page.stateChanged();
  }

  #problemsChanged(): void {
    this.#timer = undefined;
    this.#page.stateChanged();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listener.dispose();
  }
}

function runTests({ command, source }: FoundTests): Starter {
  const name = t("Run the tests and fix what fails");
  return { glyph: "beaker", name, sub: t("{0}, found in {1}", command, source), prompt: `${name} (${command}).` };
}

/** The file with the most errors. */
function fixProblems(): Starter[] {
  const [worst] = vscode.languages
    .getDiagnostics()
    .flatMap(([uri, all]) => {
      const errors = all.filter(({ severity }) => severity === vscode.DiagnosticSeverity.Error);
      const isHere = uri.scheme === "file" && vscode.workspace.getWorkspaceFolder(uri) !== undefined;
      return isHere && errors.length > 0 ? [{ uri, errors }] : [];
    })
    .sort((a, b) => b.errors.length - a.errors.length);
  if (!worst) return [];
  const { uri, errors } = worst;
  const [first] = errors;
  const more = errors.length > 1 ? t(", and {0} more", errors.length - 1) : "";
  return [
    {
      glyph: "error",
      name: counted(errors.length, "Fix {0} error in {1}", "Fix {0} errors in {1}", path.basename(uri.fsPath)),
      sub: `${first?.message.split("\n")[0] ?? ""}${more}`,
      prompt: counted(
        errors.length,
        "Fix the error in {1}.",
        "Fix the {0} errors in {1}.",
        vscode.workspace.asRelativePath(uri),
      ),
    },
  ];
}
