/** The world of a plain Node process: for headless runs, and what the editor's host is built on. */
import type { Host } from "./host.ts";
import { nodeWorkspace } from "./node-files.ts";
import { nodeOverflow } from "./node-overflow.ts";
import { nodeSearch } from "./node-search.ts";
import { nodeTerminal } from "./node-terminal.ts";

export interface NodeHostOptions {
  /** Absolute; commands run in the first. */
  folders: readonly string[];
  trusted: boolean;
  /** Absolute path of a folder for long outputs; made when first needed. */
  overflowDir: string;
  /** Absolute path of ripgrep; that of the npm package, or the one on the PATH, when absent. */
  rgPath?: string;
}

export function nodeHost({ folders, trusted, overflowDir, rgPath }: NodeHostOptions): Host {
  return {
    workspace: nodeWorkspace(folders, trusted),
    terminal: nodeTerminal(),
    search: nodeSearch(rgPath),
    overflow: nodeOverflow(overflowDir),
  };
}
