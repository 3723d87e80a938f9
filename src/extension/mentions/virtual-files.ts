/**
 * Lists the files of folders that are on no disk. An extension lists them, which may be slow; where none does, VS Code
 * waits for one without end ("No search provider registered for scheme: …, waiting" in
 * https://github.com/microsoft/vscode/blob/main/src/vs/workbench/services/search/common/searchService.ts).
 */
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";

/** VS Code lists such files slowly. */
const maxFiles = 5_000;
/** Then what was listed last is taken. */
const patienceMs = 500;

interface VirtualListing {
  files: readonly string[];
  /** Undefined: nothing is listed at present. */
  running: Promise<void> | undefined;
}

export class VirtualFiles {
  readonly #listings = new Map<string, VirtualListing>();

  /** Returns the files relative to the folder; what takes long is there with a later call. Never rejects. */
  async list(folder: vscode.Uri): Promise<readonly string[]> {
    const key = folder.toString();
    const listing = this.#listings.get(key) ?? { files: [], running: undefined };
    this.#listings.set(key, listing);
    listing.running ??= find(folder)
      .then((files) => {
        listing.files = files;
      })
      // A folder that cannot be listed has the files that it had.
      .catch(() => undefined)
      .finally(() => {
        listing.running = undefined;
      });
    await Promise.race([listing.running, sleep(patienceMs, undefined, { ref: false })]);
    return listing.files;
  }
}

async function find(folder: vscode.Uri): Promise<string[]> {
  const pattern = new vscode.RelativePattern(folder, "**/*");
  const found = await vscode.workspace.findFiles(pattern, "**/{node_modules,.git}/**", maxFiles);
  return found.map((uri) => path.posix.relative(folder.path, uri.path));
}
