/** Checkpoints of a session: records what its steps change, and restores it. A worker thread does all the work. */
import { existsSync } from "node:fs";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { type Change, type Checkpoints, noCheckpoints } from "../loop/checkpoints.ts";
import type { FileWriter, LastRestore, RestorePlan, RestoreResult } from "./restore/restorer.ts";
import type { StepFiles } from "./steps/step-files.ts";
import type { SessionStoreOptions } from "./store/session-store.ts";
import { newSnapshotID } from "./store/snapshot-id.ts";
import { type CallInput, type CallOutput, ThreadCalls } from "./thread/thread-calls.ts";
import type { OwnerFunctions, WorkerData, WorkerFunctions } from "./thread/worker.ts";

export type { FileWriter, LastRestore, RestorePlan, RestoreResult } from "./restore/restorer.ts";

/** Maximum size of the store unless the user sets another. */
export const defaultStoreLimitBytes = 500_000_000;

export interface CheckpointOptions extends SessionStoreOptions {
  /** The workspace's folders, with links resolved. */
  roots: readonly string[];
  writer?: FileWriter;
  /** Called with the files that the agent has changed in a step. The next step's writes wait for it. */
  changed?(files: StepFiles): Promise<void>;
}

/** All functions reject with the signal's reason on abort, and with an Error when they fail. */
export interface SessionCheckpoints extends Checkpoints {
  preview(snapshot: string, signal: AbortSignal): Promise<RestorePlan>;
  /**
   * Restores `paths` of the preview, except for files changed since. Replaced contents are saved for `undo`. `rewindTo` is
   * the message to which the conversation will go back, or "".
   */
  restore(snapshot: string, paths: readonly string[], signal: AbortSignal, rewindTo?: string): Promise<RestoreResult>;
  /** Undoes the newest restore, except for files that have changed since. */
  undo(signal: AbortSignal): Promise<RestoreResult>;
  /** Does the rest of a restore that was cut off with its process, except for files that have changed since. */
  finish(signal: AbortSignal): Promise<RestoreResult>;
  /** Returns the restore that `undo` would revert, or one that was cut off, also after a restart. */
  restored(): Promise<LastRestore | undefined>;
  /** Returns the earlier content of a file of the preview; undefined if it did not exist or was not saved. */
  content(snapshot: string, path: string): Promise<Uint8Array | undefined>;
  /** A command starts or ends to run in the background: what it writes is the agent's. Looks for changes until now. */
  background(isRunning: boolean): Promise<void>;
  /** Ends the worker thread. The session can be opened again. */
  close(): Promise<void>;
}

export const noSessionCheckpoints: SessionCheckpoints = {
  ...noCheckpoints,
  preview: async (snapshot) => ({ snapshot, at: 0, known: false, files: [] }),
  restore: async () => ({ restored: [], left: [] }),
  undo: async () => ({ restored: [], left: [] }),
  finish: async () => ({ restored: [], left: [] }),
  restored: async () => undefined,
  content: async () => undefined,
  background: async () => {},
  close: async () => {},
};

/** Starts the worker thread only when a call is about to write, so that a session that only reads has no cost. */
export function openCheckpoints(options: CheckpointOptions): SessionCheckpoints {
  return new ThreadCheckpoints(options);
}

/** In the sources next to this file's folder, in dist next to the bundle. */
const workerFile = path.join(
  import.meta.dirname,
  import.meta.filename.endsWith(".ts") ? "thread/worker.ts" : "checkpoints-worker.cjs",
);

interface RunningThread {
  worker: Worker;
  calls: ThreadCalls<WorkerFunctions>;
}

class ThreadCheckpoints implements SessionCheckpoints {
  readonly #options: CheckpointOptions;
  #thread: RunningThread | undefined;
  /** The current step, until a call of this session is about to write. */
  #begun: { id: string; at: number } | undefined;
  /** Resolves when the reported changes are under review. */
  #reviewed: Promise<void> = Promise.resolve();

  constructor(options: CheckpointOptions) {
    this.#options = options;
  }

