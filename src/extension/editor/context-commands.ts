/** Commands that bring something of VS Code into the chat: selections, problems, tests, terminals, the Debug Console. */

import * as vscode from "vscode";
import type { EditorContextKind } from "../../chat/editor-views.ts";
import type { Attachment } from "../../chat/prompt-input.ts";
import { t } from "../../l10n/l10n.ts";
import type { Composer } from "../composer/composer.ts";
import type { Command } from "../feature.ts";
import type { Panel } from "../panel/panel.ts";
import { reportedIn } from "../panel/reported.ts";
import type { WindowServices } from "../services.ts";
import { type EditorContexts, textAttachment } from "./editor-contexts.ts";
import { describeProblems } from "./problem-prompt.ts";
import { type ChosenTest, chosenTest, describeTest, testName } from "./test-context.ts";

/** Lines shown with a problem, before and after it. */
const linesAround = 10;

export function contextCommands(
  panel: Panel,
  { files, page }: WindowServices,
  composer: Composer,
  contexts: EditorContexts,
): Record<string, Command> {
  const reported = reportedIn(page);
  /** Sends a task about the selection of the active editor. `none`: what is said where there is no editor. */
  const askOfSelection = (none: string, task: (editor: vscode.TextEditor) => string) =>
    reported(async () => {
      const editor = vscode.window.activeTextEditor;
      if (!editor) return inform(none);
      const text = task(editor);
      await panel.reveal();
      await composer.prompt({ text, attachments: [await files.fromSelection(editor)] });
    });
  const add = async (attachment: Attachment) => {
    await panel.reveal();
    composer.attach([attachment]);
  };
  const ask = (task: (name: string) => string) =>
    reported(async (uri, diagnostics) => {
      if (!(uri instanceof vscode.Uri) || !isDiagnostics(diagnostics)) return;
      const document = await vscode.workspace.openTextDocument(uri);
      // Revealed first: what cannot be attached is explained there.
      await panel.reveal();
      const lines = await files.fromSelection({ document, selection: around(document, diagnostics) });
      await composer.prompt({ text: task(describeProblems(uri, diagnostics)), attachments: [lines] });
    });
  const addContext = (kind: EditorContextKind) =>
    reported(async () => {
      const { attachments, why } = await contexts.read(kind);
      if (attachments.length === 0) return inform(why);
      await panel.reveal();
      composer.attach(attachments);
    });
  const withTest = (act: (chosen: ChosenTest, attachment: Attachment) => Promise<void>) =>
    reported(async (argument) => {
      const chosen = chosenTest(argument);
      if (!chosen) return inform(t("Use this command in the menu of a test or of its message."));
      await act(chosen, textAttachment(t("Test {0}", testName(chosen.test)), describeTest(chosen)));
    });
  return {
    "rondo.addSelection": reported(async () => {
      const editor = vscode.window.activeTextEditor;
      if (!editor) return inform(t("Open a file first. Its selection is added."));
      const attaching = files.fromSelection(editor);
      await Promise.all([attaching, panel.reveal()]);
      composer.attach([await attaching]);
    }),
    "rondo.explain": askOfSelection(
      t("Open a file first. Its selection is explained."),
      () => "Explain this code: what it does, and what is not obvious about it.",
    ),
    "rondo.fix": askOfSelection(t("Open a file first. The problems in its selection are fixed."), fixPrompt),
    "rondo.fixProblem": ask((problems) => `Fix these problems in ${problems}`),
    "rondo.explainProblem": ask(
      (problems) => `Explain these problems and how to fix them, without changing anything. They are in ${problems}`,
    ),
    "rondo.addTerminalSelection": addContext("terminal-selection"),
    "rondo.addTerminalCommand": addContext("terminal"),
    "rondo.addTest": withTest(async (_, attachment) => await add(attachment)),
    "rondo.fixTest": withTest(async ({ test, message }, attachment) => {
      await panel.reveal();
      const run = message ? "" : " Run it to see how it fails.";
      await composer.prompt({ text: `Make the test "${testName(test)}" pass.${run}`, attachments: [attachment] });
    }),
    "rondo.addDebugOutput": addContext("debug-output"),
  };
}

function inform(message: string): void {
  void vscode.window.showInformationMessage(message);
}

function fixPrompt({ document, selection }: vscode.TextEditor): string {
  const { uri } = document;
  const all = vscode.languages.getDiagnostics(uri);
  const problems = all.filter(({ range }) => selection.isEmpty || range.intersection(selection));
  if (problems.length === 0) return "Find what is wrong with this code and fix it.";
  return `Fix these problems in ${describeProblems(uri, problems)}`;
}

function isDiagnostics(value: unknown): value is vscode.Diagnostic[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => one instanceof vscode.Diagnostic);
}

function around({ lineCount }: vscode.TextDocument, diagnostics: readonly vscode.Diagnostic[]): vscode.Selection {
  const first = Math.min(...diagnostics.map(({ range }) => range.start.line)) - linesAround;
  const last = Math.max(...diagnostics.map(({ range }) => range.end.line)) + linesAround;
  // A selection takes the lines up to the start of the one after the last.
  return new vscode.Selection(Math.max(0, first), 0, Math.min(lineCount - 1, last), Number.MAX_SAFE_INTEGER);
}
