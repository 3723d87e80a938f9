/** The thread of a session's checkpoints: everything that touches the disk is done here, so that nothing else has to wait. */
import path from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { Restores } from "../restore/restorer.ts";
import { Pool } from "../steps/copy-pool.ts";
import { Steps } from "../steps/steps.ts";
import { Kept } from "../store/session-store.ts";
import { Calls } from "./thread-calls.ts";

export interface ThreadData {
  folder: string;
  sessionID: string;
  roots: readonly string[];
  limitBytes: number;
  hasWriter: boolean;
}

/** What the session's thread can be asked. */
export type ThreadFunctions = ReturnType<typeof functions>;

/** What this thread asks of the one that started it. */
export type OwnerFunctions = {
  log(line: string): void;
  unsaved(input: undefined): Promise<readonly string[]>;
  write(input: { file: string; bytes: Uint8Array | undefined }): Promise<boolean>;
};

function functions(
  { folder, sessionID, roots, limitBytes, hasWriter }: ThreadData,
  owner: () => Calls<OwnerFunctions>,
) {
  const log = (line: string) => void owner().call("log", line);
  const kept = new Kept({ folder, sessionID, limitBytes, log });
  const steps = new Steps(roots, folder, kept, new Pool(path.join(folder, "scratch")), log);
  const writer = {
    unsaved: () => owner().call("unsaved", undefined),
    write: (file: string, bytes: Uint8Array | undefined) => owner().call("write", { file, bytes }),
  };
  const restores = new Restores(roots, kept, steps, hasWriter ? writer : undefined);
  return {
    begin: ({ id, at }: { id: string; at: number }) => steps.begin(id, at),
    ready: (writes: readonly string[] | "unknown") => steps.ready(writes),
    end: (id: string) => steps.end(id),
    preview: (snapshot: string) => steps.queue(() => restores.preview(snapshot)),
    restore: ({ snapshot, paths }: { snapshot: string; paths: readonly string[] }) =>
      steps.queue(() => restores.restore(snapshot, paths)),
    undo: (_: undefined) => steps.queue(() => restores.undo()),
    restored: (_: undefined) => steps.queue(async () => restores.restored()),
    content: ({ snapshot, path }: { snapshot: string; path: string }) =>
      steps.queue(async () => restores.content(snapshot, path)),
    close: async (_: undefined) => {
      await steps.close();
      kept.close();
    },
  };
}

if (parentPort) {
  const calls: Calls<OwnerFunctions> = new Calls(
    parentPort,
    functions(workerData, () => calls),
  );
}