  begin(): string {
    const begun = { id: newSnapshotID(), at: Date.now() };
    if (this.#thread) void this.#logErrors(this.#call("begin", begun));
    else this.#begun = begun;
    return begun.id;
  }

  expect(): void {
    if (!this.#begun) return;
    void this.#logErrors(this.#call("begin", this.#begun));
    this.#begun = undefined;
  }

  async ready(writes: readonly string[] | "unknown", signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.expect();
    await abortable(this.#logErrors(this.#call("ready", writes)), signal);
    await abortable(this.#reviewed, signal);
  }

  async end(): Promise<Change | undefined> {
    if (!this.#thread) return undefined;
    const change = await this.#logErrors(this.#call("end", newSnapshotID()));
    await this.#reviewed;
    return change;
  }

  preview(snapshot: string, signal: AbortSignal): Promise<RestorePlan> {
    return abortable(this.#call("preview", snapshot), signal);
  }

  restore(snapshot: string, paths: readonly string[], signal: AbortSignal, rewindTo = ""): Promise<RestoreResult> {
    signal.throwIfAborted();
    return this.#call("restore", { snapshot, paths, rewindTo });
  }

  undo(signal: AbortSignal): Promise<RestoreResult> {
    signal.throwIfAborted();
    return this.#call("undo", undefined);
  }

  finish(signal: AbortSignal): Promise<RestoreResult> {
    signal.throwIfAborted();
    return this.#call("finish", undefined);
  }

  async restored(): Promise<LastRestore | undefined> {
    // Nothing was ever saved, so nothing was restored.
    if (!this.#thread && !existsSync(path.join(this.#options.folder, this.#options.sessionID))) return undefined;
    return await this.#call("restored", undefined);
  }

  content(snapshot: string, path: string): Promise<Uint8Array | undefined> {
    return this.#call("content", { snapshot, path });
  }

  async background(isRunning: boolean): Promise<void> {
    if (!this.#thread) return;
    await this.#logErrors(this.#call("background", isRunning));
    await this.#reviewed;
  }

  async close(): Promise<void> {
    if (!this.#thread) return;
    await this.#logErrors(this.#call("close", undefined));
    const { worker } = this.#thread;
    this.#thread = undefined;
    await worker.terminate();
  }

  /** Logs errors instead of throwing them, because they must not stop a step. */
  async #logErrors<T>(call: Promise<T>): Promise<T | undefined> {
    try {
      return await call;
    } catch (error) {
      this.#options.log(`Checkpoints: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  async #call<Name extends keyof WorkerFunctions>(
    name: Name,
    input: CallInput<WorkerFunctions, Name>,
  ): Promise<CallOutput<WorkerFunctions, Name>> {
    this.#thread ??= this.#start();
    const { worker, calls } = this.#thread;
    // The thread keeps the process alive only while a call is unanswered.
    worker.ref();
    try {
      return await calls.call(name, input);
    } finally {
      if (calls.open === 0) worker.unref();
    }
  }

  #start(): RunningThread {
    const { folder, sessionID, roots, limitBytes, log, writer } = this.#options;
    const hasReview = this.#options.changed !== undefined;
    const data: WorkerData = { folder, sessionID, roots, limitBytes, hasWriter: writer !== undefined, hasReview };
    const worker = new Worker(workerFile, { workerData: data, name: "checkpoints" });
    const own: OwnerFunctions = {
      log,
      changed: (files) => {
        this.#reviewed = this.#reviewed.then(() => this.#logErrors(Promise.resolve(this.#options.changed?.(files))));
      },
      unsaved: async () => (await writer?.unsaved()) ?? [],
      write: async ({ file, bytes }) => (await writer?.write(file, bytes)) ?? false,
      written: async (files) => await writer?.written(files),
    };
    const calls = new ThreadCalls<WorkerFunctions>(worker, own);
    const ended = (error: Error) => {
      calls.end(error);
      if (this.#thread?.worker === worker) this.#thread = undefined;
    };
    worker.on("error", ended);
    worker.on("exit", () => ended(new Error("the worker thread has ended")));
    return { worker, calls };
  }
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
