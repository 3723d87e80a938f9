/** Tells which changes of a document were made by saving it: by formatters, and by VS Code's own settings. */
import * as vscode from "vscode";
import type { FileReview, ReviewMoment } from "../../review/file-review.ts";

/** Edits that nobody has made at a cursor, and the review before them. */
interface DistantEdits {
  file: FileReview;
  since: ReviewMoment;
}

/**
 * VS Code tells extensions of a save before formatters run, or after. It asks those who take part in the order in which
 * they registered (`addSaveParticipant`), and an extension host that starts late, or again, is the last of them. Then an
 * edit right before the announcement is a formatter's if it changes no words and lines without a cursor.
 */
export class SaveEdits implements vscode.Disposable {
  readonly #changed: (key: string) => void;
  /** URIs of documents whose save was announced and has not ended. */
  readonly #saving = new Set<string>();
  /** By URI: the edits since the last one that the user has made by hand. */
  readonly #distant = new Map<string, DistantEdits>();
  readonly #own: vscode.Disposable[];

  /** @param changed called with the URI of a document whose review has changed */
  constructor(changed: (key: string) => void) {
    this.#changed = changed;
    this.#own = [
      vscode.workspace.onWillSaveTextDocument(({ document }) => this.#announced(document.uri.toString())),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.forget(uri.toString())),
      // A save that fails has no end that an extension is told of.
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        const isByHand =
          kind === vscode.TextEditorSelectionChangeKind.Keyboard || kind === vscode.TextEditorSelectionChangeKind.Mouse;
        if (isByHand) this.forget(textEditor.document.uri.toString());
      }),
    ];
  }

  dispose(): void {
    for (const one of this.#own) one.dispose();
  }

  isSaving(key: string): boolean {
    return this.#saving.has(key);
  }

  forget(key: string): void {
    this.#saving.delete(key);
    this.#distant.delete(key);
  }

  /** To be called before the review takes a change as the user's. */
  edits({ document, contentChanges }: vscode.TextDocumentChangeEvent, file: FileReview): void {
    const key = document.uri.toString();
    // VS Code tells the new selections after the change.
    const selections = vscode.window.visibleTextEditors
      .filter((editor) => editor.document === document)
      .flatMap((editor) => editor.selections);
    const isAtCursor = ({ range }: vscode.TextDocumentContentChangeEvent) =>
      selections.some(({ start, end }) => start.line <= range.end.line && end.line >= range.start.line);
    if (contentChanges.every(isAtCursor)) this.#distant.delete(key);
    else if (this.#distant.get(key)?.file !== file) this.#distant.set(key, { file, since: file.moment });
  }

  #announced(key: string): void {
    this.#saving.add(key);
    const distant = this.#distant.get(key);
    this.#distant.delete(key);
    if (distant?.file.formattedSince(distant.since)) this.#changed(key);
  }
}
