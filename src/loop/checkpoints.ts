/** Records the files of the workspace before each step, and their changes by whatever means (E1, D3). */

export interface Change {
  /** The state afterwards; may be restored like the one before. */
  snapshot: string;
  /** Content-addressed: equal for equal changes. */
  hash: string;
  files: string[];
}

/** Looks at the files beside the model's answer, so that no step waits for it. Never throws: what fails is logged. */
export interface Checkpoints {
  /** A step begins: names the state of the files as they are now. One without calls has no `end`. */
  begin(): string;
  /** Called when the model begins to write a call that may change files: a good moment to begin to look at them. */
  expect(): void;
  /**
   * To be awaited before a call changes files: what they were is known when it resolves. `writes`: absolute paths, or
   * `unknown` for a command. Rejects with the signal's reason on abort.
   */
  ready(writes: readonly string[] | "unknown", signal: AbortSignal): Promise<void>;
  /** Called when the step's calls are done. Resolves with their changes, perhaps during the next reply. */
  end(): Promise<Change | undefined>;
}

export const noCheckpoints: Checkpoints = {
  begin: () => "",
  expect() {},
  ready: async () => {},
  end: async () => undefined,
};
