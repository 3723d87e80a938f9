/** What the sessions of a window need from their owner. */
import type { Chat } from "../../chat/apply.ts";
import type { ChatEvent } from "../../chat/events.ts";
import type { HostNotice } from "../../chat/host-notice.ts";
import type { SessionSummary } from "../../chat/session-views.ts";
import type { SessionCheckpoints } from "../../checkpoints/session-checkpoints.ts";
import type { Session } from "../../loop/session/session.ts";
import type { SessionDeps } from "../../loop/session/session-deps.ts";
import type { Choices } from "../../loop/setup/agent-config.ts";
import type { GitState, Project } from "../../loop/setup/project.ts";
import type { Sessions } from "../../record/sessions.ts";
import type { SessionMark } from "./summary.ts";

export interface SharedDeps
  extends Omit<
    SessionDeps,
    "recorder" | "lock" | "openChild" | "host" | "hooks" | "checkpoints" | "project" | "gitState"
  > {
  checkpointsFor(chat: Chat): SessionCheckpoints;
  /** Deletes the checkpoints of a deleted session. */
  forgetCheckpoints(sessionID: string): Promise<void>;
  hostFor(chat: Chat): SessionDeps["host"];
  project(chat: Chat): Project;
  gitState(chat: Chat): Promise<GitState>;
  hooksFor(chat: Chat, recordPath: string, choices: Choices): SessionDeps["hooks"];
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
  deps: SharedDeps;
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
