/** Shows a review in the text: tinted lines, removed text, the user's own lines. Tells the menus what is at the cursor. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import { type Changes, isMixed, oldLines, userLines } from "../../review/hunks.ts";
import type { LineHunk } from "../../review/line-diff.ts";
import { fileUri } from "./baseline-provider.ts";
import type { HunkLenses } from "./hunk-lenses.ts";
import { isNotebook } from "./notebook-text.ts";
import { linesInWords, showsOldLines } from "./old-lines.ts";
import type { Review } from "./review.ts";
import { firstLine, hunkAtCursor, isConflict } from "./review-places.ts";

/** Longer old lines are cut; the hover has all of it. */
const maxPairedChars = 100;
/** After typing, the decorations are drawn anew, in case VS Code has moved them otherwise than the review. */
const idleMs = 500;

const line = (color: string): vscode.DecorationRenderOptions => ({
  isWholeLine: true,
  // A bar, for themes without a tint.
  borderWidth: "0 0 0 3px",
  borderStyle: "solid",
  borderColor: new vscode.ThemeColor(color),
  overviewRulerLane: vscode.OverviewRulerLane.Left,
  rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
});

export class Decorations implements vscode.Disposable {
  readonly #review: Review;
  readonly #lenses: HunkLenses;
  readonly #added = vscode.window.createTextEditorDecorationType({
    ...line("editorGutter.addedBackground"),
    backgroundColor: new vscode.ThemeColor("diffEditor.insertedLineBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.addedForeground"),
  });
  /** The user's own lines inside a hunk. A word tells it, too, as not everybody sees the colour. */
  readonly #mine = vscode.window.createTextEditorDecorationType({
    ...line("editorGutter.modifiedBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.modifiedForeground"),
  });
  readonly #removed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.deletedForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  /** Marks removed lines that were not replaced. */
  readonly #cut = vscode.window.createTextEditorDecorationType({
    ...line("editorGutter.deletedBackground"),
    borderWidth: "2px 0 0 0",
  });
  readonly #context = new Map<string, boolean>();
  /** What was drawn last in each editor. */
  readonly #drawn = new WeakMap<vscode.TextEditor, Changes | undefined>();
  #idle: NodeJS.Timeout | undefined;
  readonly #own: vscode.Disposable[];

  constructor(review: Review, lenses: HunkLenses) {
    this.#review = review;
    this.#lenses = lenses;
    this.#own = [
      ...[this.#added, this.#mine, this.#removed, this.#cut],
      review.onDidChange(() => this.#reviewChanged()),
      vscode.window.onDidChangeVisibleTextEditors((editors) => this.#draw(editors)),
      vscode.window.onDidChangeTextEditorViewColumn(({ textEditor }) => this.#draw([textEditor])),
      vscode.window.onDidChangeActiveTextEditor(() => this.#tellCursor()),
      vscode.window.onDidChangeTextEditorSelection(() => this.#tellCursor()),
    ];
    this.#reviewChanged();
  }

  dispose(): void {
    clearTimeout(this.#idle);
    for (const one of this.#own) one.dispose();
  }

  /** Runs with each key in a file under review: draws only what VS Code does not move on its own. */
  #reviewChanged(): void {
    this.#setContext("rondo.hasHunks", this.#review.hasChanges);
    this.#tellCursor();
    const stale = vscode.window.visibleTextEditors.filter(
      (editor) => !hasSameShape(this.#drawn.get(editor), this.#changesIn(editor)),
    );
    if (stale.length > 0) {
      this.#draw(stale);
      this.#lenses.refresh();
    }
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#draw(vscode.window.visibleTextEditors), idleMs);
  }

  #tellCursor(): void {
    const editor = vscode.window.activeTextEditor;
    const isReviewed = editor !== undefined && this.#review.changes(fileUri(editor.document.uri)) !== undefined;
    this.#setContext("rondo.fileHasHunks", isReviewed);
    const place = isReviewed ? hunkAtCursor(this.#review, editor) : undefined;
    this.#setContext("rondo.hunkAtCursor", place !== undefined);
    this.#setContext("rondo.conflictAtCursor", place !== undefined && isConflict(this.#review, place));
  }

  /**
   * Diff editors and peeks have no column. They show the changes themselves. The lines of a notebook's review are its
   * cells, not those of its JSON.
   */
  #changesIn(editor: vscode.TextEditor): Changes | undefined {
    const { uri } = editor.document;
    return editor.viewColumn === undefined || isNotebook(uri) ? undefined : this.#review.changes(uri);
  }

  #draw(editors: readonly vscode.TextEditor[]): void {
    for (const editor of editors) {
      const changes = this.#changesIn(editor);
      if (changes === undefined && this.#drawn.get(editor) === undefined) continue;
      if (changes !== undefined && this.#drawn.get(editor) === changes) continue;
      this.#drawn.set(editor, changes);
      this.#drawIn(editor, changes);
    }
  }

  #drawIn(editor: vscode.TextEditor, changes: Changes | undefined): void {
    const { document } = editor;
    const added: vscode.Range[] = [];
    const mine: vscode.DecorationOptions[] = [];
    const removed: vscode.DecorationOptions[] = [];
    const cut: vscode.Range[] = [];
    for (const hunk of changes?.hunks ?? []) {
      if (!changes) break;
      const users = userLines(changes, hunk);
      const own = [...users.mine, ...users.mixed].sort((a, b) => a - b);
      for (const at of own) mine.push(yours(document, changes, at));
      added.push(...agentLines(hunk, own));
      const first = firstLine(hunk, document);
      if (hunk.count === 0) cut.push(new vscode.Range(first, 0, first, 0));
      if (hunk.baseCount > 0) removed.push(...oldText(document, changes, hunk));
    }
    editor.setDecorations(this.#added, added);
    editor.setDecorations(this.#mine, mine);
    editor.setDecorations(this.#removed, removed);
    editor.setDecorations(this.#cut, cut);
  }

  #setContext(key: string, value: boolean): void {
    if (this.#context.get(key) === value) return;
    this.#context.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  }
}

/** Whether the hunks differ at most in their places, which VS Code keeps up to date while the user types. */
function hasSameShape(drawn: Changes | undefined, now: Changes | undefined): boolean {
  if (drawn === now || drawn === undefined || now === undefined) return drawn === now;
  return (
    drawn.hunks.length === now.hunks.length &&
    drawn.hunks.every((hunk, index) => {
      const other = now.hunks[index];
      return other !== undefined && shapeOf(drawn, hunk) === shapeOf(now, other);
    })
  );
}

/** Returns what is drawn of a hunk, but for its place. */
function shapeOf(changes: Changes, hunk: LineHunk): string {
  const { mine, mixed } = userLines(changes, hunk);
  const lines = (all: readonly number[]) => all.map((at) => at - hunk.start).join(",");
  return `${hunk.baseCount} ${hunk.count} ${lines(mine)} ${lines(mixed)}`;
}

/** Returns the hunk's new lines without the user's, in as few ranges as possible. */
function agentLines({ start, count }: LineHunk, mine: readonly number[]): vscode.Range[] {
  const ranges: vscode.Range[] = [];
  let from = start;
  for (const stop of [...mine, start + count]) {
    if (stop > from) ranges.push(new vscode.Range(from, 0, stop - 1, 0));
    from = stop + 1;
  }
  return ranges;
}

/** Returns decorations with the removed text after the new line if it replaces few lines. */
function oldText(document: vscode.TextDocument, changes: Changes, hunk: LineHunk): vscode.DecorationOptions[] {
  const first = firstLine(hunk, document);
  if (!showsOldLines(changes, hunk)) return [{ range: new vscode.Range(first, 0, first, 0) }];
  return oldLines(changes, hunk).map((old, i) => {
    const at = Math.min(first + i, document.lineCount - 1);
    // Behind a line of the user's are the agent's lines.
    if (isMixed(changes.marks[hunk.start + i])) return { range: new vscode.Range(at, 0, at, 0) };
    const after = behind(`− ${shortened(old.trim())}`, "diffEditor.removedLineBackground");
    return { range: document.lineAt(at).range, renderOptions: { after } };
  });
}

/** Returns the decoration of a line of the user's, with what the agent had written in its place. */
function yours(document: vscode.TextDocument, { marks }: Changes, line: number): vscode.DecorationOptions {
  const mark = marks[line];
  const written = isMixed(mark) ? mark.agent.map((one) => one.trim()).filter((one) => one !== "") : [];
  const [first] = written;
  const more = written.length > 1 ? ` … ${linesInWords(written.length)}` : "";
  return {
    range: document.lineAt(Math.min(line, document.lineCount - 1)).range,
    renderOptions: {
      after:
        first === undefined
          ? {
              contentText: t("• yours"),
              color: new vscode.ThemeColor("editorCodeLens.foreground"),
              margin: "0 0 0 3ch",
            }
          : behind(t("• yours; Rondo's: {0}{1}", shortened(first), more), "diffEditor.insertedLineBackground"),
    },
  };
}

const shortened = (text: string): string => (text.length > maxPairedChars ? `${text.slice(0, maxPairedChars)}…` : text);

const behind = (text: string, background: string): vscode.ThemableDecorationAttachmentRenderOptions => ({
  contentText: text,
  color: new vscode.ThemeColor("editor.foreground"),
  backgroundColor: new vscode.ThemeColor(background),
  margin: "0 0 0 3ch",
});
