/** The host of a plain Node process: for headless runs, and the base of the editor's host. */
import type { Host, SandboxMode } from "../host.ts";
import { backgroundOf } from "../run-command/background.ts";
import { backgroundNotes } from "../run-command/background-notes.ts";
import { nodeOverflow } from "./output-files.ts";
import { nodeSearch } from "./ripgrep.ts";
import { nodeTerminal } from "./terminal.ts";
import { nodeWorkspace } from "./workspace.ts";

export interface NodeHostOptions {
  /** Absolute. */
  folders: readonly string[];
  trusted: boolean;
  /** Absolute; created on first use. */
  overflowDir: string;
  /** By default that of the npm package, or the one on the PATH. */
  rgPath?: string;
  /** Further protected files from the user's settings, in gitignore's syntax; `!` removes one. */
  secrets?: readonly string[];
  /** Variables that the user lets through to commands. */
  passed?: NodeJS.ProcessEnv;
  /** By default commands run without a sandbox. */
  sandbox?: SandboxMode;
  /** Folders in which Rondo keeps its own state, besides the usual ones. */
  state?: readonly string[];
}

export function nodeHost({
  folders,
  trusted,
  overflowDir,
  rgPath,
  secrets,
  passed = {},
  sandbox = "off",
  state = [],
}: NodeHostOptions): Host {
  const terminal = nodeTerminal({ passed: () => passed, sandbox: () => sandbox, folders: () => folders, state });
  const overflow = nodeOverflow(overflowDir);
  return {
    workspace: nodeWorkspace(folders, trusted, secrets, state),
    terminal,
    search: nodeSearch(rgPath),
    overflow,
    background: backgroundOf(terminal, overflow, undefined, backgroundNotes(overflowDir)),
    editor: undefined,
  };
}
