/** Offers once, beside the first diff of a review, to show the lines of actions in diffs, which VS Code leaves out. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import { isAllChanges } from "./all-changes.ts";
import { isBefore } from "./baseline-provider.ts";

const askedKey = "rondo.diffLensesOffered";

/** The setting is for all diffs and all extensions, so that only the user switches it on. */
export function offerDiffLenses(memory: vscode.Memento): vscode.Disposable {
  const look = async () => {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    if (!tab || !isReviewDiff(tab) || memory.get(askedKey) === true) return;
    const settings = vscode.workspace.getConfiguration("diffEditor");
    if (settings.get("codeLens") === true) return;
    await memory.update(askedKey, true);
    const sentence = t(
      "Accept and Reject can stand above each change in diffs, too. VS Code then shows the CodeLenses of all extensions in all diffs.",
    );
    const answer = await vscode.window.showInformationMessage(sentence, t("Show Them"), t("Leave Diffs as They Are"));
    if (answer === "Show Them") await settings.update("codeLens", true, vscode.ConfigurationTarget.Global);
  };
  return vscode.window.tabGroups.onDidChangeTabs(() => void look());
}

function isReviewDiff(tab: vscode.Tab): boolean {
  return isAllChanges(tab) || (tab.input instanceof vscode.TabInputTextDiff && isBefore(tab.input.original));
}
