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

/** Who shows what the steps of a session change, so that the user can keep it or take it back. */
export interface ChangeReviewer {
  /** To be called before a command runs in a step. The result is to be called when the step's changes were taken. */
  commandBegins(): () => void;
  /**
   * To be called when a command begins to run in the background. Calls `look` when files may have changed meanwhile. The
   * result is to be called when it has ended.
   */
  backgroundBegins(look: () => void): () => void;
  /** Takes the files that the agent has changed in a step. The next step's writes wait for it. */
  take(files: StepFiles): Promise<void>;
}

export interface CheckpointOptions extends Omit<SessionStoreOptions, "limitBytes"> {
  /**
   * Returns the folders to record, with links resolved; none if none may be recorded. Asked before each step: trust may
   * be given, or a folder added, while the session is open.
   */
  roots(): readonly string[];
  /** Returns the maximum size of the store. Asked when recording begins. */
  limitBytes(): number;
  writer?: FileWriter;
  reviewer?: ChangeReviewer;
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

const nothingRestored: RestoreResult = { restored: [], left: [] };

export const noSessionCheckpoints: SessionCheckpoints = {
  ...noCheckpoints,
  preview: async (snapshot) => ({ snapshot, at: 0, known: false, files: [] }),
  restore: async () => nothingRestored,
  undo: async () => nothingRestored,
  finish: async () => nothingRestored,
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

/** A step or a restore is one call to this class, one to the thread, and there one to the tracker of steps. */
class ThreadCheckpoints implements SessionCheckpoints {
  readonly #options: CheckpointOptions;
  #roots: readonly string[] = [];
  #thread: RunningThread | undefined;
  /** Resolves when the threads of former folders have ended: two must not write one session's store at once. */
  #former: Promise<void> | undefined;
  /** The current step, until a call of this session is about to write. */
  #begun: { id: string; at: number } | undefined;
  /** Resolves when the reported changes are under review. */
  #reviewed: Promise<void> = Promise.resolve();
  /** Tells the reviewer that the command of the current step has ended. */
  #endCommand: (() => void) | undefined;
  /** Whether a command runs in the background now. */
  #hasBackground = false;
  #endBackground: (() => void) | undefined;

  constructor(options: CheckpointOptions) {
    this.#options = options;
    this.#takeRoots();
  }

  begin(): string {
    // The previous step was not ended.
    this.#commandEnded();
    this.#takeRoots();
    if (!this.#isOn) return "";
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
    if (writes === "unknown") this.#endCommand ??= this.#options.reviewer?.commandBegins();
    signal.throwIfAborted();
    if (!this.#isOn) return;
    this.expect();
    await abortable(this.#logErrors(this.#call("ready", writes)), signal);
    await abortable(this.#reviewed, signal);
  }

  async end(): Promise<Change | undefined> {
    // A next step may begin, and run a command of its own, before this one's changes are known.
    const endCommand = this.#endCommand;
    this.#endCommand = undefined;
    try {
      if (!this.#thread) return undefined;
      const change = await this.#logErrors(this.#call("end", newSnapshotID()));
      await this.#reviewed;
      return change;
    } finally {
      endCommand?.();
    }
  }

  async preview(snapshot: string, signal: AbortSignal): Promise<RestorePlan> {
    if (!this.#isOn) return await noSessionCheckpoints.preview(snapshot, signal);
    return await abortable(this.#call("preview", snapshot), signal);
  }

  async restore(
    snapshot: string,
    paths: readonly string[],
    signal: AbortSignal,
    rewindTo = "",
  ): Promise<RestoreResult> {
    signal.throwIfAborted();
    return this.#isOn ? await this.#call("restore", { snapshot, paths, rewindTo }) : nothingRestored;
  }

  async undo(signal: AbortSignal): Promise<RestoreResult> {
    signal.throwIfAborted();
    return this.#isOn ? await this.#call("undo", undefined) : nothingRestored;
  }

  async finish(signal: AbortSignal): Promise<RestoreResult> {
    signal.throwIfAborted();
    return this.#isOn ? await this.#call("finish", undefined) : nothingRestored;
  }

  async restored(): Promise<LastRestore | undefined> {
    if (!this.#isOn) return undefined;
    // Nothing was ever saved, so nothing was restored.
    if (!this.#thread && !existsSync(path.join(this.#options.folder, this.#options.sessionID))) return undefined;
    return await this.#call("restored", undefined);
  }

  async content(snapshot: string, path: string): Promise<Uint8Array | undefined> {
    return this.#isOn ? await this.#call("content", { snapshot, path }) : undefined;
  }

  async background(isRunning: boolean): Promise<void> {
    this.#hasBackground = isRunning;
    if (isRunning) this.#endBackground ??= this.#options.reviewer?.backgroundBegins(() => void this.#look());
    await this.#tellBackground(isRunning);
    // Another one may have begun meanwhile.
    if (!this.#hasBackground) this.#backgroundEnded();
  }

  async close(): Promise<void> {
    this.#commandEnded();
    this.#hasBackground = false;
    this.#backgroundEnded();
    await this.#former;
    const thread = this.#thread;
    if (!thread) return;
    await this.#stop(thread);
  }

  get #isOn(): boolean {
    return this.#roots.length > 0;
  }

  /** Records the present folders from now on. */
  #takeRoots(): void {
    const roots = this.#options.roots();
    if (roots.length === this.#roots.length && roots.every((root, at) => root === this.#roots[at])) return;
    this.#roots = roots;
    this.#begun = undefined;
    const thread = this.#thread;
    if (!thread) return;
    this.#thread = undefined;
    const former = Promise.all([this.#former, this.#stop(thread)]).then(() => {
      if (this.#former === former) this.#former = undefined;
    });
    this.#former = former;
  }

  async #stop({ worker, calls }: RunningThread): Promise<void> {
    worker.ref();
    await this.#logErrors(calls.call("close", undefined));
    if (this.#thread?.worker === worker) this.#thread = undefined;
    await worker.terminate();
  }

  /** Looks for changes of a command that runs in the background. */
  async #look(): Promise<void> {
    if (this.#hasBackground) await this.#tellBackground(true);
  }

  async #tellBackground(isRunning: boolean): Promise<void> {
    if (!this.#thread) return;
    await this.#logErrors(this.#call("background", isRunning));
    await this.#reviewed;
  }

  #commandEnded(): void {
    this.#endCommand?.();
    this.#endCommand = undefined;
  }

  #backgroundEnded(): void {
    this.#endBackground?.();
    this.#endBackground = undefined;
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
    // Only after the folders have changed, so that calls otherwise reach the thread in their order.
    if (this.#former) await this.#former;
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
    const { folder, sessionID, log, writer, reviewer } = this.#options;
    const data: WorkerData = {
      ...{ folder, sessionID, roots: this.#roots, limitBytes: this.#options.limitBytes() },
      ...{ hasWriter: writer !== undefined, hasReviewer: reviewer !== undefined },
    };
    const worker = new Worker(workerFile, { workerData: data, name: "checkpoints" });
    const own: OwnerFunctions = {
      log,
      changed: (files) => {
        this.#reviewed = this.#reviewed.then(() => this.#logErrors(Promise.resolve(reviewer?.take(files))));
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
