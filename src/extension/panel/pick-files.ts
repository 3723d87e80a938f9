/** The picker of the button "Attach": files of the workspace, and a way to those of the whole computer. */
import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";

/** More rows would make VS Code's list slow; its search by "@" knows all files. */
const maxListed = 50_000;

/** Returns the files that the user has chosen. Resolves to none if the picker is left. */
export async function pickFiles(): Promise<vscode.Uri[]> {
  const found = await vscode.workspace.findFiles("**/*", "**/{node_modules,.git}/**", maxListed);
  const { compare } = new Intl.Collator();
  const items = found
    .map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }))
    .sort((a, b) => compare(a.label, b.label));
  return (await pickListed(items)) ?? (await pickOnComputer());
}

/** Returns what was chosen of the list; undefined if the user wants to look elsewhere. */
function pickListed(items: readonly (vscode.QuickPickItem & { uri: vscode.Uri })[]): Promise<vscode.Uri[] | undefined> {
  const picker = vscode.window.createQuickPick<vscode.QuickPickItem & { uri: vscode.Uri }>();
  picker.canSelectMany = true;
  picker.placeholder = t("Files to attach");
  picker.items = items;
  picker.buttons = [{ iconPath: new vscode.ThemeIcon("folder-opened"), tooltip: t("Choose on this computer…") }];
  const chosen = new Promise<vscode.Uri[] | undefined>((resolve) => {
    picker.onDidTriggerButton(() => resolve(undefined));
    picker.onDidAccept(() => resolve(picker.selectedItems.map(({ uri }) => uri)));
    picker.onDidHide(() => resolve([]));
  });
  picker.show();
  return chosen.finally(() => picker.dispose());
}

async function pickOnComputer(): Promise<vscode.Uri[]> {
  const title = t("Files to attach");
  return (await vscode.window.showOpenDialog({ canSelectMany: true, title, openLabel: t("Attach") })) ?? [];
}
