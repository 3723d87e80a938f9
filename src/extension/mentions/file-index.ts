/** The files that "@" searches: those of the session's folders, listed anew whenever its list opens. */
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { listArguments } from "../../tools/file-access/search-filter.ts";
import type { TextSearch } from "../../tools/host.ts";
import { FileNames } from "./file-search.ts";
import { folderNames } from "./folder-names.ts";

/** Characters of all paths of a folder, about a million files. More are left out. */
const maxCharacters = 64 << 20;

interface IndexOptions {
  search: TextSearch;
  /** Absolute paths of the session's folders. */
  folders(): readonly string[];
}

interface ListedFiles {
  names: FileNames;
  /** Of all folders. */
  folders: string;
}

/** A folder of the session, with its name before the paths of its files. */
interface NamedRoot {
  uri: vscode.Uri;
  name: string;
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

  /** `file`: as in the names; a folder with "/" at its end. */
  uriOf(file: string): vscode.Uri {
    const roots = this.#roots;
    const [only, ...others] = roots;
    if (only && others.length === 0) return vscode.Uri.joinPath(only.uri, file);
    const end = file.indexOf("/");
    const root = roots.find(({ name }) => name === file.slice(0, end));
    const inRoot = file.slice(end + 1);
    return vscode.Uri.joinPath(root?.uri ?? vscode.Uri.file("/"), ...(inRoot === "" ? [] : [inRoot]));
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

  /** Returns the name of a file or folder in the index; undefined if it is in none of the session's folders. */
  nameOf(uri: vscode.Uri): string | undefined {
    const roots = this.#roots;
    const isIn = ({ scheme, path: folder }: vscode.Uri) =>
      uri.scheme === scheme && (uri.path === folder || uri.path.startsWith(`${folder}/`));
    const root = roots.find((one) => isIn(one.uri));
    if (!root) return undefined;
    const inRoot = uri.path.slice(root.uri.path.length + 1);
    if (inRoot === "") return root.name;
    return roots.length === 1 ? inRoot : `${root.name}/${inRoot}`;
  }

  /**
   * Lists the files of any folder, in order, relative to it. Those that git ignores are listed where there are no others.
   * Never rejects.
   */
  async filesIn(folder: vscode.Uri): Promise<string[]> {
    if (folder.scheme !== "file") return [...(await this.#virtual.list(folder))].sort();
    const files = await this.#onDisk(folder, false);
    return (files.length > 0 ? files : await this.#onDisk(folder, true)).sort();
  }

  /** The folders may be others by now: those of another session. */
  #current(ignored: boolean): ListedFiles | undefined {
    const listing = this.#listings.get(ignored);
    const isSame = listing && listing.folders === keyOf(this.#roots);
    return isSame ? listing : undefined;
  }

  get #roots(): NamedRoot[] {
    const onDisk = this.#options.folders().map((folder) => vscode.Uri.file(folder));
    const virtual = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme !== "file");
    const uris = [...onDisk, ...virtual.map(({ uri }) => uri)];
    const names = folderNames(uris.map((uri) => ({ name: nameOfFolder(uri), path: uri.path })));
    return uris.map((uri, at) => ({ uri, name: names[at] ?? "" }));
  }

  async #list(ignored: boolean): Promise<boolean> {
    const roots = this.#roots;
    const lists = await Promise.all(
      roots.map(async ({ uri, name }) => {
        const files = uri.scheme === "file" ? await this.#onDisk(uri, ignored) : await this.#virtual.list(uri);
        return roots.length === 1 ? files : files.map((file) => `${name}/${file}`);
      }),
    );
    const before = this.#current(ignored)?.names.paths ?? [];
    const names = new FileNames(lists.flat());
    this.#listings.set(ignored, { names, folders: keyOf(roots) });
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

/** As VS Code calls it. */
function nameOfFolder(uri: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  return folder?.uri.toString() === uri.toString() ? folder.name : path.posix.basename(uri.path);
}

const keyOf = (roots: readonly NamedRoot[]): string => roots.map(({ uri, name }) => `${name} ${uri}`).join("\n");

// Lists the files of folders that are on no disk. An extension lists them, which may be slow; where none does, VS Code
// waits for one without end ("No search provider registered for scheme: …, waiting" in
// https://github.com/microsoft/vscode/blob/main/src/vs/workbench/services/search/common/searchService.ts).

/** VS Code lists such files slowly. */
const maxFiles = 5_000;
/** Then what was listed last is taken. */
const patienceMs = 500;

interface VirtualListing {
  files: readonly string[];
  /** Undefined: nothing is listed at present. */
  running: Promise<void> | undefined;
}

class VirtualFiles {
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
