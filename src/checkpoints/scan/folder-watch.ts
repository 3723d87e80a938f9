/**
 * Tells which files may have changed, by events of the file system. Events can be lost, and some changes have none
 * (writes to mapped memory, other machines of a network drive), so only a scan knows all changes.
 */
import { type FSWatcher, readFileSync, watch } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { attempt } from "../../base/attempt.ts";

/** Maximum number of paths that are told. A scan is as fast for more. */
const maxPaths = 1000;

/** Only Linux, where an event is queued before the write that caused it returns. */
const maxFolders = process.platform === "linux" ? 5000 : 0;

/** The user's programs share this number of watches, so few of them are taken. */
const watchLimitFile = "/proc/sys/fs/inotify/max_user_watches";
const limitShare = 1 / 8;

export class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changed = new Set<string>();

  /** Watches these folders and no others; none if they are too many, or the system refuses. */
  follow(folders: ReadonlySet<string>): void {
    for (const folder of [...this.#watchers.keys()]) if (!folders.has(folder)) this.#unwatch(folder);
    const most = Math.min(maxFolders, watchLimit() * limitShare);
    const isWatched = folders.size <= most && [...folders].every((folder) => this.#watch(folder));
    if (!isWatched) this.close();
  }

  /** Returns the files that have events since the last call, with their folders; undefined if they are not known. */
  async take(): Promise<string[] | undefined> {
    if (this.#watchers.size === 0) return undefined;
    // Between two turns, the event loop reads all events that the system has queued.
    await setImmediate();
    await setImmediate();
    const paths = [...this.#changed];
    this.#changed.clear();
    return paths.length > maxPaths ? undefined : paths;
  }

  close(): void {
    for (const folder of [...this.#watchers.keys()]) this.#unwatch(folder);
    this.#changed.clear();
  }

  /** Returns false if no more watches are left, or the folder is gone. */
  #watch(folder: string): boolean {
    if (this.#watchers.has(folder)) return true;
    const watcher = attempt(() => watch(folder, { persistent: false }), undefined);
    if (!watcher) return false;
    this.#watchers.set(folder, watcher);
    watcher.on("change", (event, name) => {
      this.#note(folder, event, String(name));
      // The folder itself may be gone. If it is there, or comes back, it is watched again.
      if (event === "rename" && name === path.basename(folder)) this.#unwatch(folder);
    });
    watcher.on("error", () => watcher.close());
    return true;
  }

  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #note(folder: string, event: string, name: string): void {
    if (this.#changed.size > maxPaths) return;
    this.#changed.add(path.join(folder, name));
    // Something was created, deleted or moved in it.
    if (event !== "change") this.#changed.add(folder);
  }
}

const watchLimit = (): number => Number(attempt(() => readFileSync(watchLimitFile, "utf8"), "0"));
