/** What the sessions of a window need from their owner. */
import type { Chat } from "../../chat/apply.ts";
import type { ChatEvent } from "../../chat/events.ts";
import type { HostNotice } from "../../chat/host-notice.ts";
import type { SessionSummary } from "../../chat/session-views.ts";
import type { Limits } from "../../loop/limits.ts";
import type { Session } from "../../loop/session/session.ts";
import type { Choices } from "../../loop/setup/agent-config.ts";
import type { Ledger } from "../../loop/storage.ts";
import type { Sessions } from "../../record/sessions.ts";
import type { SessionParts } from "../../runtime/compose-session.ts";
import type { SessionRecord } from "../../runtime/session-record.ts";
import type { SessionMark } from "./summary.ts";

/** What a window gives its sessions. */
export interface WindowDeps {
  ledger: Ledger;
  limits(): Limits;
  /** Returns the parts of a session that is kept in `record`. */
  partsOf(chat: Chat, choices: Choices, record: SessionRecord): SessionParts;
  /** Deletes the checkpoints of a deleted session. */
  forgetCheckpoints(sessionID: string): Promise<void>;
  /** Gets an error that nothing expects. */
  bug(error: unknown): void;
}

export interface ConversationObserver {
  switched(session: Session): void;
  event(session: Session, event: ChatEvent): void;
  tabsChanged(): void;
  /** The record of a session could not be read or written. */
  trouble(problem: HostNotice): void;
}

export interface ConversationsOptions {
  store: Sessions;
  deps: WindowDeps;
  observer: ConversationObserver;
  choicesFor(chat: Chat): Choices;
  /** Folder of new sessions. */
  folder: string;
  /** Counts the changes of a session that wait for review. */
  toReview(sessionID: string): SessionSummary["toReview"];
  /** Returns what the session does in another window; undefined if nothing. */
  markOf(sessionID: string): SessionMark | undefined;
  /** Returns what is known of the session's own worktree; undefined if it has none. */
  worktreeOf(sessionID: string): SessionSummary["worktree"];
}
