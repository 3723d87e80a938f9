/** The review in the window: the editor's marks, the panel's bar, and the sessions that hear what is decided. */
import type * as vscode from "vscode";
import { attempt } from "../../base/attempt.ts";
import type { PanelState } from "../../chat/panel-state.ts";
import { t } from "../../l10n/l10n.ts";
import type { Session } from "../../loop/session/session.ts";
import type { Feature } from "../feature.ts";
import type { WindowServices } from "../services.ts";
import type { ChangeAuthors } from "../sessions/change-authors.ts";
import type { Conversations } from "../sessions/conversations.ts";
import type { EditorWindow } from "../window.ts";
import { DecisionTeller } from "./decision-teller.ts";
import { offerDiffLenses } from "./diff-lens-offer.ts";
import { reviewCommands, reviewHandlers } from "./review-commands.ts";
import { ShownReview } from "./shown-review.ts";

interface ReviewFeature extends Feature {
  /** Resolves when the session has recorded what was decided so far, or cannot now. */
  settled(session: Session): Promise<void>;
}

export function reviewFeature({ context, log, own, stateChanged }: EditorWindow, services: WindowServices) {
  const { authors, host, ownFolderOf, review } = services;
  const { conversations } = services.page;
  const teller = own(
    new DecisionTeller({
      review,
      // In a worktree a file of the same name is another one.
      chats: () => conversations.sessions.map(({ chat }) => chat).filter((chat) => ownFolderOf(chat) === undefined),
      authors: (names) =>
        authors
          .sessionsOf(names)
          .filter((id) => attempt(() => ownFolderOf(conversations.chat(id)) === undefined, false)),
      record: (sessionID, decisions) => conversations.decided(sessionID, decisions),
      locate: (uri) => host.workspace.locate(uri.fsPath),
      failed: (error) => log.warn(String(error)),
    }),
  );
  const shown = own(new ShownReview(review));
  own(offerDiffLenses(context.globalState));
  own(review.onDidChange(stateChanged));
  const loaded = review.load();
  const text = async (uri: vscode.Uri) => {
    await loaded;
    return shown.text(uri);
  };
  const settled = ({ chat }: Session) => teller.settled(chat.session.id);
  return {
    handlers: reviewHandlers(review),
    commands: reviewCommands(review),
    observer: {
      event({ chat }, event) {
        if (ownFolderOf(chat) !== undefined) return;
        authors.note(chat.session.id, event);
        if (event.type === "message" && event.message.role === "user") review.forgetDecided();
      },
    },
    documents: { "rondo-before": text, "rondo-lines": text },
    state: () => ({ review: review.files(), reviewBy: otherAuthors(authors, conversations) }),
    settled,
    closing: async () => void (await Promise.all(conversations.sessions.map(settled))),
    close: () => review.flush(),
  } satisfies ReviewFeature;
}

function otherAuthors(authors: ChangeAuthors, { current, tabs }: Conversations): PanelState["reviewBy"] {
  const own = current.chat.session.id;
  const others = [...authors.byPath()].filter(([, ids]) => ids.length > 0 && !ids.includes(own));
  const titleOf = (ids: readonly string[]) =>
    tabs.findLast(({ id }) => ids.includes(id))?.title ?? t("another session");
  return Object.fromEntries(others.map(([path, ids]) => [path, titleOf(ids)]));
}
