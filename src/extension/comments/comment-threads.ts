/** Comment threads in the editor (VS Code's Comments API): they follow their lines, outlive the window, and show answers. */

import * as vscode from "vscode";
import { newID } from "../../base/ids.ts";
import type { Chat } from "../../chat/apply.ts";
import { answerTo, nextNumber, placeName } from "../../chat/comments.ts";
import type { SentComment } from "../../chat/prompt-input.ts";
import type { PendingComment } from "../../chat/review-views.ts";
import { t } from "../../l10n/l10n.ts";
import { lastLineOf } from "../editor/last-line.ts";
import { renamedUri } from "../host/documents.ts";
import { type AnchorEdit, afterEdits, anchorAt, foundAgain } from "./anchor.ts";
import {
  earlierThan,
  newThread,
  type OwnComment,
  pendingIn,
  type StoredThread,
  unansweredIn,
  withAnswers,
  withComment,
  withoutComment,
  withSent,
  withText,
} from "./comment-thread.ts";
import { linesOf, rangeOf, show } from "./shown-thread.ts";
import type { ThreadStore } from "./thread-store.ts";

interface CommentOptions {
  /** Without it the threads end with the window. */
  store: ThreadStore | undefined;
  /** Whether the user may comment on this document. */
  takesComments(uri: vscode.Uri): boolean;
  /** Returns what the comment is about. @throws AttachError if the model may not see the lines */
  describe(uri: vscode.Uri, lines: { start: number; end: number }): Promise<Pick<SentComment, "place" | "source">>;
  /** Whether comments on this document go to the session on screen; without it, all do. */
  isHere?(uri: vscode.Uri): boolean;
  /** How a place is called in the panel. */
  nameOf(uri: vscode.Uri): string;
}

/** A thread on screen with its state. */
interface OpenThread {
  state: StoredThread;
  readonly thread: vscode.CommentThread;
}

const saveDelayMs = 300;

