/** What the files of the workspace were before each step, and what became of them, by whatever means (E1, D3). */

/** What a step changed. */
export interface Change {
  /** The state afterwards; may be restored like the one before. */
  snapshot: string;
  /** Content-addressed: equal for equal changes. */
  hash: string;
  /** Relative to their workspace folder, as rules see them. */
  files: string[];
}

/** Looks at the files beside the model's answer, so that no step waits for it. Never throws: what fails is logged. */
export interface Checkpoints {
  /** A step begins: names the state of the files as they are now. One without calls has no `end`. */
  begin(): string;
  /** The model has begun to write a call that may change files: a good moment to begin to look at them. */
  expect(): void;
  /**
   * To be awaited before a call changes files: what they were is known when it resolves. `writes`: absolute paths, or
   * `unknown` for a command. Rejects with the signal's reason on abort.
   */
  ready(writes: readonly string[] | "unknown", signal: AbortSignal): Promise<void>;
  /** The step's calls are done. Resolves, perhaps while the model answers, when it is known what they changed; undefined: nothing. */
  end(): Promise<Change | undefined>;
}

/** For where no checkpoints are kept. */
export const noCheckpoints: Checkpoints = {
  begin: () => "",
  expect() {},
  ready: async () => {},
  end: async () => undefined,
};
