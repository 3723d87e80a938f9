/** The lightbulb's actions on problems. Part of the small bundle that VS Code reads at start-up: imports nothing. */
import * as vscode from "vscode";

const titles = { "rondo.fixProblem": "Fix with Rondo", "rondo.explainProblem": "Explain with Rondo" };

/** Offers to fix and to explain the problems at the cursor or in the selection. */
export function problemActions(): vscode.Disposable {
  const { QuickFix } = vscode.CodeActionKind;
  const provider: vscode.CodeActionProvider = {
    provideCodeActions({ uri }, _range, { diagnostics }) {
      if (diagnostics.length === 0) return [];
      return Object.entries(titles).map(([command, title]) => {
        const action = new vscode.CodeAction(title, QuickFix);
        action.diagnostics = [...diagnostics];
        action.command = { command, title, arguments: [uri, diagnostics] };
        return action;
      });
    },
  };
  const places = [{ scheme: "file" }, { scheme: "untitled" }];
  return vscode.languages.registerCodeActionsProvider(places, provider, { providedCodeActionKinds: [QuickFix] });
}
