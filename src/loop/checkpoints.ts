/** Records the workspace's files before each step, and all their changes (E1, D3). */

export interface Change {
  /** The state afterwards; can be restored like the one before. */
  snapshot: string;
  /** Content-addressed: equal for equal changes. */
  hash: string;
  files: string[];
}

/** Scans files while the model answers, so that no step waits. Never throws: failures are logged. */
export interface Checkpoints {
  /** Starts a step: names the current state of the files. A step without calls has no `end`. */
  begin(): string;
  /** Called when the model starts writing a call that may change files, so that scanning can start. */
  expect(): void;
  /**
   * To be awaited before a call changes files: what they were is known when it resolves. `writes`: absolute paths, or
   * `unknown` for a command. Rejects with the signal's reason on abort.
   */
  ready(writes: readonly string[] | "unknown", signal: AbortSignal): Promise<void>;
  /** Called when the step's calls have ended. Resolves with their changes, possibly during the next reply. */
  end(): Promise<Change | undefined>;
}

export const noCheckpoints: Checkpoints = {
  begin: () => "",
  expect() {},
  ready: async () => {},
  end: async () => undefined,
};
