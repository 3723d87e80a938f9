/** Watches files on disk: those under review, and those that a review may come back to. */

import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { exists } from "../host/documents.ts";
import { maxCreated } from "./moved-files.ts";

interface DiskWatchOptions {
  /** A file may have changed. */
  look(uri: vscode.Uri): void;
  /** Whether the file is not watched on its own but wanted all the same. */
  isWanted(key: string): boolean;
  /** The keys of all files that are wanted. */
  wanted(): Iterable<string>;
  /** A file was created whose content may be one of a file that disappeared. */
  created(uri: vscode.Uri): void;
}

/** Time without events after which files that disappeared unnoticed are looked for. */
const quietMs = 300;

export class DiskWatch implements vscode.Disposable {
  readonly #options: DiskWatchOptions;
  readonly #followed = new Set<string>();
  /** Of files that the workspace's watcher may not report. */
  readonly #watchers = new Map<string, vscode.Disposable>();
  /** Watches all files of the workspace. VS Code watches them anyway. */
  #workspace: vscode.Disposable | undefined;
  #holds = 0;
  #quiet: NodeJS.Timeout | undefined;
  readonly #late = new Map<string, vscode.Uri>();

  constructor(options: DiskWatchOptions) {
    this.#options = options;
  }

  get isHeld(): boolean {
    return this.#holds > 0;
  }

  dispose(): void {
    clearTimeout(this.#quiet);
    for (const one of this.#watchers.values()) one.dispose();
    this.#workspace?.dispose();
  }

  /** Looks at the file now, or when no command runs any more. */
  see(uri: vscode.Uri): void {
    if (this.isHeld) this.#late.set(uri.toString(), uri);
    else this.#options.look(uri);
  }

  /** Looks at no file until the result is called: who has changed it is known only then. */
  hold(): () => void {
    this.#holds++;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      if (--this.#holds > 0) return;
      const late = [...this.#late.values()];
      this.#late.clear();
      for (const uri of late) this.#options.look(uri);
    };
  }

  follow(uri: vscode.Uri): void {
    const key = uri.toString();
    this.watchWorkspace();
    if (this.#followed.has(key)) return;
    this.#followed.add(key);
    if (!isWatched(uri)) this.#watchers.set(key, this.#watch(uri));
  }

  leave(key: string): void {
    this.#followed.delete(key);
    this.#watchers.get(key)?.dispose();
    this.#watchers.delete(key);
  }

  #watch(uri: vscode.Uri): vscode.Disposable {
    const name = uri.path.slice(uri.path.lastIndexOf("/") + 1);
    // Brackets and the like in a name must not become a pattern.
    const pattern = name.replaceAll(/[*?[\]{}]/g, "?");
    const watcher = vscode.workspace.createFileSystemWatcher(
      new vscode.RelativePattern(vscode.Uri.joinPath(uri, ".."), pattern),
    );
    const look = (changed: vscode.Uri) => {
      if (changed.path === uri.path) this.see(uri);
    };
    watcher.onDidChange(look);
    watcher.onDidCreate(look);
    watcher.onDidDelete(look);
    return watcher;
  }

  /** Watches for files that are wanted although they are not followed. */
  watchWorkspace(): void {
    if (this.#workspace) return;
    const watcher = vscode.workspace.createFileSystemWatcher("**/*");
    const look = (uri: vscode.Uri) => {
      const key = uri.toString();
      clearTimeout(this.#quiet);
      this.#quiet = setTimeout(() => void this.#findGone(), quietMs);
      if (this.#followed.has(key) || this.#options.isWanted(key)) this.see(uri);
    };
    watcher.onDidChange(look);
    watcher.onDidDelete(look);
    watcher.onDidCreate((uri) => {
      look(uri);
      this.#options.created(uri);
      void this.#createdBelow(uri, look);
    });
    this.#workspace = watcher;
  }

  /**
   * VS Code does not report files that a new folder had before VS Code watched it, so none of a folder that was moved:
   * https://github.com/parcel-bundler/watcher/issues/243
   */
  async #createdBelow(folder: vscode.Uri, look: (uri: vscode.Uri) => void): Promise<void> {
    if (folder.scheme !== "file" || !(await isFolder(folder.fsPath))) return;
    const known = [...this.#followed, ...this.#options.wanted()].filter((key) => key.startsWith(`${folder}/`));
    for (const key of new Set(known)) look(vscode.Uri.parse(key));
    for (const file of await filesBelow(folder.fsPath, maxCreated)) this.#options.created(vscode.Uri.file(file));
  }

  /** VS Code reports nothing about a file that is created and deleted within the delay of its watcher. */
  async #findGone(): Promise<void> {
    await Promise.all(
      [...this.#followed].map(async (key) => {
        const uri = vscode.Uri.parse(key);
        if (!(await exists(uri)) && this.#followed.has(key)) this.see(uri);
      }),
    );
  }
}

/** Whether the workspace's watcher reports the file. VS Code leaves out folders such as `node_modules` and `.git`. */
const isWatched = (uri: vscode.Uri): boolean =>
  vscode.workspace.getWorkspaceFolder(uri) !== undefined && !/\/(?:node_modules|\.[^/]+)\//.test(uri.path);

/** Folders that VS Code's watcher leaves out, or that hold no text a user reviews. */
const leftOut = new Set(["node_modules", ".git"]);

/** A link to a folder is one, too; what is gone is none. */
async function isFolder(place: string): Promise<boolean> {
  return await stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/**
 * Returns the absolute paths of regular files below a folder, those near it first. Links are not followed; what cannot
 * be read has none.
 * @param most maximum number of files, and of folders that are read
 */
async function filesBelow(folder: string, most: number): Promise<string[]> {
  const files: string[] = [];
  const folders = [folder];
  for (const [read, next] of folders.entries()) {
    if (read === most || files.length >= most) break;
    const entries: Dirent[] = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const place = path.join(next, entry.name);
      if (entry.isFile()) files.push(place);
      else if (entry.isDirectory() && !leftOut.has(entry.name)) folders.push(place);
    }
  }
  return files.slice(0, most);
}
