import { createHash } from "node:crypto";
import * as vscode from "vscode";

/**
 * Returns the folder of this workspace's sessions and reviews. It is not `storageUri`: while the extension host of a
 * reloaded window lives on, VS Code gives the new window another folder, and the sessions would seem lost.
 */
export function windowStorage(root: vscode.Uri): vscode.Uri {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  const name = workspaceFile?.toString() ?? workspaceFolders.map(({ uri }) => uri.toString()).join("\n");
  const key = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return vscode.Uri.joinPath(root, "workspaces", name === "" ? "none" : key);
}
