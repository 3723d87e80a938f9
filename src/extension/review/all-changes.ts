/** Knows whether the editor with all changes is in front, and closes it when nothing is left in it. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import { onceAFrame } from "./once-a-frame.ts";
import type { Review } from "./review.ts";

export const allChangesTitle = t("Rondo: Changes to Review");

/** The typed API has no class for a tab with a multi-file diff, so only its title tells it; VS Code adds the count. */
export const isAllChanges = ({ label, input }: vscode.Tab): boolean =>
  label.startsWith(allChangesTitle) && !(input instanceof vscode.TabInputText);

export function watchAllChanges(review: Review): vscode.Disposable {
  let shown = false;
  const update = () => {
    const active = vscode.window.tabGroups.activeTabGroup.activeTab;
    const now = active !== undefined && isAllChanges(active);
    if (now !== shown) void vscode.commands.executeCommand("setContext", "rondo.allChangesShown", now);
    shown = now;
  };
  update();
  return vscode.Disposable.from(
    vscode.window.tabGroups.onDidChangeTabs(update),
    vscode.window.tabGroups.onDidChangeTabGroups(update),
    onceAFrame(review.onDidChange, () => {
      if (review.hasChanges) return;
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(isAllChanges);
      if (tabs.length > 0) void vscode.window.tabGroups.close(tabs, true);
    }),
  );
}
