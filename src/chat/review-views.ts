/** What the panel shows of a review, and of a restore. */

/**
 * State of a file under review, in words for people. `accepted`, `rejected`: nothing is left to decide. `partly yours`:
 * the user has added lines inside a hunk. `conflict`: the user has changed the agent's own lines.
 */
export type ReviewWord =
  | "changed"
  | "new"
  | "deleted"
  | "moved"
  | "accepted"
  | "rejected"
  | "partly yours"
  | "conflict";

export interface ReviewFile {
  path: string;
  relative: string;
  state: ReviewWord;
  /** Lines of Rondo's that the user has changed, from 1; the first ones if they are many. */
  changedLines: number[];
  /** Former path of a moved file, relative; empty for others. */
  movedFrom: string;
  /** Hunks that wait for a decision. */
  hunks: number;
  /** Hunks of the agent since the last message of the user, with those that are decided. */
  total: number;
  added: number;
  removed: number;
}

/** A comment that waits to be sent with others. */
export interface PendingComment {
  id: string;
  /** "src/cart.ts, lines 31–33" */
  name: string;
  text: string;
  isPlan: boolean;
}

export interface RestoreFile {
  /** Relative to its workspace folder. */
  path: string;
  effect: "change" | "create" | "delete";
  added: number;
  removed: number;
  /** Who else has changed it since, the user or another session: then it is not restored unless chosen. */
  edited: false | "user" | "session";
  /** Why it cannot be restored; empty if it can. */
  problem: string;
}
