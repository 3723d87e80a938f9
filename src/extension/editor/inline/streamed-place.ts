/** A place of a document whose text is replaced piece by piece, while the user may type elsewhere in it. */
import * as vscode from "vscode";
import type { WriteWatch } from "../../host/editor-workspace.ts";

export class StreamedPlace implements vscode.Disposable {
  readonly #editor: vscode.TextEditor;
  readonly #watch: WriteWatch;
  readonly #lost = new AbortController();
  readonly #listener: vscode.Disposable;
  #start: number;
  #length: number;
  #isWriting = false;
  #hasWritten = false;

  constructor(editor: vscode.TextEditor, range: vscode.Range, watch: WriteWatch) {
    const { document } = editor;
    this.#editor = editor;
    this.#watch = watch;
    this.#start = document.offsetAt(range.start);
    this.#length = document.offsetAt(range.end) - this.#start;
    this.#listener = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document !== document || this.#isWriting) return;
        for (const change of event.contentChanges) this.#moved(change);
      }),
      vscode.workspace.onDidCloseTextDocument((closed) => closed === document && this.#lost.abort()),
    );
  }

  /** Aborts when the user types into the place, or closes the document. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get range(): vscode.Range {
    const { document } = this.#editor;
    return new vscode.Range(document.positionAt(this.#start), document.positionAt(this.#start + this.#length));
  }

  get text(): string {
    return this.#editor.document.getText(this.range);
  }

  /** Begins an undo step for all pieces until the next call. */
  beginStep(): void {
    this.#hasWritten = false;
  }

  /** Replaces the text. All pieces of a step are undone together. Returns whether the editor did it. */
  async replace(text: string): Promise<boolean> {
    const { document } = this.#editor;
    if (this.#lost.signal.aborted || text === this.text) return !this.#lost.signal.aborted;
    const end = this.#watch.begin(document.uri, document.getText(), undefined);
    this.#isWriting = true;
    try {
      const { start } = this.range;
      const stops = { undoStopBefore: !this.#hasWritten, undoStopAfter: false };
      const done = await this.#editor.edit((edit) => edit.replace(this.range, text), stops);
      if (!done) return false;
      this.#hasWritten = true;
      // VS Code writes the document's own line endings.
      const { length } = text.replaceAll(/\r\n?|\n/g, document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n");
      this.#start = document.offsetAt(start);
      this.#length = length;
      return true;
    } finally {
      this.#isWriting = false;
      end(document.getText());
    }
  }

  dispose(): void {
    this.#listener.dispose();
  }

  #moved({ rangeOffset, rangeLength, text }: vscode.TextDocumentContentChangeEvent): void {
    if (rangeOffset >= this.#start + this.#length) return;
    if (rangeOffset + rangeLength > this.#start) this.#lost.abort();
    else this.#start += text.length - rangeLength;
  }
}
