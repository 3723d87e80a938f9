/** Checkpoints of a session: what its steps changed, and the way back. All work is done in a thread of its own. */
import { existsSync } from "node:fs";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { type Change, type Checkpoints, noCheckpoints } from "../loop/checkpoints.ts";
import type { FileWriter, RestorePlan, RestoreResult } from "./restore/restorer.ts";
import { newSnapshot } from "./store/snapshot-id.ts";
import { Calls, type Input, type Output } from "./thread/thread-calls.ts";
import type { OwnerFunctions, ThreadData, ThreadFunctions } from "./thread/worker.ts";

export type { FileWriter, RestorePlan, RestoreResult } from "./restore/restorer.ts";

export interface CheckpointOptions {
  /** Of the store, beside the sessions: all of them, in all windows, share it. */
  folder: string;
  sessionID: string;
  /** The workspace's folders, links resolved. */
  roots: readonly string[];
  /** Of the whole store, in bytes. */
  limitBytes: number;
  log(line: string): void;
  /** The editor, where there is one. */
  writer?: FileWriter;
}

/** `paths` are those of the preview. Rejects with the signal's reason on abort, with an Error when it cannot be done. */
export interface SessionCheckpoints extends Checkpoints {
  preview(snapshot: string, signal: AbortSignal): Promise<RestorePlan>;
  /** What is not as the preview of this snapshot said is left as it is. What is replaced is kept, for `undo`. */
  restore(snapshot: string, paths: readonly string[], signal: AbortSignal): Promise<RestoreResult>;
  /** Takes the newest restore back, save what changed since. */
  undo(signal: AbortSignal): Promise<RestoreResult>;
  /** The restore that `undo` would take back, after a restart, too. */
  restored(): Promise<{ files: number; at: number } | undefined>;
  /** What a file of the preview was; undefined: it was not there, or is not kept. */
  content(snapshot: string, path: string): Promise<Uint8Array | undefined>;
  /** Drops what is no change. The session can be opened again. */
  close(): Promise<void>;
}

/** For where nothing is kept. */
export const noCheckpointsKept: SessionCheckpoints = {
  ...noCheckpoints,
  preview: async (snapshot) => ({ snapshot, at: 0, known: false, files: [] }),
  restore: async () => ({ restored: [], left: [] }),
  undo: async () => ({ restored: [], left: [] }),
  restored: async () => undefined,
  content: async () => undefined,
  close: async () => {},
};

/** Starts no thread before something is about to write: a session that only reads pays for nothing. */
export function openCheckpoints(options: CheckpointOptions): SessionCheckpoints {
  return new ThreadCheckpoints(options);
}

/** Beside this file in the sources, beside its bundle in dist. */
const workerFile = path.join(
  import.meta.dirname,
  import.meta.filename.endsWith(".ts") ? "thread/worker.ts" : "checkpoints-worker.cjs",
);

interface Thread {
  worker: Worker;
  calls: Calls<ThreadFunctions>;
}

class ThreadCheckpoints implements SessionCheckpoints {
  readonly #options: CheckpointOptions;
  #thread: Thread | undefined;
  /** The step that runs, as long as nothing was about to write in this session. */
  #begun: { id: string; at: number } | undefined;

  constructor(options: CheckpointOptions) {
    this.#options = options;
  }

  begin(): string {
    const begun = { id: newSnapshot(), at: Date.now() };
    if (this.#thread) void this.#quietly(this.#call("begin", begun));
    else this.#begun = begun;
    return begun.id;
  }

  expect(): void {
    if (!this.#begun) return;
    void this.#quietly(this.#call("begin", this.#begun));
    this.#begun = undefined;
  }

  async ready(writes: readonly string[] | "unknown", signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.expect();
    await abortable(this.#quietly(this.#call("ready", writes)), signal);
  }

  async end(): Promise<Change | undefined> {
    if (!this.#thread) return undefined;
    return await this.#quietly(this.#call("end", newSnapshot()));
  }

  preview(snapshot: string, signal: AbortSignal): Promise<RestorePlan> {
    return abortable(this.#call("preview", snapshot), signal);
  }

  restore(snapshot: string, paths: readonly string[], signal: AbortSignal): Promise<RestoreResult> {
    signal.throwIfAborted();
    return this.#call("restore", { snapshot, paths });
  }

  undo(signal: AbortSignal): Promise<RestoreResult> {
    signal.throwIfAborted();
    return this.#call("undo", undefined);
  }

  async restored(): Promise<{ files: number; at: number } | undefined> {
    // Nothing was ever kept, so nothing was restored.
    if (!this.#thread && !existsSync(path.join(this.#options.folder, this.#options.sessionID))) return undefined;
    return await this.#call("restored", undefined);
  }

  content(snapshot: string, path: string): Promise<Uint8Array | undefined> {
    return this.#call("content", { snapshot, path });
  }

  async close(): Promise<void> {
    if (!this.#thread) return;
    await this.#quietly(this.#call("close", undefined));
    const { worker } = this.#thread;
    this.#thread = undefined;
    await worker.terminate();
  }

  /** What goes wrong with a step must not stop it. */
  async #quietly<T>(call: Promise<T>): Promise<T | undefined> {
    try {
      return await call;
    } catch (error) {
      this.#options.log(`Checkpoints: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  async #call<Name extends keyof ThreadFunctions>(
    name: Name,
    input: Input<ThreadFunctions, Name>,
  ): Promise<Output<ThreadFunctions, Name>> {
    this.#thread ??= this.#start();
    const { worker, calls } = this.#thread;
    // Who waits for an answer keeps the process alive; the thread by itself does not.
    worker.ref();
    try {
      return await calls.call(name, input);
    } finally {
      if (calls.open === 0) worker.unref();
    }
  }

  #start(): Thread {
    const { folder, sessionID, roots, limitBytes, log, writer } = this.#options;
    const data: ThreadData = { folder, sessionID, roots, limitBytes, hasWriter: writer !== undefined };
    const worker = new Worker(workerFile, { workerData: data, name: "checkpoints" });
    const own: OwnerFunctions = {
      log,
      unsaved: async () => (await writer?.unsaved()) ?? [],
      write: async ({ file, bytes }) => (await writer?.write(file, bytes)) ?? false,
    };
    const calls = new Calls<ThreadFunctions>(worker, own);
    const ended = (error: Error) => {
      calls.end(error);
      if (this.#thread?.worker === worker) this.#thread = undefined;
    };
    worker.on("error", ended);
    worker.on("exit", () => ended(new Error("the thread has ended")));
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
