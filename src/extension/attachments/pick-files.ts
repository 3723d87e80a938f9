/** The picker of the button "Attach": files of the workspace, and a way to those of the whole computer. */
import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";

/** More rows would make VS Code's list slow; its search by "@" knows all files. */
const maxListed = 50_000;

interface FileItem extends vscode.QuickPickItem {
  uri: vscode.Uri;
}

/** Returns the files that the user has chosen. Resolves to none if the picker is left. */
export async function pickFiles(): Promise<vscode.Uri[]> {
  return (await pickListed()) ?? (await pickOnComputer());
}

/** Returns what was chosen of the list; undefined if the user wants to look elsewhere. */
function pickListed(): Promise<vscode.Uri[] | undefined> {
  const picker = vscode.window.createQuickPick<FileItem>();
  picker.canSelectMany = true;
  picker.placeholder = t("Files to attach");
  picker.buttons = [{ iconPath: new vscode.ThemeIcon("folder-opened"), tooltip: t("Choose on this computer…") }];
  const chosen = new Promise<vscode.Uri[] | undefined>((resolve) => {
    picker.onDidTriggerButton(() => resolve(undefined));
    picker.onDidAccept(() => resolve(picker.selectedItems.map(({ uri }) => uri)));
    picker.onDidHide(() => resolve([]));
  });
  // VS Code may wait long, or without end, for folders that are on no disk: the button is there meanwhile.
  picker.busy = true;
  picker.show();
  const left = new vscode.CancellationTokenSource();
  const fill = (items: readonly FileItem[]) => {
    if (left.token.isCancellationRequested) return;
    picker.items = items;
    picker.busy = false;
  };
  void listed(left.token).then(fill, () => fill([]));
  return chosen.finally(() => {
    left.cancel();
    left.dispose();
    picker.dispose();
  });
}

async function listed(token: vscode.CancellationToken): Promise<FileItem[]> {
  const found = await vscode.workspace.findFiles("**/*", "**/{node_modules,.git}/**", maxListed, token);
  const { compare } = new Intl.Collator();
  return found
    .map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }))
    .sort((a, b) => compare(a.label, b.label));
}

async function pickOnComputer(): Promise<vscode.Uri[]> {
  const title = t("Files to attach");
  return (await vscode.window.showOpenDialog({ canSelectMany: true, title, openLabel: t("Attach") })) ?? [];
}
