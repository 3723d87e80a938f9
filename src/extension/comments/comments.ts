/** Connects comments with the sessions: what they quote, who answers, and the plans that take them. */
import * as vscode from "vscode";
import { attempt } from "../../base/attempt.ts";
import type { Feature } from "../feature.ts";
import type { Handlers } from "../panel/handlers.ts";
import type { WindowServices } from "../services.ts";
import type { Conversations } from "../sessions/conversations.ts";
import type { SessionObserver } from "../sessions/observers.ts";
import { describePlace, nameOf, takesComments } from "./comment-places.ts";
import { CommentThreads } from "./comment-threads.ts";
import { isPlan, openPlan, planAt, planSessionOf } from "./plan-documents.ts";
import { ThreadStore } from "./thread-store.ts";

export class Comments implements Feature {
  readonly threads: CommentThreads;
  readonly #conversations: Conversations;
  #hasPending = false;

  readonly handlers = {
    "show-comment": ({ id }) => this.threads.reveal(id),
    "remove-comment": ({ id }) => this.threads.removeComment(id),
    "open-plan": ({ messageID }) => openPlan(this.#conversations.current.chat, messageID),
  } satisfies Partial<Handlers>;

  constructor(storage: vscode.Uri, { files, page, review }: WindowServices) {
    const { conversations } = page;
    this.#conversations = conversations;
    this.threads = new CommentThreads({
      store: new ThreadStore(storage),
      ...{ takesComments, nameOf },
      // The model of another session knows nothing of the plan.
      isHere: (uri) => !isPlan(uri) || planSessionOf(uri) === conversations.current.chat.session.id,
      describe: (uri, lines) => describePlace(review, files, uri, lines),
    });
    this.threads.onDidChange(() => {
      this.#setContext();
      page.stateChanged();
    });
    void this.#load();
  }

  /** Shows the threads of earlier windows, and what was answered while no window looked. */
  async #load(): Promise<void> {
    await this.threads.load();
    for (const id of this.threads.unansweredSessions) {
      const chat = attempt(() => this.#conversations.chat(id), undefined);
      if (chat) this.threads.follow(chat, false);
    }
  }

  readonly observer = {
    event: ({ chat }, event) => {
      if (event.type === "ended" || event.type === "status") {
        this.threads.follow(chat, event.type === "status" && event.status.type === "idle");
      }
    },
    // Comments on the plans of a session wait for it.
    switched: ({ chat }) => {
      this.threads.follow(chat, false);
      this.#setContext();
    },
  } satisfies Partial<SessionObserver>;

  readonly documents = {
    "rondo-plan": (uri) => planAt(uri, (id) => this.#conversations.chat(id)),
  } satisfies Feature["documents"];

  state() {
    return { comments: this.threads.pending };
  }

  async close(): Promise<void> {
    await this.threads.flush();
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
