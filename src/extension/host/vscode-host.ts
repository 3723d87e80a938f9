/** The world as tools see it, in VS Code: files as the editor has them, commands in sight, VS Code's own ripgrep. */
import * as vscode from "vscode";
import type { Host, Terminal, TextSearch } from "../../tools/host.ts";
import { nodeOverflow } from "../../tools/node-host/output-files.ts";
import { nodeSearch } from "../../tools/node-host/ripgrep.ts";
import { nodeTerminal } from "../../tools/node-host/terminal.ts";
import { nodeWorkspace } from "../../tools/node-host/workspace.ts";
import { backgroundOf } from "../../tools/run-command/background.ts";
import { editorWorkspace, type WriteWatch } from "./editor-workspace.ts";
import { integratedTerminal } from "./integrated-terminal.ts";
import { codeEditor } from "./language-services.ts";
import { mirrored } from "./mirrored-terminal.ts";
import { editorRipgrep } from "./ripgrep.ts";

export interface EditorHost extends vscode.Disposable {
  /** All sessions share the files and the terminal. `outputs` is the folder for long outputs, made when first needed. */
  forSession(outputs: string): Host;
  /** Shows the terminal in which a command ran last, if there is one. */
  showTerminal(): void;
}

/** Where commands run, as the settings have it. */
interface TerminalSettings {
  /** `separate`: by Rondo, mirrored into a terminal; `integrated`: in a terminal of the user's own shell. */
  mode: "separate" | "integrated";
  /** Path; "" for the usual one. */
  shell: string;
}

interface EditorHostOptions {
  /** Told of each file that is written. */
  watch: WriteWatch;
  /** Asked for each command. */
  terminal(): TerminalSettings;
  /** Patterns of more files that may hold secrets, in gitignore's syntax, asked when folders or settings change. */
  secrets(): readonly string[];
}

export function vscodeHost({ watch, terminal: settings, secrets }: EditorHostOptions): EditorHost {
  let disk = openFolders(secrets());
  const reopen = () => {
    disk = openFolders(secrets());
  };
  const folders = vscode.Disposable.from(
    vscode.workspace.onDidChangeWorkspaceFolders(reopen),
    vscode.workspace.onDidChangeConfiguration(
      (event) => event.affectsConfiguration("rondo.permission.secrets") && reopen(),
    ),
  );
  const workspace = editorWorkspace(() => disk, watch);
  const shell = () => settings().shell;
  const separate = mirrored(nodeTerminal({ shell }));
  const integrated = integratedTerminal(separate, shell);
  const current = () => (settings().mode === "integrated" ? integrated : separate);
  const terminal: Terminal = {
    get shell() {
      return current().shell;
    },
    run: (command) => current().run(command),
  };
  const search = editorSearch();
  const editor = codeEditor();
  return {
    forSession(outputs) {
      const overflow = nodeOverflow(outputs);
      return { workspace, terminal, search, overflow, background: backgroundOf(terminal, overflow), editor };
    },
    showTerminal: () => current().show(),
    dispose() {
      folders.dispose();
      integrated.dispose();
      separate.dispose();
      editor.dispose();
    },
  };
}

/** The editor's workspace knows whether it is trusted: the disk is asked only when it is. */
function openFolders(secrets: readonly string[]) {
  const uris = vscode.workspace.workspaceFolders?.map(({ uri }) => uri) ?? [];
  const paths = uris.filter(({ scheme }) => scheme === "file").map(({ fsPath }) => fsPath);
  return nodeWorkspace(paths, true, secrets);
}

/** Looks for ripgrep when it is first needed. */
function editorSearch(): TextSearch {
  let found: Promise<TextSearch> | undefined;
  return {
    async ripgrep(...args) {
      found ??= editorRipgrep(vscode.env.appRoot).then(nodeSearch);
      return (await found).ripgrep(...args);
    },
  };
}
