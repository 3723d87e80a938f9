/** Takes what the agent changes: in a document, with a command, or on disk where an unsaved document hides it. */
import type * as vscode from "vscode";
import type { TextEdit } from "../../review/edits.ts";
import { FileReview } from "../../review/file-review.ts";
import { currentText } from "../../review/hunks.ts";
import type { NewText } from "../../review/live-text.ts";
import type { PastReviews } from "../../review/past-reviews.ts";
import { lineFeeds } from "../host/documents.ts";
import type { WriteEnd } from "../host/editor-workspace.ts";
import type { FileReviews } from "./file-reviews.ts";
import { foldersFor, hasText } from "./file-text.ts";
import { reviewText } from "./notebook-text.ts";
import type { ReviewSharing } from "./review-sharing.ts";

/** A change of the agent of which only the texts before and after are known. `undefined`: there is no file. */
export interface AgentChange {
  uri: vscode.Uri;
  before: string | undefined;
  after: string | undefined;
  /** The encoding of the bytes before and after, or `noEncoding`; undefined if it is not known. */
  encoding: string | undefined;
  /** The former place of a moved file. `before` is the text there. */
  movedFrom: vscode.Uri | undefined;
  /** Folders (URIs) that the agent has made. Those above a file that it created go with the file's reject. */
  folders: readonly string[];
}

export class AgentChanges {
  readonly #files: FileReviews;
  readonly #past: PastReviews;
  readonly #sharing: ReviewSharing | undefined;
  readonly #writing = new Map<string, AgentWrite>();

  constructor(files: FileReviews, past: PastReviews, sharing: ReviewSharing | undefined) {
    this.#files = files;
    this.#past = past;
    this.#sharing = sharing;
  }

  /** Returns the write into the file that has not ended. */
  writing(key: string): AgentWrite | undefined {
    return this.#writing.get(key);
  }

  begin(uri: vscode.Uri, before: string | undefined, wanted?: string, encoding?: string): WriteEnd {
    const key = uri.toString();
    const file = this.#open(uri, before);
    if (encoding !== undefined) file.hadEncoding(encoding);
    const text = wanted === undefined ? undefined : reviewText(uri, wanted);
    if (text !== undefined && this.#sharing) this.#announce(key, file, text);
    const write = new AgentWrite(file, text);
    this.#writing.set(key, write);
    return (written) => {
      const after = written === undefined ? undefined : reviewText(uri, written);
      this.#writing.delete(key);
      if (text !== undefined) this.#past.drop(key, text);
      if (after !== undefined) write.end(after);
      else if (before === undefined || !file.agentDeleted()) this.#files.drop(key, "own");
      this.#files.report(key, "own");
      this.#sharing?.tell();
    };
  }

  /** Tells whose the text is before it is written: another window may see it first, and this one may be killed. */
  #announce(key: string, file: FileReview, text: string): void {
    this.#past.keep(key, expectedReview(file, currentText(file.changes), text));
    this.#sharing?.knows(key, "seen");
    this.#sharing?.tell();
  }

  /** Takes a change of the agent that was made outside the editor: by a command, for example. */
  take({ uri, before, after, encoding, movedFrom, folders }: AgentChange): void {
    const key = uri.toString();
    const from = movedFrom?.toString();
    const moved = from === undefined ? undefined : this.#files.get(from);
    if (moved && from !== undefined) {
      this.#files.drop(from, "own");
      this.#files.put(uri, moved);
    }
    const file = this.#open(uri, before, folders);
    if (encoding !== undefined) file.hadEncoding(encoding);
    if (from !== undefined) file.agentMoved(from, key);
    if (after === undefined) {
      this.#past.keep(key, file);
      if (before === undefined || !file.agentDeleted()) this.#files.drop(key, "own");
    } else if (!hasText(file.changes, reviewText(uri, after))) file.agentWrote(reviewText(uri, after));
    this.#files.report(key, "own");
  }

  /** Takes a change of the agent on disk that an unsaved document hides. It is reviewed if the document takes it over. */
  expect(change: AgentChange): void {
    const { uri } = change;
    const before = change.before === undefined ? undefined : reviewText(uri, change.before);
    const after = change.after === undefined ? undefined : reviewText(uri, change.after);
    const file = expectedReview(this.#files.get(uri.toString()), before, after);
    if (change.encoding !== undefined) file.hadEncoding(change.encoding);
    this.#past.keep(uri.toString(), file);
    this.#sharing?.knows(uri.toString(), "seen");
  }

  /** Returns the review of the file. What differs from `before` in it is the user's. */
  #open(uri: vscode.Uri, text: string | undefined, made: readonly string[] = []): FileReview {
    const before = text === undefined ? undefined : reviewText(uri, text);
    const known = this.#files.get(uri.toString());
    const isKnown = known && (before !== undefined || known.state.type === "deleted");
    const file = isKnown
      ? known
      : FileReview.begin(before, before === undefined ? foldersFor(uri, [...made, ...this.#madeFolders()]) : []);
    if (before !== undefined && !hasText(file.changes, before)) file.userEdited([], before);
    this.#files.put(uri, file);
    return file;
  }

  #madeFolders(): string[] {
    return this.#files.all().flatMap(([, { state }]) => (state.type === "created" ? state.folders : []));
  }
}

// One write of the agent into a document: its text arrives first, then what a formatter makes of it when it is saved.

class AgentWrite {
  readonly #file: FileReview;
  readonly #wanted: string | undefined;
  #isWritten = false;

  /** @param wanted the text that the agent writes; undefined if only the result tells it */
  constructor(file: FileReview, wanted: string | undefined) {
    this.#file = file;
    this.#wanted = wanted;
  }

  /** Takes a change of the document during the write. */
  changed(edits: readonly TextEdit[], text: NewText): void {
    if (this.#isWritten) {
      this.#file.formatted(edits, text);
      return;
    }
    const now = typeof text === "string" ? text : text.read();
    if (this.#wanted === undefined || isSame(this.#wanted, now)) this.#write(now);
    // The user was faster than the agent.
    else if (!hasText(this.#file.changes, now)) this.#file.userEdited(edits, text);
  }

  /** @param after the text in the end */
  end(after: string): void {
    if (hasText(this.#file.changes, after)) return;
    if (this.#isWritten && this.#wanted !== undefined) this.#file.formatted([], after);
    else this.#write(after);
  }

  #write(text: string): void {
    this.#isWritten = this.#wanted !== undefined;
    if (!hasText(this.#file.changes, text)) this.#file.agentWrote(text);
  }
}

/** Returns the review as it is if the file gets the text `after`. `undefined`: there is no file. */
function expectedReview(
  known: FileReview | undefined,
  before: string | undefined,
  after: string | undefined,
): FileReview {
  const file = known ? new FileReview(known.state, known.changes) : FileReview.begin(before);
  if (before !== undefined && !hasText(file.changes, before)) file.userEdited([], before);
  if (after !== undefined) file.agentWrote(after);
  else if (before !== undefined) file.agentDeleted();
  return file;
}

const isSame = (a: string, b: string): boolean => a === b || lineFeeds(a) === lineFeeds(b);
