/** Shows the review of a notebook in the status bars of its cells: VS Code has no CodeLens and no decorations there. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import { type Changes, userLines } from "../../review/hunks.ts";
import { cellOfLine } from "../../tools/notebook/cell-lines.ts";
import type { Review } from "./review.ts";
import { hunkAt } from "./review-places.ts";

export class CellActions implements vscode.Disposable, vscode.NotebookCellStatusBarItemProvider {
  readonly #review: Review;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCellStatusBarItems = this.#changed.event;
  readonly #own: vscode.Disposable[];

  constructor(review: Review) {
    this.#review = review;
    this.#own = [
      this.#changed,
      review.onDidChange(() => this.#changed.fire()),
      vscode.notebooks.registerNotebookCellStatusBarItemProvider("jupyter-notebook", this),
    ];
  }

  dispose(): void {
    for (const one of this.#own) one.dispose();
  }

  provideCellStatusBarItems({ notebook, index }: vscode.NotebookCell): vscode.NotebookCellStatusBarItem[] {
    const changes = this.#review.changes(notebook.uri);
    const at = changes && hunkOfCell(changes, index, notebook.cellCount);
    const hunk = at === undefined ? undefined : changes?.hunks[at];
    if (at === undefined || !hunk || !changes) return [];
    const item = (text: string, tooltip: string, command: string | undefined, priority: number) => {
      const made = new vscode.NotebookCellStatusBarItem(text, vscode.NotebookCellStatusBarAlignment.Left);
      made.tooltip = tooltip;
      made.priority = priority;
      made.accessibilityInformation = { label: tooltip, role: command === undefined ? "note" : "button" };
      // The last argument detects a late click: by then another hunk may have this index.
      if (command) made.command = { command, title: tooltip, arguments: [notebook.uri, at, hunk.start] };
      return made;
    };
    const which = changes.hunks.length > 1 ? ` ${t("({0} of {1})", at + 1, changes.hunks.length)}` : "";
    const isConflict = userLines(changes, hunk).mixed.length > 0;
    return [
      item(`$(sparkle) ${whatHappened(hunk)}${which}`, t("Rondo: {0}{1}", whatHappened(hunk), which), undefined, 30),
      item(`$(check) ${t("Accept")}`, t("Accept Rondo's change of these cells"), "rondo.acceptHunk", 20),
      ...(isConflict
        ? [
            item(
              `$(warning) ${t("Take Rondo's")}`,
              t("You changed cells of Rondo's: put Rondo's back"),
              "rondo.takeAgentLines",
              15,
            ),
          ]
        : []),
      item(`$(discard) ${t("Reject")}`, t("Reject Rondo's change of these cells"), "rondo.rejectHunk", 10),
    ];
  }
}

type Counts = Pick<Changes["hunks"][number], "count" | "baseCount">;

function whatHappened({ count, baseCount }: Counts): string {
  if (count === 0) return baseCount === 1 ? t("1 cell deleted here") : t("{0} cells deleted here", baseCount);
  if (baseCount === 0) return count === 1 ? t("New cell") : t("One of {0} new cells", count);
  return count === 1 && baseCount === 1 ? t("Changed cell") : t("{0} cells became {1}", baseCount, count);
}

/** Returns the index of the hunk that the status bar of a cell shows. Deleted cells show at the cell that follows. */
function hunkOfCell(changes: Changes, cell: number, cellCount: number): number | undefined {
  const at = hunkAt(changes.hunks, cell + 1);
  const hunk = at === undefined ? undefined : changes.hunks[at];
  if (!hunk || hunk.count > 0) return at;
  const follows = cellOfLine(Math.min(hunk.start, cellCount));
  return cell === follows ? at : undefined;
}
