/** The tools' host in VS Code: files through the editor, commands in terminals, VS Code's own ripgrep. */
import * as vscode from "vscode";
import { passedVariables } from "../../base/node/without-keys.ts";
import type { Host, SandboxMode, Terminal, TextSearch, Workspace } from "../../tools/host.ts";
import { nodeOverflow } from "../../tools/node-host/output-files.ts";
import { nodeSearch } from "../../tools/node-host/ripgrep.ts";
import { nodeTerminal } from "../../tools/node-host/terminal.ts";
import { nodeWorkspace } from "../../tools/node-host/workspace.ts";
import { backgroundOf } from "../../tools/run-command/background.ts";
import { backgroundNotes } from "../../tools/run-command/background-notes.ts";
import { commandMarkers } from "../../tools/run-command/command-markers.ts";
import type { Settings } from "../settings.ts";
import { openFolders } from "./documents.ts";
import { editorWorkspace, type WriteWatch } from "./editor-workspace.ts";
import { integratedTerminal } from "./integrated-terminal.ts";
import { codeEditor } from "./language-services.ts";
import { mirrored } from "./mirrored-terminal.ts";
import { editorRipgrep } from "./ripgrep.ts";

export interface EditorHost extends vscode.Disposable {
  readonly workspace: Workspace;
  readonly search: TextSearch;
  /**
   * Sessions share the files and the terminal, unless one has a folder of its own. Changes there are not reviewed in the
   * editor, but when they are merged. `outputs` is the folder for long outputs, created when needed.
   */
  forSession(outputs: string, ownFolder?: string): Host;
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
  /** Folders in which Rondo keeps its own state. */
  state: readonly string[];
  /** Folder of the markers of running commands. */
  markersFolder: string;
}

export function vscodeHost({
  watch,
  terminal: settings,
  sandbox,
  secrets,
  state,
  markersFolder,
}: EditorHostOptions): EditorHost {
  // The folders count as trusted here: the editor's workspace checks trust before it uses the disk.
  const open = () => nodeWorkspace(openFolders(), true, secrets(), state);
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
  const markers = commandMarkers(markersFolder);
  const separate = mirrored(nodeTerminal({ shell, passed, sandbox, folders: openFolders, state, markers }));
  const integrated = integratedTerminal(separate, { shell, passed, markers });
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
  const apart = new Map<string, Pick<Host, "workspace" | "terminal">>();
  function placeOf(ownFolder: string | undefined): Pick<Host, "workspace" | "terminal"> {
    if (ownFolder === undefined) return { workspace, terminal };
    const known = apart.get(ownFolder);
    if (known) return known;
    const own = mirrored(nodeTerminal({ shell, passed, sandbox, folders: () => [ownFolder], state, markers }));
    ownTerminals.push(own);
    const place = {
      workspace: editorWorkspace(() => nodeWorkspace([ownFolder], true, secrets(), state), { begin: () => () => {} }),
      terminal: own,
    };
    apart.set(ownFolder, place);
    return place;
  }
  const ownTerminals: vscode.Disposable[] = [];
  return {
    workspace,
    search,
    forSession(outputs, ownFolder) {
      const overflow = nodeOverflow(outputs);
      const place = placeOf(ownFolder);
      const background = backgroundOf(place.terminal, overflow, undefined, backgroundNotes(outputs));
      return { ...place, search, overflow, background, editor };
    },
    showTerminal: () => current().show(),
    dispose() {
      folders.dispose();
      integrated.dispose();
      separate.dispose();
      editor.dispose();
      for (const one of ownTerminals) one.dispose();
    },
  };
}
