/** The world of a plain Node process: for headless runs, and what the editor's host is built on. */

import type { Host } from "../host.ts";
import { backgroundOf } from "../run-command/background.ts";
import { nodeOverflow } from "./output-files.ts";
import { nodeSearch } from "./ripgrep.ts";
import { nodeTerminal } from "./terminal.ts";
import { nodeWorkspace } from "./workspace.ts";

export interface NodeHostOptions {
  /** Absolute; commands run in the first. */
  folders: readonly string[];
  trusted: boolean;
  /** Absolute path of a folder for long outputs; made when first needed. */
  overflowDir: string;
  /** Absolute path of ripgrep; that of the npm package, or the one on the PATH, when absent. */
  rgPath?: string;
  /** Files that ask each time, beside those that are known: the user's own, in gitignore's syntax; `!` takes away. */
  secrets?: readonly string[];
}

export function nodeHost({ folders, trusted, overflowDir, rgPath, secrets }: NodeHostOptions): Host {
  const terminal = nodeTerminal();
  const overflow = nodeOverflow(overflowDir);
  return {
    workspace: nodeWorkspace(folders, trusted, secrets),
    terminal,
    search: nodeSearch(rgPath),
    overflow,
    background: backgroundOf(terminal, overflow),
    editor: undefined,
  };
}
