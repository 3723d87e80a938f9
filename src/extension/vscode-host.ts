/** The world as tools see it, in VS Code: files as the editor has them, commands in sight, VS Code's own ripgrep. */
import * as vscode from "vscode";
import type { Host, Search } from "../tools/host.ts";
import { nodeWorkspace } from "../tools/node-files.ts";
import { nodeOverflow } from "../tools/node-overflow.ts";
import { nodeSearch } from "../tools/node-search.ts";
import { nodeTerminal } from "../tools/node-terminal.ts";
import { editorRipgrep } from "./host/ripgrep.ts";
import { mirrored } from "./host/terminal.ts";
import { editorWorkspace, type WriteWatch } from "./host/workspace.ts";

export interface EditorHost extends vscode.Disposable {
  /** All sessions share the files and the terminal. `outputs` is the folder for long outputs, made when first needed. */
  forSession(outputs: string): Host;
}

/** `watch` is told of each file that is written. */
export function vscodeHost({ watch }: { watch: WriteWatch }): EditorHost {
  let disk = openFolders();
  const folders = vscode.workspace.onDidChangeWorkspaceFolders(() => {
    disk = openFolders();
  });
  const workspace = editorWorkspace(() => disk, watch);
  const terminal = mirrored(nodeTerminal());
  const search = editorSearch();
  return {
    forSession: (outputs) => ({ workspace, terminal, search, overflow: nodeOverflow(outputs) }),
    dispose() {
      folders.dispose();
      terminal.dispose();
    },
  };
}

/** The editor's workspace knows whether it is trusted: the disk is asked only when it is. */
function openFolders() {
  const uris = vscode.workspace.workspaceFolders?.map(({ uri }) => uri) ?? [];
  const paths = uris.filter(({ scheme }) => scheme === "file").map(({ fsPath }) => fsPath);
  return nodeWorkspace(paths, true);
}

/** Looks for ripgrep when it is first needed. */
function editorSearch(): Search {
  let found: Promise<Search> | undefined;
  return {
    async ripgrep(...args) {
      found ??= editorRipgrep(vscode.env.appRoot).then(nodeSearch);
      return (await found).ripgrep(...args);
    },
  };
}
