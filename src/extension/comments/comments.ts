/** Connects comments with the sessions: what they quote, who answers, and the plans that take them. */
import * as vscode from "vscode";
import { attempt } from "../../base/attempt.ts";
import type { Chat } from "../../chat/apply.ts";
import type { ChatEvent } from "../../chat/events.ts";
import type { Session } from "../../loop/session/session.ts";
import type { Attachments } from "../attachments/attachments.ts";
import type { Handlers } from "../panel/handlers.ts";
import type { Review } from "../review/review.ts";
import type { Conversations } from "../sessions/conversations.ts";
import { describePlace, nameOf, takesComments } from "./comment-places.ts";
import { CommentThreads } from "./comment-threads.ts";
import { isPlan, openPlan, planSessionOf } from "./plan-documents.ts";
import { ThreadStore } from "./thread-store.ts";

interface CommentSources {
  storage: vscode.Uri;
  review: Review;
  files: Attachments;
  conversations: Conversations;
}

export class Comments implements vscode.Disposable {
  readonly threads: CommentThreads;
  readonly #conversations: Conversations;
  #hasPending = false;

  readonly handlers = {
    "show-comment": ({ id }) => this.threads.reveal(id),
    "remove-comment": ({ id }) => this.threads.removeComment(id),
    "open-plan": ({ messageID }) => openPlan(this.#conversations.current.chat, messageID),
  } satisfies Partial<Handlers>;

  constructor({ storage, review, files, conversations }: CommentSources) {
    this.#conversations = conversations;
    this.threads = new CommentThreads({
      store: new ThreadStore(storage),
      ...{ takesComments, nameOf },
      // The model of another session knows nothing of the plan.
      isHere: (uri) => !isPlan(uri) || planSessionOf(uri) === conversations.current.chat.session.id,
      describe: (uri, lines) => describePlace(review, files, uri, lines),
    });
    this.threads.onDidChange(() => this.#setContext());
  }

  /** Shows the threads of earlier windows, and what was answered while no window looked. */
  async load(): Promise<void> {
    await this.threads.load();
    for (const id of this.threads.unansweredSessions) {
      const chat = attempt(() => this.#conversations.chat(id), undefined);
      if (chat) this.threads.follow(chat, false);
    }
  }

  /** Call it for each event of a session of this window. */
  event({ chat }: Session, event: ChatEvent): void {
    if (event.type === "ended" || event.type === "status") {
      this.threads.follow(chat, event.type === "status" && event.status.type === "idle");
    }
  }

  /** Call it when another session is on screen: comments on its plans wait for it. */
  switched(chat: Chat): void {
    this.threads.follow(chat, false);
    this.#setContext();
  }

  /** Puts the session on screen that gets a comment: one on a plan, its own. @throws RecordError if it is gone */
  showSession(commentID: string): void {
    const uri = this.threads.uriOf(commentID);
    if (uri && isPlan(uri)) this.#conversations.show(planSessionOf(uri));
  }

  /** For the `when` clauses of the manifest. */
  #setContext(): void {
    const has = this.threads.pending.length > 0;
    if (has === this.#hasPending) return;
    this.#hasPending = has;
    void vscode.commands.executeCommand("setContext", "rondo.hasComments", has);
  }

  openPlan(): Promise<void> {
    return openPlan(this.#conversations.current.chat);
  }

  dispose(): void {
    this.threads.dispose();
  }
}
