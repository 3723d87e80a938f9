/** Connects comments with the sessions: what they quote, who answers, and the plans that take them. */
import * as vscode from "vscode";
import { attempt } from "../../base/attempt.ts";
import type { Chat } from "../../chat/apply.ts";
import { shortened } from "../../chat/comments.ts";
import { planText } from "../../chat/plan-text.ts";
import type { SentComment } from "../../chat/prompt-input.ts";
import { textOf } from "../../chat/words.ts";
import { t } from "../../l10n/l10n.ts";
import { oldLines } from "../../review/hunks.ts";
import { AttachError, type Attachments } from "../attachments/attachments.ts";
import type { Feature } from "../feature.ts";
import type { Handlers } from "../panel/handlers.ts";
import type { Review } from "../review/review.ts";
import type { WindowServices } from "../services.ts";
import type { Conversations } from "../sessions/conversations.ts";
import type { SessionObserver } from "../sessions/observers.ts";
import { CommentThreads } from "./comment-threads.ts";
import { newestPlan } from "./newest-plan.ts";
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

// What a comment is about: the lines as they are now, and the agent's change that they belong to.

/** Whether lines of this document take comments: files of the workspace, and plans. */
function takesComments(uri: vscode.Uri): boolean {
  if (isPlan(uri)) return true;
  return uri.scheme !== "vscode-notebook-cell" && vscode.workspace.getWorkspaceFolder(uri) !== undefined;
}

function nameOf(uri: vscode.Uri): string {
  return isPlan(uri) ? t("The plan") : vscode.workspace.asRelativePath(uri);
}

/** `lines`: from 0, both included. @throws AttachError if the model may not see the file */
export async function describePlace(
  review: Pick<Review, "changes">,
  files: Pick<Attachments, "whyNot">,
  uri: vscode.Uri,
  lines: { start: number; end: number },
): Promise<Pick<SentComment, "place" | "source">> {
  const why = uri.scheme === "file" ? await files.whyNot(uri) : undefined;
  if (why !== undefined)
    throw new AttachError(
      t("The comment on {0} is not sent: {1}.", nameOf(uri), why),
      t("Ask without it, in a message."),
    );
  const document = await vscode.workspace.openTextDocument(uri);
  const last = Math.min(lines.end, document.lineCount - 1);
  const start = Math.min(lines.start, last);
  const range = new vscode.Range(start, 0, last, document.lineAt(last).text.length);
  const source = { start: start + 1, end: last + 1, text: shortened(`${document.getText(range)}\n`) };
  if (isPlan(uri)) return { place: { type: "plan", planID: planIDOf(uri) }, source };
  const file = { filename: nameOf(uri), url: uri.toString() };
  const changes = review.changes(uri);
  const hunk = changes?.hunks.find(
    (one) => one.start <= last && Math.max(one.start + 1, one.start + one.count) > start,
  );
  if (!changes || !hunk) return { place: { type: "file", ...file }, source };
  const change = {
    line: hunk.start + 1,
    removed: shortened(oldLines(changes, hunk).join("")),
    added: shortened(changes.text.slice(hunk.start, hunk.start + hunk.count).join("")),
  };
  return { place: { type: "change", ...file, change }, source };
}

// Plans as documents that the user can comment on: the reply of a session in which the plan stands.

const scheme = "rondo-plan";

export const isPlan = (uri: vscode.Uri): boolean => uri.scheme === scheme;

/** Returns the session that has made the plan. */
export const planSessionOf = (uri: vscode.Uri): string => uri.query.split(" ", 1)[0] ?? "";

/** Returns the message in which the plan stands. */
const planIDOf = (uri: vscode.Uri): string => uri.query.slice(uri.query.indexOf(" ") + 1);

/** Returns the text of a plan's document. `chatOf` returns the chat of a session. @throws RecordError if there is none */
export function planAt({ query }: vscode.Uri, chatOf: (sessionID: string) => Chat): string {
  const [sessionID = "", messageID = ""] = query.split(" ");
  const plan = chatOf(sessionID).messages.find(({ info }) => info.id === messageID);
  return plan ? planText(textOf(plan.parts)) : `${t("This plan is no longer part of its session.")}\n`;
}

/** Opens the newest plan, or the one in this message. */
export async function openPlan(chat: Chat, messageID?: string): Promise<void> {
  const plan = messageID ?? newestPlan(chat.messages);
  if (plan === undefined) return;
  const uri = vscode.Uri.from({ scheme, path: "/Plan.md", query: `${chat.session.id} ${plan}` });
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
}
