/** What the panel shows of sessions: tabs, the list, worktrees, and two that were given the same task. */

/** `done`: ended in the background, and has not been on screen since. */
export const tabStates = ["idle", "running", "asks", "error", "done"] as const;
export type TabState = (typeof tabStates)[number];

/** A session that has a tab in this window. */
export interface SessionTab {
  id: string;
  title: string;
  state: TabState;
}

export interface SessionSummary extends SessionTab {
  /** Whether it runs or waits in another window. */
  elsewhere: boolean;
  /** ms since 1970 */
  updatedAt: number;
  messages: number;
  /** What it waits for or does, or why its last turn failed; empty if nothing of that is so. */
  doing: string;
  /** Its changes that wait for review. */
  toReview: { changes: number; files: number };
  /** Its own copy of the folder; undefined if it works in the folder itself. */
  worktree: WorktreeView | undefined;
  /** What helps after an error. */
  remedy: "set-key" | "try-again" | "none";
  tokens: number;
  /** USD; undefined when a price is unknown. */
  cost: number | undefined;
  /** Excerpts with the words that were searched for; undefined without a search. */
  match: string | undefined;
}

/** The worktree of a session. */
export interface WorktreeView {
  branch: string;
  /** The branch that it would be merged into; empty where none is checked out. */
  target: string;
  /** Number of changed files; undefined until it is known. */
  files: number | undefined;
  /** Number of newer commits of the target. */
  behind: number;
  /** The session that has been given the same task; empty if there is none. */
  rival: string;
}

/** One of two sessions that have been given the same task, for people who choose between them. */
export interface RivalView {
  sessionID: string;
  model: string;
  branch: string;
  state: TabState;
  /** What it waits for or does, or why its last turn failed; empty if nothing of that is so. */
  doing: string;
  /** Its newest words. */
  answer: string;
  /** Undefined until they are known. */
  files: { path: string; added: number; removed: number }[] | undefined;
  /** USD; undefined when a price is unknown. */
  cost: number | undefined;
}

/** What a merge would do, before it is done. Files are relative to the repository's top folder. */
export interface MergeView {
  sessionID: string;
  branch: string;
  target: string;
  ahead: number;
  behind: number;
  clean: string[];
  conflicts: string[];
  /** Uncommitted files of the user that stay as they are, and those that are in the way. */
  stay: string[];
  blocked: string[];
  /** The branch and the title of the session with the same task, which is thrown away; undefined if there is none. */
  rival: { branch: string; title: string } | undefined;
}
