import * as vscode from "vscode";

/**
 * Returns the name of a file that the tools understand, too: relative to the first folder of the workspace, where they
 * begin, else absolute. VS Code's own has the name of the folder before it where there are several folders.
 */
export function toldName(uri: vscode.Uri): string {
  const isAlone = (vscode.workspace.workspaceFolders ?? []).length < 2;
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (isAlone || uri.scheme !== "file") return vscode.workspace.asRelativePath(uri);
  return folder && folder.index > 0 ? uri.fsPath : vscode.workspace.asRelativePath(uri, false);
}
