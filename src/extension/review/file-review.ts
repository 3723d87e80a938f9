/** Review of one file. Follows every change of its text; makes none itself. */
import {
  type Author,
  accept,
  acceptAll,
  becomes,
  type Changes,
  currentText,
  edited,
  reject,
  rejectAll,
  type TextEdit,
  unchanged,
} from "./hunks.ts";
import { type Arrival, UndoHistory } from "./undo-history.ts";

export class FileReview {
  /** Whether the agent created the file, so that rejecting everything deletes it. */
  readonly created: boolean;
  #changes: Changes;
  readonly #history: UndoHistory;

  /** `before` is undefined for a new file. */
  constructor(before: string | undefined, changes: Changes = unchanged(before ?? "")) {
    this.created = before === undefined;
    this.#changes = changes;
    this.#history = new UndoHistory(changes);
  }

  get changes(): Changes {
    return this.#changes;
  }

  agentWrote(text: string): void {
    if (text === currentText(this.#changes)) return;
    this.#changes = becomes(this.#changes, text, "agent");
    this.#history.push(this.#changes, "opens");
  }

  /** `text` is the result. It counts where the edits do not lead to it. */
  userEdited(edits: readonly TextEdit[], text: string): void {
    const open = this.#changes.hunks.length;
    this.#take(edits, text, "user");
    this.#history.push(this.#changes, this.#changes.hunks.length < open ? "closes" : "plain");
  }

  undone(edits: readonly TextEdit[], text: string): void {
    this.#arrive(this.#history.undo(text), edits, text);
  }

  redone(edits: readonly TextEdit[], text: string): void {
    this.#arrive(this.#history.redo(text), edits, text);
  }

  /** Accepts a hunk, or all of them. */
  accept(index: number | undefined): void {
    this.#changes = index === undefined ? acceptAll(this.#changes) : accept(this.#changes, index);
    this.#history.accepted(this.#changes);
  }

  /** Returns the result of a reject. The review changes when `rejected` reports that the file has that text. */
  without(index: number | undefined): Changes {
    return index === undefined ? rejectAll(this.#changes) : reject(this.#changes, index);
  }

  rejected(outcome: Changes): void {
    this.#changes = outcome;
    this.#history.push(outcome, "closes");
  }

  #arrive(arrival: Arrival, edits: readonly TextEdit[], text: string): void {
    if (arrival.type === "known") {
      this.#changes = arrival.changes;
      return;
    }
    this.#take(edits, text, arrival.author);
    this.#history.arrived(this.#changes);
  }

  #take(edits: readonly TextEdit[], text: string, author: Author): void {
    const exact = edits.reduce((now, edit) => edited(now, edit, author), this.#changes);
    this.#changes = currentText(exact) === text ? exact : becomes(this.#changes, text, author);
  }
}
