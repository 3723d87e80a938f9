/** Shows a review in the editor: tinted lines, removed text, and a line of actions above each hunk. */
import * as vscode from "vscode";
import { type Changes, oldLines } from "./hunks.ts";
import type { LineHunk } from "./line-diff.ts";
import type { Review } from "./review.ts";

/** Up to this many replaced lines, each old line is shown after the new one. */
const maxPairedLines = 4;
/** Longer old lines are cut; the hover has all of it. */
const maxPairedChars = 100;
const maxHoverLines = 60;

export class Decorations implements vscode.Disposable, vscode.CodeLensProvider {
  readonly #review: Review;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #added = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("diffEditor.insertedLineBackground"),
    // A bar, for themes without a tint.
    borderWidth: "0 0 0 3px",
    borderStyle: "solid",
    borderColor: new vscode.ThemeColor("editorGutter.addedBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.addedForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  readonly #removed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.deletedForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  /** Marks removed lines that were not replaced. */
  readonly #cut = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderWidth: "2px 0 0 0",
    borderStyle: "solid",
    borderColor: new vscode.ThemeColor("editorGutter.deletedBackground"),
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  readonly #context = new Map<string, boolean>();
  readonly #own: vscode.Disposable[];

  constructor(review: Review) {
    this.#review = review;
    this.#own = [
      this.#changed,
      this.#added,
      this.#removed,
      this.#cut,
      vscode.languages.registerCodeLensProvider({ scheme: "file" }, this),
      review.onDidChange(() => {
        this.#changed.fire();
        this.#update(vscode.window.visibleTextEditors);
      }),
      vscode.window.onDidChangeVisibleTextEditors((editors) => this.#update(editors)),
      vscode.window.onDidChangeTextEditorViewColumn(({ textEditor }) => this.#update([textEditor])),
      vscode.window.onDidChangeActiveTextEditor(() => this.#update([])),
      vscode.window.onDidChangeTextEditorSelection(() => this.#update([])),
    ];
    this.#update(vscode.window.visibleTextEditors);
  }

  dispose(): void {
    for (const one of this.#own) one.dispose();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const changes = this.#review.changes(document.uri);
    if (!changes) return [];
    const { hunks } = changes;
    return hunks.flatMap((hunk, index) => {
      const line = firstLine(hunk, document);
      const range = new vscode.Range(line, 0, line, 0);
      // The last argument detects a late click: by then another hunk may have this index.
      const lens = (title: string, command: string, tooltip = "") =>
        new vscode.CodeLens(range, { title, command, tooltip, arguments: [document.uri, index, hunk.start] });
      return [
        lens("Accept", "rondo.acceptHunk"),
        lens("Reject", "rondo.rejectHunk"),
        ...(hunk.baseCount > 0 ? [lens(`${linesInWords(hunk.baseCount)} removed`, "rondo.showRemoved")] : []),
        lens("$(arrow-up)", "rondo.previousHunk", "Previous Change"),
        lens(`${index + 1} of ${hunks.length}`, ""),
        lens("$(arrow-down)", "rondo.nextHunk", "Next Change"),
      ];
    });
  }

  #update(editors: readonly vscode.TextEditor[]): void {
    for (const editor of editors) this.#draw(editor);
    const active = vscode.window.activeTextEditor;
    const changes = active && this.#review.changes(active.document.uri);
    this.#setContext("rondo.hasHunks", this.#review.uris().length > 0);
    this.#setContext("rondo.fileHasHunks", changes !== undefined);
    const here = changes && active && hunkAt(changes, active.selection.active.line);
    this.#setContext("rondo.hunkAtCursor", here !== undefined);
  }

  #draw(editor: vscode.TextEditor): void {
    const { document } = editor;
    // Diff editors and peeks have no column. They show the changes themselves.
    const changes = editor.viewColumn === undefined ? undefined : this.#review.changes(document.uri);
    const added: vscode.Range[] = [];
    const removed: vscode.DecorationOptions[] = [];
    const cut: vscode.Range[] = [];
    for (const hunk of changes?.hunks ?? []) {
      const line = firstLine(hunk, document);
      if (hunk.count > 0) added.push(new vscode.Range(line, 0, hunk.start + hunk.count - 1, 0));
      else cut.push(new vscode.Range(line, 0, line, 0));
      if (changes && hunk.baseCount > 0) removed.push(...oldText(document, changes, hunk));
    }
    editor.setDecorations(this.#added, added);
    editor.setDecorations(this.#removed, removed);
    editor.setDecorations(this.#cut, cut);
  }

  #setContext(key: string, value: boolean): void {
    if (this.#context.get(key) === value) return;
    this.#context.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  }
}

/** Returns the index of the line's hunk. Removed lines belong to both lines between which they were. */
export function hunkAt({ hunks }: Changes, line: number): number | undefined {
  const inside = hunks.findIndex(({ start, count }) => line >= start && line < start + count);
  if (inside >= 0) return inside;
  const beside = hunks.findIndex(({ start, count }) => count === 0 && (line === start || line === start - 1));
  return beside >= 0 ? beside : undefined;
}

export const firstLine = (hunk: LineHunk, document: vscode.TextDocument): number =>
  Math.min(hunk.start, document.lineCount - 1);

/** Returns decorations with the removed text: in the hover, and after the new line if it replaces few lines. */
function oldText(document: vscode.TextDocument, changes: Changes, hunk: LineHunk): vscode.DecorationOptions[] {
  const lines = oldLines(changes, hunk).map((line) => line.replace(/[\r\n]+$/, ""));
  const hoverMessage = new vscode.MarkdownString(`${linesInWords(lines.length)} removed`);
  hoverMessage.appendCodeblock(lines.slice(0, maxHoverLines).join("\n"), document.languageId);
  if (lines.length > maxHoverLines) hoverMessage.appendMarkdown(`… and ${lines.length - maxHoverLines} more`);
  const first = firstLine(hunk, document);
  if (hunk.count !== hunk.baseCount || hunk.count > maxPairedLines) {
    const last = Math.max(first, hunk.start + hunk.count - 1);
    return [{ range: new vscode.Range(first, 0, last, document.lineAt(last).text.length), hoverMessage }];
  }
  return lines.map((line, i) => ({
    range: document.lineAt(first + i).range,
    hoverMessage,
    renderOptions: { after: behind(line.trim()) },
  }));
}

const behind = (line: string): vscode.ThemableDecorationAttachmentRenderOptions => ({
  contentText: `− ${line.length > maxPairedChars ? `${line.slice(0, maxPairedChars)}…` : line}`,
  color: new vscode.ThemeColor("editor.foreground"),
  backgroundColor: new vscode.ThemeColor("diffEditor.removedLineBackground"),
  margin: "0 0 0 3ch",
});

const linesInWords = (count: number): string => (count === 1 ? "1 line" : `${count} lines`);
