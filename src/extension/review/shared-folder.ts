/** A folder of small files that all windows on a workspace read and write, one at a time. */
import { type FSWatcher, mkdirSync, readdirSync, readFileSync, rmSync, statSync, watch } from "node:fs";
import path from "node:path";
import { attempt } from "../../base/attempt.ts";
import { parseJson } from "../../base/json.ts";
import { LockFile, takeLock } from "../../record/lock-file.ts";
import { unfinishedEnding, writeWholeNow } from "../host/write-whole.ts";

/** A window holds the lock for milliseconds. It is taken from one that has ended at once, from one that hangs later. */
const lockTimeoutMs = 10_000;
/** So long a window waits for the lock; then it goes on without, and tells what it has to tell later. */
const maxWaitMs = 400;
const waitMs = 2;
/** Events of one change come together. */
const quietMs = 20;

const nap = new Int32Array(new SharedArrayBuffer(4));

/** The lock of all files that windows on this workspace share. What runs under it must not wait. */
export class SharedLock {
  readonly #file: string;
  #lock: LockFile | undefined;

  /** `storage`: the extension's folder for this workspace; it need not exist. */
  constructor(storage: string) {
    this.#file = path.join(storage, "review.lock");
  }

  /** Whether this window holds the lock. */
  get isHeld(): boolean {
    return this.#lock?.isOurs === true;
  }

  /** Runs under the lock, or without it if another window does not let go of it, or it cannot be written. */
  run<T>(action: () => T): T {
    if (this.#lock) return action();
    this.#lock = attempt(() => this.#take(), undefined);
    try {
      return action();
    } finally {
      this.#lock?.release();
      this.#lock = undefined;
    }
  }

  #take(): LockFile | undefined {
    mkdirSync(path.dirname(this.#file), { recursive: true });
    for (const end = Date.now() + maxWaitMs; Date.now() < end; Atomics.wait(nap, 0, 0, waitMs)) {
      const lock = takeLock(this.#file, { sessionId: "", runId: "" }, lockTimeoutMs);
      if (lock instanceof LockFile) return lock;
    }
    return undefined;
  }
}

export class SharedFolder {
  readonly #folder: string;
  /** By name: which version of a file this window has read or written. */
  readonly #known = new Map<string, string>();
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #changed = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  names(): string[] {
    return attempt(() => readdirSync(this.#folder), []).filter((name) => name.endsWith(".json"));
  }

  /** Returns the file's content if it is another one than this window knows. `missing`: there is no file any more. */
  changed(name: string): { type: "same" } | { type: "missing" } | { type: "fresh"; json: unknown } {
    const version = this.#version(name);
    if (version === this.#known.get(name)) return { type: "same" };
    const text = version === undefined ? undefined : attempt(() => readFileSync(this.#path(name), "utf8"), undefined);
    if (version === undefined || text === undefined) {
      this.#known.delete(name);
      return { type: "missing" };
    }
    this.#known.set(name, version);
    return { type: "fresh", json: parseJson(text) };
  }

  /** @throws the system's error when it cannot be written */
  write(name: string, json: unknown): void {
    writeWholeNow(this.#path(name), JSON.stringify(json));
    const version = this.#version(name);
    if (version !== undefined) this.#known.set(name, version);
  }

  remove(name: string): void {
    this.#known.delete(name);
    attempt(() => rmSync(this.#path(name), { force: true }), undefined);
  }

  /** Returns the time of the last write, in ms since 1970. */
  writtenAt(name: string): number {
    return attempt(() => statSync(this.#path(name)).mtimeMs, 0);
  }

  /** Deletes what windows have begun to write before they were killed. Only under the lock. */
  clean(): void {
    for (const name of attempt(() => readdirSync(this.#folder), []))
      if (name.endsWith(unfinishedEnding)) attempt(() => rmSync(this.#path(name), { force: true }), undefined);
  }

  /** Calls `changed` with the names of files that another window may have changed. */
  watch(changed: (names: readonly string[]) => void): void {
    this.#watcher = attempt(() => {
      mkdirSync(this.#folder, { recursive: true });
      return watch(this.#folder, { persistent: false });
    }, undefined);
    this.#watcher?.on("error", () => this.#watcher?.close());
    this.#watcher?.on("change", (_, name) => {
      if (!String(name).endsWith(".json")) return;
      this.#changed.add(String(name));
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        const names = [...this.#changed].filter((one) => this.#version(one) !== this.#known.get(one));
        this.#changed.clear();
        if (names.length > 0) changed(names);
      }, quietMs);
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  #path(name: string): string {
    return path.join(this.#folder, name);
  }

  /** Each write makes a new file, so its number and time differ. */
  #version(name: string): string | undefined {
    const found = statSync(this.#path(name), { bigint: true, throwIfNoEntry: false });
    return found && `${found.ino}:${found.mtimeNs}:${found.size}`;
  }
}
