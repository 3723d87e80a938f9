/** One write of the agent into a document: its text arrives first, then what a formatter makes of it when it is saved. */
import type { TextEdit } from "../../review/edits.ts";
import { FileReview } from "../../review/file-review.ts";
import type { NewText } from "../../review/live-text.ts";
import { lineFeeds } from "../host/documents.ts";
import { hasText } from "./file-text.ts";

export class AgentWrite {
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
export function expectedReview(
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
