/** The worker thread of a session's checkpoints. All disk access happens here, so that nothing else waits for it. */
import path from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { Restorer } from "../restore/restorer.ts";
import { CopyPool } from "../steps/copy-pool.ts";
import type { StepFiles } from "../steps/step-files.ts";
import { StepTracker } from "../steps/step-tracker.ts";
import { SessionStore, type SessionStoreOptions } from "../store/session-store.ts";
import { ThreadCalls } from "./thread-calls.ts";

export interface WorkerData extends Omit<SessionStoreOptions, "log"> {
  roots: readonly string[];
  hasWriter: boolean;
  hasReviewer: boolean;
}

export type WorkerFunctions = ReturnType<typeof workerFunctions>;

/** Functions of the thread that started the worker. */
export type OwnerFunctions = {
  log(line: string): void;
  changed(files: StepFiles): void;
  unsaved(input: undefined): Promise<readonly string[]>;
  write(input: { file: string; bytes: Uint8Array | undefined }): Promise<boolean>;
  written(files: readonly string[]): Promise<void>;
};

function workerFunctions(
  { folder, sessionID, roots, limitBytes, hasWriter, hasReviewer }: WorkerData,
  owner: () => ThreadCalls<OwnerFunctions>,
) {
  const log = (line: string) => void owner().call("log", line);
  const changed = (files: StepFiles) => void owner().call("changed", files);
  const store = new SessionStore({ folder, sessionID, limitBytes, log });
  const pool = new CopyPool(path.join(folder, "scratch"));
  const steps: StepTracker = new StepTracker({
    ...{ roots, storeFolder: folder, store, pool, log },
    changed: hasReviewer ? changed : undefined,
    // The session goes on without the rest of a restore that was cut off. The log must know what it did before that.
    settle: () => restores.settle(),
  });
  const writer = {
    unsaved: () => owner().call("unsaved", undefined),
    write: (file: string, bytes: Uint8Array | undefined) => owner().call("write", { file, bytes }),
    written: (files: readonly string[]) => owner().call("written", files),
  };
  const restores = new Restorer(roots, store, steps, hasWriter ? writer : undefined);
  return {
    // Those of each step are the tracker's own.
    begin: steps.begin.bind(steps),
    ready: steps.ready.bind(steps),
    end: steps.end.bind(steps),
    background: steps.background.bind(steps),
    preview: (snapshot: string) => steps.queue(() => restores.preview(snapshot)),
    restore: ({ snapshot, paths, rewindTo }: { snapshot: string; paths: readonly string[]; rewindTo: string }) =>
      steps.queue(() => restores.restore(snapshot, paths, rewindTo)),
    undo: (_: undefined) => steps.queue(() => restores.undo()),
    finish: (_: undefined) => steps.queue(() => restores.finish()),
    restored: (_: undefined) => steps.queue(async () => restores.restored()),
    content: ({ snapshot, path }: { snapshot: string; path: string }) =>
      steps.queue(async () => restores.content(snapshot, path)),
    close: async (_: undefined) => {
      await steps.close();
      store.close();
    },
  };
}

if (parentPort) {
  const calls: ThreadCalls<OwnerFunctions> = new ThreadCalls(
    parentPort,
    workerFunctions(workerData, () => calls),
  );
}
