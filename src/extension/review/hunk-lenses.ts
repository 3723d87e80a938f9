/** A line of actions above each hunk. */

import * as vscode from "vscode";
import { lineNumbersInWords } from "../../chat/words.ts";
import { t } from "../../l10n/l10n.ts";
import { type Changes, userLines } from "../../review/hunks.ts";
import type { LineHunk } from "../../review/line-diff.ts";
import { isNotebook } from "./notebook-text.ts";
import { linesInWords, removedLines, showsOldLines } from "./old-lines.ts";
import type { Review } from "./review.ts";
import { firstLine } from "./review-places.ts";

/** Longer old lines are cut; the hover and the peek have all of them. */
const maxOldChars = 60;

/**
 * VS Code places every line with actions anew when any line changes, so that an edit of many hunks takes seconds. In a
 * file with more hunks than this, only those near the visible lines have actions.
 */
const maxHunks = 100;
const nearLines = 300;
/** Time without scrolling after which the actions follow. */
const scrolledMs = 100;

export class HunkLenses implements vscode.Disposable, vscode.CodeLensProvider {
  readonly #review: Review;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  /** Lines whose hunks have actions, in documents with very many hunks. */
  readonly #near = new WeakMap<vscode.TextDocument, readonly vscode.Range[]>();
  #scrolled: NodeJS.Timeout | undefined;
  readonly #own: vscode.Disposable[];

  constructor(review: Review) {
    this.#review = review;
    this.#own = [
      this.#changed,
      vscode.languages.registerCodeLensProvider({ scheme: "file" }, this),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor, visibleRanges }) => {
        const near = this.#near.get(textEditor.document);
        if (!near || visibleRanges.every((range) => near.some((lines) => lines.contains(range)))) return;
        clearTimeout(this.#scrolled);
        this.#scrolled = setTimeout(() => this.refresh(), scrolledMs);
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.#scrolled);
    for (const one of this.#own) one.dispose();
  }

  /** To be called when the hunks have changed otherwise than by typing, after which VS Code asks on its own. */
  refresh(): void {
    this.#changed.fire();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const changes = this.#review.changes(document.uri);
    this.#near.delete(document);
    if (!changes || isNotebook(document.uri)) return [];
    const near = changes.hunks.length > maxHunks ? linesNear(document) : undefined;
    if (near) this.#near.set(document, near);
    const hasLenses = (hunk: LineHunk) => !near || near.some((lines) => lines.contains(placeOfHunk(document, hunk)));
    return changes.hunks.flatMap((hunk, index) => (hasLenses(hunk) ? lensesOf(document, changes, hunk, index) : []));
  }
}

/** Returns the lines near those that its editors show. */
function linesNear(document: vscode.TextDocument): vscode.Range[] {
  const shown = vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
  return shown.flatMap(({ visibleRanges }) =>
    visibleRanges.map(
      ({ start, end }) => new vscode.Range(Math.max(0, start.line - nearLines), 0, end.line + nearLines, 0),
    ),
  );
}

const placeOfHunk = (document: vscode.TextDocument, hunk: LineHunk): vscode.Position =>
  new vscode.Position(firstLine(hunk, document), 0);

function lensesOf(document: vscode.TextDocument, changes: Changes, hunk: LineHunk, index: number): vscode.CodeLens[] {
  const place = placeOfHunk(document, hunk);
  const range = new vscode.Range(place, place);
  const count = changes.hunks.length;
  // The last argument detects a late click: by then another hunk may have this index.
  const lens = (title: string, command: string, tooltip: string) =>
    new vscode.CodeLens(range, { title, command, tooltip, arguments: [document.uri, index, hunk.start] });
  const { mixed } = userLines(changes, hunk);
  return [
    ...(mixed.length > 0
      ? [
          lens(`$(warning)\u00A0${t("You changed {0}", lineNumbersInWords(mixed.map(fromOne)))}`, "", ""),
          lens(t("Keep mine"), "rondo.acceptHunk", t("Accept this change with your lines in it")),
          lens(t("Take Rondo's"), "rondo.takeAgentLines", t("Put Rondo's lines back, and accept the change")),
          lens(t("Keep both"), "rondo.keepBothLines", t("Put Rondo's lines below yours, and accept the change")),
          lens(t("Compare"), "rondo.compareConflict", t("Compare Rondo's lines with yours")),
        ]
      : [lens(t("Accept"), "rondo.acceptHunk", t("Accept this change"))]),
    lens(t("Reject"), "rondo.rejectHunk", t("Reject this change")),
    lens(t("Comment"), "rondo.commentHunk", t("Comment on this change")),
    ...(removedLines(changes, hunk).length > 0
      ? [lens(removedWords(changes, hunk), "rondo.showRemoved", t("Show the removed lines above the new ones"))]
      : []),
    lens("$(arrow-up)", "rondo.previousHunk", t("Previous change")),
    lens(t("{0} of {1}", index + 1, count), "", ""),
    lens("$(arrow-down)", "rondo.nextHunk", t("Next change")),
    ...yoursWords(changes, hunk).map((words) => lens(words, "", "")),
  ];
}

/** "2 lines removed"; with the first of them where none is shown in the text. */
function removedWords(changes: Changes, hunk: LineHunk): string {
  const removed = removedLines(changes, hunk);
  const words = t("{0} removed", linesInWords(removed.length));
  const first = removed.find((line) => line.trim() !== "")?.trim();
  if (first === undefined || showsOldLines(changes, hunk)) return words;
  // An icon in a title is written "$(name)", which may stand in the code.
  const shown = first.replaceAll("$(", "$\u200B(");
  return `${words}: ${shown.length > maxOldChars ? `${shown.slice(0, maxOldChars)}…` : shown}`;
}

function yoursWords(changes: Changes, hunk: LineHunk): string[] {
  const { mine } = userLines(changes, hunk);
  return mine.length > 0 ? [t("partly yours: {0} stays if you reject", lineNumbersInWords(mine.map(fromOne)))] : [];
}

const fromOne = (line: number): number => line + 1;
