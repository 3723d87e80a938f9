/** Commands that bring something of VS Code into the chat: problems, tests, terminals, the Debug Console. */
import * as vscode from "vscode";
import type { Attachment } from "../../chat/prompt-input.ts";
import { PlainTextRenderer } from "../../tools/run-command/plain-text.ts";
import { Shortener } from "../../tools/text/truncate.ts";
import type { Attachments } from "../panel/attachments.ts";
import type { Composer } from "../panel/composer.ts";
import type { PanelContext } from "../panel/handlers.ts";
import type { Panel } from "../panel/panel.ts";
import { reportedIn } from "../panel/reported.ts";
import type { DebugOutput } from "./debug-output.ts";
import { describeProblems } from "./problem-prompt.ts";
import { copiedBy, copyLastCommand, copySelection } from "./terminal-text.ts";
import { type ChosenTest, chosenTest, describeTest, testName } from "./test-context.ts";

interface ContextCommandOptions {
  page: PanelContext;
  composer: Composer;
  panel: Panel;
  files: Attachments;
  debugOutput: DebugOutput;
}

type Command = (...args: unknown[]) => Promise<void>;

/** Lines shown with a problem, before and after it. */
const linesAround = 10;

export function contextCommands(options: ContextCommandOptions): Record<string, Command> {
  const { page, composer, panel, files, debugOutput } = options;
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
  const addCopied = (command: string, nothing: string) =>
    reported(async () => {
      const name = vscode.window.activeTerminal?.name;
      const text = name === undefined ? undefined : await copiedBy(command);
      if (text === undefined) return inform(nothing);
      await add(textAttachment(`Terminal ${name}`, text));
    });
  const withTest = (act: (chosen: ChosenTest, attachment: Attachment) => Promise<void>) =>
    reported(async (argument) => {
      const chosen = chosenTest(argument);
      if (!chosen) return inform("Use this command in the menu of a test or of its message.");
      await act(chosen, textAttachment(`Test ${testName(chosen.test)}`, describeTest(chosen)));
    });
  return {
    "rondo.fixProblem": ask((problems) => `Fix these problems in ${problems}`),
    "rondo.explainProblem": ask(
      (problems) => `Explain these problems and how to fix them, without changing anything. They are in ${problems}`,
    ),
    "rondo.addTerminalSelection": addCopied(copySelection, "Select text in the terminal first."),
    "rondo.addTerminalCommand": addCopied(
      copyLastCommand,
      "The terminal does not know its last command: that needs VS Code's shell integration.",
    ),
    "rondo.addTest": withTest(async (_, attachment) => await add(attachment)),
    "rondo.fixTest": withTest(async ({ test, message }, attachment) => {
      await panel.reveal();
      const run = message ? "" : " Run it to see how it fails.";
      await composer.prompt({ text: `Make the test "${testName(test)}" pass.${run}`, attachments: [attachment] });
    }),
    "rondo.addDebugOutput": reported(async () => {
      const output = debugOutput.current;
      if (!output) return inform("The Debug Console has no output yet. Rondo sees it from its first use in a window.");
      await add(textAttachment(`Debug Console ${output.name}`, output.text));
    }),
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

/** Attaches a text that is no file: without escape sequences, its middle left out if it is too long. */
function textAttachment(filename: string, text: string): Attachment {
  const shortener = new Shortener(() => {});
  const renderer = new PlainTextRenderer((piece) => shortener.push(piece));
  renderer.push(text);
  renderer.end();
  const shown = shortener.shown("The rest was not attached.");
  const data = Buffer.from(shown.toWellFormed()).toString("base64");
  return { mime: "text/plain", filename, url: `data:text/plain;base64,${data}` };
}
