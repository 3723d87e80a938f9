/** Rows of the review bar: open files, and files that were decided since the user's last message. */

import * as vscode from "vscode";
import type { ReviewFile, ReviewWord } from "../../chat/review-views.ts";
import type { ReviewAction } from "../../review/decisions.ts";
import type { FileReview, ReviewState } from "../../review/file-review.ts";
import { type Changes, userLines } from "../../review/hunks.ts";

const words = { changed: "changed", created: "new", deleted: "deleted", moved: "moved" } as const;

/** So many lines of a conflict are told. */
const maxLines = 100;

export class ReviewRows {
  /** Rows of files in which nothing is left to decide, by URI. */
  readonly #closed = new Map<string, ReviewFile>();
  /** Number of decided hunks, by URI. */
  readonly #decided = new Map<string, number>();

  decided(uri: vscode.Uri, hunks: number): void {
    const key = uri.toString();
    this.#decided.set(key, (this.#decided.get(key) ?? 0) + hunks);
  }

  close(uri: vscode.Uri, state: ReviewState, changes: Changes, action: ReviewAction): void {
    const word = action === "accept" ? "accepted" : "rejected";
    const total = this.#decided.get(uri.toString()) ?? 0;
    this.#closed.set(uri.toString(), { ...this.#row(uri, state, changes, word), hunks: 0, total });
  }

  reopen(uri: vscode.Uri, hunks: number): void {
    this.#closed.delete(uri.toString());
    this.decided(uri, -hunks);
  }

  /** Returns whether there were any. */
  forget(): boolean {
    const had = this.#decided.size > 0;
    this.#closed.clear();
    this.#decided.clear();
    return had;
  }

  list(open: readonly [vscode.Uri, FileReview][]): ReviewFile[] {
    const rows = new Map(this.#closed);
    for (const [uri, { state, changes }] of open) {
      rows.set(uri.toString(), this.#row(uri, state, changes, words[state.type]));
    }
    return [...rows.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  #row(uri: vscode.Uri, state: ReviewState, changes: Changes, word: ReviewWord): ReviewFile {
    const { hunks } = changes;
    const decided = this.#decided.get(uri.toString()) ?? 0;
    return {
      path: uri.fsPath,
      relative: vscode.workspace.asRelativePath(uri),
      state: whoseWord(changes, word),
      changedLines: hunks.flatMap((hunk) => userLines(changes, hunk).mixed.map((line) => line + 1)).slice(0, maxLines),
      movedFrom: state.type === "moved" ? vscode.workspace.asRelativePath(vscode.Uri.parse(state.from)) : "",
      hunks: hunks.length,
      total: Math.max(0, decided) + hunks.length,
      added: hunks.reduce((sum, { count }) => sum + count, 0),
      removed: hunks.reduce((sum, { baseCount }) => sum + baseCount, 0),
    };
  }
}

/** Returns the word for a file that waits: whose lines they are matters more than what has happened to it. */
function whoseWord(changes: Changes, word: ReviewWord): ReviewWord {
  if (word === "accepted" || word === "rejected") return word;
  const own = changes.hunks.map((hunk) => userLines(changes, hunk));
  if (own.some(({ mixed }) => mixed.length > 0)) return "conflict";
  return own.some(({ mine }) => mine.length > 0) ? "partly yours" : word;
}
