/** Scans of all files for what has changed since the last one, as long as there are not too many files. */
import { setTimeout as sleep } from "node:timers/promises";
import type { FoundFile } from "../files/file-state.ts";
import { type FileDifference, type FileEntry, FileTree, TooManyFiles } from "../scan/file-tree.ts";
import { FolderWatch } from "../scan/folder-watch.ts";
import { StampTable } from "../scan/stamp-table.ts";
import type { EarlierContents } from "./earlier-contents.ts";

/** Maximum duration of a scan that is repeated before every command. */
const shortScanMs = 25;
/** Time for which the last scan is used when scans take longer. */
const scanValidMs = 10_000;
/** A scan of fewer files is so fast that no folder is watched. */
const minWatchedFiles = 5000;
/** Maximum time that a command waits for the first copies of all files. */
const copyTimeoutMs = 5000;

interface ScanOptions {
  roots: readonly string[];
  /** Not scanned if it is in one of `roots`. */
  storeFolder: string;
  contents: EarlierContents;
  /** Whether folders are watched for the review, which should not wait for a scan. */
  watches: boolean;
  log(line: string): void;
}

export class FileScans {
  readonly #table = new StampTable();
  readonly #tree: FileTree;
  readonly #watch = new FolderWatch();
  readonly #contents: EarlierContents;
  readonly #watches: boolean;
  readonly #log: (line: string) => void;
  #state: "none" | "read" | "off" = "none";
  #count = 0;
  #current = 0;
  #last = { at: 0, tookMs: 0 };
  #copying: Promise<void> | undefined;

  constructor({ roots, storeFolder, contents, watches, log }: ScanOptions) {
    this.#tree = new FileTree(roots, storeFolder, this.#table);
    this.#contents = contents;
    this.#watches = watches;
    this.#log = log;
  }

  /** `none`: the files have not been read yet. `off`: there are too many of them. */
  get state(): "none" | "read" | "off" {
    return this.#state;
  }

  /** Number of the newest scan. */
  get count(): number {
    return this.#count;
  }

  /** Number of the scan that runs, or 0. */
  get current(): number {
    return this.#current;
  }

  /** Time of the last scan of all files. */
  get lastAt(): number {
    return this.#last.at;
  }

  /** Whether the last scan counts for a command that begins now, as another one would take long. */
  get isRecent(): boolean {
    const { at, tookMs } = this.#last;
    return tookMs > shortScanMs && Date.now() - at < scanValidMs;
  }

  /** Reads all files for the first time. `open` is called when they are read, and before they are copied. */
  async read(open: () => void): Promise<void> {
    const started = Date.now();
    try {
      await this.#tree.read();
      this.#state = "read";
      open();
      this.#copying = this.#copyFiles();
      this.watchFolders();
    } catch (error) {
      this.#stop(error);
    }
    this.#last = { at: started, tookMs: Date.now() - started };
  }

  /** Watches the folders that there are now. */
  watchFolders(): void {
    if (this.#watches && this.#table.size >= minWatchedFiles) this.#watch.follow(this.#tree.folders());
  }

  /** @param among files and folders; if they are given, only they are looked at */
  async scan(among?: readonly string[]): Promise<FileDifference[]> {
    const started = Date.now();
    this.#current = ++this.#count;
    const { reads } = this.#tree;
    try {
      const differences = await this.#tree.scan(among);
      if (this.#tree.reads !== reads) this.#copying ??= this.#copyFiles();
      return differences;
    } catch (error) {
      this.#stop(error);
      return [];
    } finally {
      this.#current = 0;
      if (!among) this.#last = { at: started, tookMs: Date.now() - started };
    }
  }

  /** Returns the differences that events have told, so that the review need not wait for a scan of all files. */
  async scanByEvents(): Promise<FileDifference[]> {
    const names = this.#state === "read" ? await this.#watch.take() : undefined;
    return names ? await this.scan(names) : [];
  }

  /** Resolves when the files are copied, or after a time: those that are not copied by then are not saved. */
  async copied(): Promise<void> {
    // Copies of files that have changed by then are not used.
    if (this.#copying) await Promise.race([this.#copying, sleep(copyTimeoutMs, undefined, { ref: false })]);
  }

  /** Returns a file as the last scan has found it; undefined if it was missing, or while a scan runs. */
  entry(name: string): FileEntry | undefined {
    return this.#state === "read" && this.#current === 0 ? this.#tree.entry(name) : undefined;
  }

  /** Remembers a file that was written, so that the next scan does not report it. */
  remember(name: string, found: FoundFile): void {
    this.#tree.refresh(name, found.state.type === "folder" ? undefined : found.stamp);
    this.#contents.note(name, found);
  }

  /** Remembers a folder that was made or removed, so that the next scan does not report it. */
  rememberFolder(name: string): void {
    this.#tree.refreshFolder(name);
  }

  /** Remembers a file that has been read since it was scanned: its stamp and its content must be of the same moment. */
  renew(name: string, found: FoundFile): void {
    this.#tree.updateStamp(name, found.stamp);
    this.#contents.note(name, found);
  }

  async close(): Promise<void> {
    this.#watch.close();
    await this.#table.close();
  }

  async #copyFiles(): Promise<void> {
    try {
      await this.#contents.copyFiles(this.#tree);
    } catch (error) {
      this.#log(`Checkpoints: not all files could be copied: ${error}`);
    }
    this.#copying = undefined;
  }

  /** Stops scanning. @throws `error` unless it is about the number of files */
  #stop(error: unknown): void {
    if (!(error instanceof TooManyFiles)) throw error;
    this.#state = "off";
    this.#watch.close();
    this.#log("Checkpoints: there are too many files here, so only files that tools write by name are saved.");
  }
}
