import * as vscode from "vscode";

/** Returns the files in tabs, each once, the one of the active editor first. */
export function openFiles(): vscode.Uri[] {
  const active = vscode.window.activeTextEditor?.document.uri;
  const inTabs = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(({ input }) =>
      input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook ? [input.uri] : [],
    );
  const isOpen = (uri: vscode.Uri) => inTabs.some((one) => one.toString() === uri.toString());
  // The output panel counts as an active editor, too.
  const all = active && isOpen(active) ? [active, ...inTabs] : inTabs;
  const files = all.filter(({ scheme }) => scheme === "file" || vscode.workspace.fs.isWritableFileSystem(scheme));
  return [...new Map(files.map((uri) => [uri.toString(), uri])).values()];
}