export class CommentThreads implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  /** Fires when the comments that wait have changed. */
  readonly onDidChange = this.#changed.event;
  readonly #options: CommentOptions;
  readonly #controller = vscode.comments.createCommentController("rondo", "Rondo");
  readonly #open = new Map<string, OpenThread>();
  readonly #ids = new WeakMap<vscode.CommentThread, string>();
  /** Sessions whose turn runs: their unanswered comments are worked on. */
  readonly #working = new Set<string>();
  readonly #unsaved = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  readonly #own: vscode.Disposable[];

  constructor(options: CommentOptions) {
    this.#options = options;
    this.#controller.options = {
      prompt: t("Comment for Rondo"),
      placeHolder: t("What should be different here? Rondo answers in this thread."),
    };
    this.#controller.commentingRangeProvider = {
      provideCommentingRanges: (document) =>
        options.takesComments(document.uri) ? [new vscode.Range(0, 0, document.lineCount - 1, 0)] : [],
    };
    this.#own = [
      this.#changed,
      this.#controller,
      vscode.workspace.onDidChangeTextDocument((event) => this.#textChanged(event)),
      vscode.workspace.onDidOpenTextDocument((document) => this.#findAgain(document)),
      vscode.workspace.onDidRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files) this.#renamed(oldUri, newUri);
      }),
    ];
  }

  /** Shows the threads of earlier windows. */
  async load(): Promise<void> {
    for (const state of (await this.#options.store?.load()) ?? []) if (!this.#open.has(state.id)) this.#show(state);
    for (const document of vscode.workspace.textDocuments) this.#findAgain(document);
    this.#changed.fire();
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = [...this.#unsaved];
    this.#unsaved.clear();
    await Promise.all(ids.map((id) => this.#options.store?.save(id, this.#open.get(id)?.state)));
  }

  dispose(): void {
    void this.flush();
    for (const one of this.#own) one.dispose();
  }

  /** Adds what the user has written in a thread, which may be new. Returns the comment's id; undefined for no words. */
  async add({ thread, text }: vscode.CommentReply): Promise<string | undefined> {
    if (text.trim() === "") return undefined;
    const known = this.#open.get(this.#ids.get(thread) ?? "");
    const id = newID("prt");
    const state = known?.state ?? (await this.#adopt(thread));
    this.#set(withComment(state, id, text.trim(), Date.now()));
    return id;
  }

  /** Returns the comments that wait to be sent to the session on screen, oldest first. */
  get pending(): PendingComment[] {
    const { isHere } = this.#options;
    const here = [...this.#open.values()].filter(
      ({ state }) => pendingIn(state).length > 0 && (isHere?.(vscode.Uri.parse(state.uri)) ?? true),
    );
    const all = here.flatMap(({ state }) => pendingIn(state).map((comment) => ({ state, comment })));
    return all
      .sort((a, b) => a.comment.time - b.comment.time)
      .map(({ state, comment }) => {
        const uri = vscode.Uri.parse(state.uri);
        const { start, end } = state.anchor;
        const place = { type: "file", filename: this.#options.nameOf(uri), url: state.uri } as const;
        const source = { start: start + 1, end: end + 1, text: "" };
        const isPlan = uri.scheme === "rondo-plan";
        return { id: comment.id, name: placeName({ place, source }), text: comment.text, isPlan };
      });
  }

  /**
   * Returns comments as they are sent to a session, and marks them as sent. `ids`: which of those that wait.
   * @throws AttachError if the model may not see the lines of one; nothing is sent then
   */
  async take(ids: readonly string[], chat: Chat): Promise<SentComment[]> {
    const sessionID = chat.session.id;
    const taken = this.#pendingThreads(ids);
    const described = await Promise.all(
      taken.map(({ state }) =>
        this.#options.describe(vscode.Uri.parse(state.uri), { start: state.anchor.start, end: state.anchor.end }),
      ),
    );
    const first = nextNumber(chat);
    const sent = taken.map(({ state, comment }, at): SentComment => {
      const earlier = earlierThan(state, comment.id, sessionID);
      return {
        ...{ type: "comment", commentID: comment.id, number: first + at, text: comment.text },
        ...(described[at] ?? fail(comment.id)),
        ...(earlier !== "" && { earlier }),
      };
    });
    for (const { commentID } of sent) this.#update(commentID, (state) => withSent(state, commentID, sessionID));
    return sent;
  }

  /** Returns the document of a comment. */
  uriOf(id: string): vscode.Uri | undefined {
    const uri = this.#withComment(id)?.state.uri;
    return uri === undefined ? undefined : vscode.Uri.parse(uri);
  }

  /** Lets comments wait again that a session has not accepted. */
  giveBack(ids: readonly string[]): void {
    for (const id of ids) this.#update(id, (state) => withSent(state, id, undefined));
  }

  /** Shows what the session has answered. `isOver`: no turn runs, so that comments without an answer get none. */
  follow(chat: Chat, isOver: boolean): void {
    const { id } = chat.session;
    const wasWorking = this.#working.has(id);
    const isWorking = chat.status.type !== "idle";
    if (isWorking) this.#working.add(id);
    else this.#working.delete(id);
    for (const { state } of [...this.#open.values()]) {
      if (state.sessionID !== id || unansweredIn(state).length === 0) continue;
      const answerOf = (commentID: string) => {
        const answer = answerTo(chat, commentID);
        return answer?.type === "failed" && !isOver ? undefined : answer;
      };
      const answered = withAnswers(state, answerOf, Date.now());
      if (answered !== state || wasWorking !== isWorking) this.#set(answered);
    }
  }

  /** Sessions that have comments without an answer. */
  get unansweredSessions(): string[] {
    const open = [...this.#open.values()].filter(({ state }) => unansweredIn(state).length > 0);
    return [...new Set(open.map(({ state }) => state.sessionID))];
  }

  resolve(thread: vscode.CommentThread, resolved: boolean): void {
    const open = this.#open.get(this.#ids.get(thread) ?? "");
    if (!open) return;
    this.#set({ ...open.state, resolved });
    if (resolved) thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
  }

  /** Deletes a thread, also one in which nothing was written. */
  remove(thread: vscode.CommentThread): void {
    const id = this.#ids.get(thread);
    thread.dispose();
    if (id !== undefined && this.#open.delete(id)) this.#changedThread(id);
  }

  /** Deletes a comment that waits; with the only one, its thread. */
  removeComment(id: string): void {
    const open = this.#withComment(id);
    if (!open) return;
    const left = withoutComment(open.state, id);
    if (left.said.length === 0) this.remove(open.thread);
    else this.#set(left);
  }

  /** Opens the text of a comment that waits for changes, or closes it again. */
  edit(id: string, isEdited: boolean): void {
    const open = this.#withComment(id);
    if (!open) return;
    show(open.thread, open.state, this.#isWorking(open.state), isEdited ? id : undefined);
  }

  save(id: string, text: string): void {
    if (text.trim() === "") this.removeComment(id);
    else this.#update(id, (state) => withText(state, id, text.trim()));
  }

  /** Shows the lines of a comment with its thread. */
  async reveal(id: string): Promise<void> {
    const open = this.#withComment(id);
    if (!open) return;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(open.state.uri));
    open.thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    await vscode.window.showTextDocument(document, { selection: rangeOf(open.state.anchor, document) });
  }

  #pendingThreads(ids: readonly string[]): { state: StoredThread; comment: OwnComment }[] {
    return ids.flatMap((id) => {
      const state = this.#withComment(id)?.state;
      const comment = state && pendingIn(state).find((one) => one.id === id);
      return comment ? [{ state, comment }] : [];
    });
  }

  #withComment(id: string): OpenThread | undefined {
    return [...this.#open.values()].find(({ state }) => state.said.some((one) => one.by === "user" && one.id === id));
  }

  #update(commentID: string, change: (state: StoredThread) => StoredThread): void {
    const open = this.#withComment(commentID);
    if (open) this.#set(change(open.state));
  }

  async #adopt(thread: vscode.CommentThread): Promise<StoredThread> {
    const document = await vscode.workspace.openTextDocument(thread.uri);
    const range = thread.range ?? new vscode.Range(0, 0, 0, 0);
    const anchor = anchorAt(linesOf(document), range.start.line, lastLineOf(range));
    const state = newThread(newID("prt"), thread.uri.toString(), anchor);
    this.#open.set(state.id, { state, thread });
    this.#ids.set(thread, state.id);
    return state;
  }

  #show(state: StoredThread): void {
    const { start, end } = state.anchor;
    const range = new vscode.Range(start, 0, end, 0);
    const thread = this.#controller.createCommentThread(vscode.Uri.parse(state.uri), range, []);
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
    this.#open.set(state.id, { state, thread });
    this.#ids.set(thread, state.id);
    show(thread, state, this.#isWorking(state));
  }

  #set(state: StoredThread): void {
    const open = this.#open.get(state.id);
    if (!open) return;
    open.state = state;
    show(open.thread, state, this.#isWorking(state));
    this.#changedThread(state.id);
  }

  #isWorking({ sessionID }: StoredThread): boolean {
    return this.#working.has(sessionID);
  }

  #changedThread(id: string): void {
    this.#unsaved.add(id);
    this.#timer ??= setTimeout(() => void this.flush(), saveDelayMs);
    this.#changed.fire();
  }

  #textChanged({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0) return;
    for (const open of this.#in(document)) {
      const edits = contentChanges.map(({ range, text }): AnchorEdit => ({ start: range.start, end: range.end, text }));
      this.#move(open, afterEdits(open.state.anchor, edits, linesOf(document)), document);
    }
  }

  /** The text may have changed while no document was open. */
  #findAgain(document: vscode.TextDocument): void {
    const threads = this.#in(document);
    if (threads.length === 0) return;
    const text = linesOf(document).slice(0, document.lineCount);
    for (const open of threads) this.#move(open, foundAgain(open.state.anchor, text), document);
  }

  #in({ uri }: vscode.TextDocument): OpenThread[] {
    if (this.#open.size === 0) return [];
    const key = uri.toString();
    return [...this.#open.values()].filter(({ state }) => state.uri === key);
  }

  #move(open: OpenThread, anchor: StoredThread["anchor"], document: vscode.TextDocument): void {
    const before = open.state.anchor;
    const isSame = before.start === anchor.start && before.end === anchor.end && before.outdated === anchor.outdated;
    open.state = { ...open.state, anchor };
    this.#unsaved.add(open.state.id);
    this.#timer ??= setTimeout(() => void this.flush(), saveDelayMs);
    if (isSame) return;
    open.thread.range = rangeOf(anchor, document);
    show(open.thread, open.state, this.#isWorking(open.state));
    if (pendingIn(open.state).length > 0) this.#changed.fire();
  }

  /** The URI of a thread cannot change, so that a new one is shown. */
  #renamed(from: vscode.Uri, to: vscode.Uri): void {
    for (const { state, thread } of [...this.#open.values()]) {
      const uri = renamedUri(vscode.Uri.parse(state.uri), from, to);
      if (!uri) continue;
      thread.dispose();
      this.#show({ ...state, uri: uri.toString() });
      this.#changedThread(state.id);
    }
  }
}

function fail(id: string): never {
  throw new Error(`The comment ${id} has no place.`);
}
