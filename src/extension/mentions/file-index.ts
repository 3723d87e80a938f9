/** The files that "@" searches: those of the session's folders, listed anew whenever its list opens. */
import path from "node:path";
import * as vscode from "vscode";
import { listArguments } from "../../tools/file-access/search-filter.ts";
import type { TextSearch } from "../../tools/host.ts";
import { FileNames } from "./file-search.ts";
import { VirtualFiles } from "./virtual-files.ts";

/** Characters of all paths of a folder, about a million files. More are left out. */
const maxCharacters = 64 << 20;

interface IndexOptions {
  search: TextSearch;
  /** Absolute paths of the session's folders. */
  folders(): readonly string[];
}

interface ListedFiles {
  names: FileNames;
  folders: readonly vscode.Uri[];
}

export class FileIndex {
  readonly #options: IndexOptions;
  readonly #listings = new Map<boolean, ListedFiles>();
  readonly #listing = new Map<boolean, Promise<boolean>>();
  readonly #virtual = new VirtualFiles();

  constructor(options: IndexOptions) {
    this.#options = options;
  }

  /** Returns the files as they were listed last; undefined before that. `ignored`: also those that git ignores. */
  names(ignored: boolean): FileNames | undefined {
    return this.#current(ignored)?.names;
  }

  /**
   * Lists the files as they are after this call. Resolves to whether they have changed. Never rejects: what cannot be
   * listed has no files.
   */
  async refresh(ignored: boolean): Promise<boolean> {
    const running = this.#listing.get(ignored);
    // What runs may have passed a folder before a file came into it.
    const listing = running ? running.then(() => this.#list(ignored)) : this.#list(ignored);
    this.#listing.set(ignored, listing);
    try {
      return await listing;
    } finally {
      if (this.#listing.get(ignored) === listing) this.#listing.delete(ignored);
    }
  }

  /** `file`: as in the names. */
  uriOf(file: string): vscode.Uri {
    const folders = this.#listings.get(false)?.folders ?? this.#folders;
    const [only, ...others] = folders;
    if (only && others.length === 0) return vscode.Uri.joinPath(only, file);
    const folder = folders.find((one) => file.startsWith(`${nameOfFolder(one)}/`));
    return vscode.Uri.joinPath(folder ?? vscode.Uri.file("/"), file.slice(file.indexOf("/") + 1));
  }

  /**
   * Returns the file that is meant by a path which is relative to a folder further down, if only one can be meant.
   * `file`: with "/".
   */
  async meant(file: string): Promise<vscode.Uri | undefined> {
    if (!this.names(false)) await this.refresh(false);
    const path = this.names(false)?.onlyWithEnd(file);
    return path === undefined ? undefined : this.uriOf(path);
  }

  /** Returns the name of a file in the index; undefined if it is in none of the folders. */
  nameOf(uri: vscode.Uri): string | undefined {
    const folders = this.#folders;
    const folder = folders.find((one) => uri.scheme === one.scheme && uri.path.startsWith(`${one.path}/`));
    if (!folder) return undefined;
    const name = uri.path.slice(folder.path.length + 1);
    return folders.length === 1 ? name : `${nameOfFolder(folder)}/${name}`;
  }

  /** The folders may be others by now: those of another session. */
  #current(ignored: boolean): ListedFiles | undefined {
    const listing = this.#listings.get(ignored);
    const isSame = listing && String(listing.folders) === String(this.#folders);
    return isSame ? listing : undefined;
  }

  get #folders(): vscode.Uri[] {
    const onDisk = this.#options.folders().map((folder) => vscode.Uri.file(folder));
    const virtual = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme !== "file");
    return [...onDisk, ...virtual.map(({ uri }) => uri)];
  }

  async #list(ignored: boolean): Promise<boolean> {
    const folders = this.#folders;
    const lists = await Promise.all(
      folders.map(async (folder) => {
        const files = folder.scheme === "file" ? await this.#onDisk(folder, ignored) : await this.#virtual.list(folder);
        return folders.length === 1 ? files : files.map((file) => `${nameOfFolder(folder)}/${file}`);
      }),
    );
    const before = this.#current(ignored)?.names.paths ?? [];
    const names = new FileNames(lists.flat());
    this.#listings.set(ignored, { names, folders });
    return before.length !== names.paths.length || names.paths.some((file, at) => file !== before[at]);
  }

  async #onDisk(folder: vscode.Uri, ignored: boolean): Promise<string[]> {
    let listed = "";
    try {
      await this.#options.search.ripgrep(["--files", ...listArguments, ...(ignored ? ["--no-ignore"] : [])], {
        cwd: folder.fsPath,
        limit: maxCharacters,
        signal: AbortSignal.timeout(30_000),
        take: (text) => {
          listed += text;
        },
      });
    } catch {
      // What was listed until then can be searched.
    }
    const files = listed.split("\0");
    // The last one ends a whole path with NUL, or is a part of one.
    files.pop();
    return files.map((file) => (file.startsWith("./") ? file.slice(2) : file));
  }
}

/** Two folders of a workspace may have the same name: then the first is meant. */
function nameOfFolder(folder: vscode.Uri): string {
  return vscode.workspace.getWorkspaceFolder(folder)?.name ?? path.posix.basename(folder.path);
}
