/** Commands that bring something of VS Code into the chat: problems, tests, terminals, the Debug Console. */

import * as vscode from "vscode";
import type { EditorContextKind } from "../../chat/editor-views.ts";
import type { Attachment } from "../../chat/prompt-input.ts";
import { t } from "../../l10n/l10n.ts";
import type { Attachments } from "../attachments/attachments.ts";
import type { Composer } from "../composer/composer.ts";
import type { PanelContext } from "../panel/handlers.ts";
import type { Panel } from "../panel/panel.ts";
import { reportedIn } from "../panel/reported.ts";
import { type EditorContexts, textAttachment } from "./editor-contexts.ts";
import { describeProblems } from "./problem-prompt.ts";
import { type ChosenTest, chosenTest, describeTest, testName } from "./test-context.ts";

interface ContextCommandOptions {
  page: PanelContext;
  composer: Composer;
  panel: Panel;
  files: Attachments;
  contexts: EditorContexts;
}

type Command = (...args: unknown[]) => Promise<void>;

/** Lines shown with a problem, before and after it. */
const linesAround = 10;

export function contextCommands(options: ContextCommandOptions): Record<string, Command> {
  const { page, composer, panel, files, contexts } = options;
  const reported = reportedIn(page);
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

function isDiagnostics(value: unknown): value is vscode.Diagnostic[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => one instanceof vscode.Diagnostic);
}

function around({ lineCount }: vscode.TextDocument, diagnostics: readonly vscode.Diagnostic[]): vscode.Selection {
  const first = Math.min(...diagnostics.map(({ range }) => range.start.line)) - linesAround;
  const last = Math.max(...diagnostics.map(({ range }) => range.end.line)) + linesAround;
  // A selection takes the lines up to the start of the one after the last.
  return new vscode.Selection(Math.max(0, first), 0, Math.min(lineCount - 1, last), Number.MAX_SAFE_INTEGER);
}
