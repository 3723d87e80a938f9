/** The tools' host in VS Code: files through the editor, commands in terminals, VS Code's own ripgrep. */
import * as vscode from "vscode";
import type { Host, SandboxMode, Terminal, TextSearch } from "../../tools/host.ts";
import { nodeOverflow } from "../../tools/node-host/output-files.ts";
import { nodeSearch } from "../../tools/node-host/ripgrep.ts";
import { nodeTerminal } from "../../tools/node-host/terminal.ts";
import { nodeWorkspace } from "../../tools/node-host/workspace.ts";
import { backgroundOf } from "../../tools/run-command/background.ts";
import { passedVariables } from "../../tools/run-command/without-keys.ts";
import type { Settings } from "../settings.ts";
import { openFolders } from "./documents.ts";
import { editorWorkspace, type WriteWatch } from "./editor-workspace.ts";
import { integratedTerminal } from "./integrated-terminal.ts";
import { codeEditor } from "./language-services.ts";
import { mirrored } from "./mirrored-terminal.ts";
import { editorRipgrep } from "./ripgrep.ts";

export interface EditorHost extends vscode.Disposable {
  /** All sessions share the files and the terminal. `outputs` is the folder for long outputs, created when needed. */
  forSession(outputs: string): Host;
  showTerminal(): void;
}

interface EditorHostOptions {
  watch: WriteWatch;
  /** Called for each command. */
  terminal(): Settings["terminal"];
  /** Called for each command. */
  sandbox(): SandboxMode;
  /** Patterns of further secret files, in the syntax of `.gitignore`. Called when folders or settings change. */
  secrets(): readonly string[];
}

export function vscodeHost({ watch, terminal: settings, sandbox, secrets }: EditorHostOptions): EditorHost {
  // The folders count as trusted here: the editor's workspace checks trust before it uses the disk.
  const open = () => nodeWorkspace(openFolders(), true, secrets());
  let disk = open();
  const reopen = () => {
    disk = open();
  };
  const folders = vscode.Disposable.from(
    vscode.workspace.onDidChangeWorkspaceFolders(reopen),
    vscode.workspace.onDidChangeConfiguration((e) => e.affectsConfiguration("rondo.permission.secrets") && reopen()),
  );
  const workspace = editorWorkspace(() => disk, watch);
  const shell = () => settings().shell;
  const passed = () => passedVariables(settings().passEnvironment, process.env);
  const separate = mirrored(nodeTerminal({ shell, passed, sandbox, folders: openFolders }));
  const integrated = integratedTerminal(separate, { shell, passed });
  // What is typed into the user's shell cannot be put into the sandbox.
  const current = () => (settings().mode === "integrated" && sandbox() === "off" ? integrated : separate);
  const terminal: Terminal = {
    get shell() {
      return current().shell;
    },
    get sandbox() {
      return current().sandbox;
    },
    run: (command) => current().run(command),
  };
  let found: Promise<TextSearch> | undefined;
  const search: TextSearch = {
    async ripgrep(...args) {
      found ??= editorRipgrep(vscode.env.appRoot).then(nodeSearch);
      return (await found).ripgrep(...args);
    },
  };
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
