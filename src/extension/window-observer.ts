/** What a window does when something happens in one of its sessions: which of its parts hear of it, and when. */
import type * as vscode from "vscode";
import { sameJson } from "../base/json.ts";
import type { Chat } from "../chat/apply.ts";
import type { BypassEnds } from "./bypass/bypass-ends.ts";
import type { RestorePage } from "./checkpoints/restore-page.ts";
import type { Comments } from "./comments/comments.ts";
import type { Follow } from "./follow/follow.ts";
import { showEdit } from "./follow/show-edit.ts";
import type { Attention } from "./outside/attention.ts";
import type { Panel } from "./panel/panel.ts";
import type { Review } from "./review/review.ts";
import type { ChangeAuthors } from "./sessions/change-authors.ts";
import { remembered } from "./sessions/choices.ts";
import type { ConversationObserver } from "./sessions/conversation-options.ts";
import type { Conversations } from "./sessions/conversations.ts";
import type { SessionMarks } from "./sessions/session-marks.ts";
import type { RivalsPage } from "./worktrees/rivals-page.ts";
import type { WorktreePage } from "./worktrees/worktree-page.ts";

interface ObserverParts {
  attention: Attention;
  authors: ChangeAuthors;
  bypassEnds: BypassEnds;
  comments: Comments;
  conversations: Conversations;
  follow: Follow;
  log: vscode.LogOutputChannel;
  marks: SessionMarks;
  memory: vscode.Memento;
  panel: Panel;
  restorePage: RestorePage;
  review: Review;
  rivals: RivalsPage;
  worktrees: WorktreePage;
  /** Returns the folder of a session that works apart from the workspace, in a worktree. */
  ownFolderOf(chat: Chat): string | undefined;
  stateChanged(): void;
}

/** `parts`: called at each event, as most parts are built after the sessions that they hear of. */
export function windowObserver(parts: () => ObserverParts): ConversationObserver {
  const observer: ConversationObserver = {
    event(session, event) {
      const present = parts();
      const { attention, authors, comments, conversations, follow, log, ownFolderOf } = present;
      const { panel, review, rivals, stateChanged, worktrees } = present;
      attention.event(session, event);
      const isCurrent = session === conversations.current;
      if (isCurrent) panel.event(event);
      const isApart = ownFolderOf(session.chat) !== undefined;
      if (!isApart) authors.note(session.chat.session.id, event);
      if (["asked", "answered", "status", "ended", "session"].includes(event.type)) observer.tabsChanged();
      if (["message", "status", "ended", "session"].includes(event.type)) stateChanged();
      if (event.type === "ended" && isApart) void worktrees.refresh();
      if (event.type === "message" && event.message.role === "user" && !isApart) review.forgetDecided();
      comments.event(session, event);
      // Files of a worktree are outside of the workspace: VS Code would ask whether to trust each of them.
      if (isCurrent && !isApart) follow.event(event);
      if (isCurrent && !isApart && follow.state === "off")
        void showEdit(event).catch((error) => log.warn(String(error)));
      rivals.event(session.chat.session.id, event);
    },
    switched({ chat }) {
      const { attention, bypassEnds, comments, memory, panel, restorePage } = parts();
      comments.switched(chat);
      void memory.update(remembered.session, chat.session.id);
      bypassEnds.check();
      attention.update();
      observer.tabsChanged();
      panel.chatChanged();
      void restorePage.refresh();
    },
    tabsChanged() {
      const { bypassEnds, conversations, marks, memory, stateChanged } = parts();
      const { tabs } = conversations;
      bypassEnds.tabsChanged(tabs);
      marks.update(conversations.sessions);
      if (!sameJson(tabs, memory.get(remembered.tabs))) void memory.update(remembered.tabs, tabs);
      stateChanged();
    },
    trouble: (problem) => parts().panel.send({ type: "notice", ...problem }),
  };
  return observer;
}
