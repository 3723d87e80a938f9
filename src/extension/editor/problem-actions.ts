/** The lightbulb's actions on problems. Part of the small bundle that VS Code reads at start-up: imports nothing. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";

const titles = { "rondo.fixProblem": t("Fix with Rondo"), "rondo.explainProblem": t("Explain with Rondo") };

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
