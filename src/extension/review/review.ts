/** Follows each file that the agent has changed until every hunk is accepted or rejected. */
import * as vscode from "vscode";
import type { ReviewFile } from "../../chat/protocol.ts";
import { endingOf, lineFeeds, putText, waitForText } from "../host/documents.ts";
import type { WriteEnd, WriteWatch } from "../host/editor-workspace.ts";
import { FileReview } from "./file-review.ts";
import { baseText, type Changes, currentText, type TextEdit } from "./hunks.ts";
import { ReviewStore } from "./review-store.ts";

interface ReviewOptions {
  /** The extension's folder for this workspace. Without it the review ends with the window. */
  storage: vscode.Uri | undefined;
  warn(message: string): void;
}

const saveDelayMs = 300;

export class Review implements vscode.Disposable, WriteWatch {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #warn: (message: string) => void;
  readonly #store: ReviewStore | undefined;
  /** By URI. A file without hunks stays while its document is open, since undo can bring them back. */
  readonly #files = new Map<string, FileReview>();
  readonly #watchers = new Map<string, vscode.Disposable>();
  /** Files that the agent is writing, and files that a reject is writing, with its result. */
  readonly #writing = new Set<string>();
  readonly #rejecting = new Map<string, Changes>();
  readonly #unsaved = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  readonly #own: vscode.Disposable[];

  constructor({ storage, warn }: ReviewOptions) {
    this.#warn = warn;
    this.#store = storage && new ReviewStore(storage);
    this.#own = [
      this.#changed,
      vscode.workspace.onDidChangeTextDocument((event) => this.#documentChanged(event)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => void this.#documentClosed(uri)),
      vscode.workspace.onDidRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files) this.#renamed(oldUri, newUri);
      }),
    ];
  }

  /** Continues the reviews of the last window. Changes since then are the user's. */
  async load(): Promise<void> {
    const kept = (await this.#store?.load()) ?? new Map<string, FileReview>();
    await Promise.all(
      [...kept].map(async ([key, file]) => {
        if (this.#files.has(key)) return;
        this.#put(vscode.Uri.parse(key), file);
        await this.#sync(vscode.Uri.parse(key));
      }),
    );
    if (kept.size > 0) this.#changed.fire();
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const keys = [...this.#unsaved];
    this.#unsaved.clear();
    await Promise.all(keys.map((key) => this.#store?.save(key, this.#files.get(key))));
  }

  dispose(): void {
    void this.flush();
    for (const one of [...this.#own, ...this.#watchers.values()]) one.dispose();
  }

  files(): ReviewFile[] {
    return this.uris().map((uri) => {
      const hunks = this.changes(uri)?.hunks ?? [];
      return {
        path: uri.fsPath,
        relative: vscode.workspace.asRelativePath(uri),
        hunks: hunks.length,
        added: hunks.reduce((sum, { count }) => sum + count, 0),
        removed: hunks.reduce((sum, { baseCount }) => sum + baseCount, 0),
      };
    });
  }

  uris(): vscode.Uri[] {
    return [...this.#files]
      .filter(([, { changes }]) => changes.hunks.length > 0)
      .map(([key]) => vscode.Uri.parse(key))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Returns undefined if nothing in the file waits for review. */
  changes(uri: vscode.Uri): Changes | undefined {
    const changes = this.#files.get(uri.toString())?.changes;
    return changes && changes.hunks.length > 0 ? changes : undefined;
  }

  before(uri: vscode.Uri): string | undefined {
    const changes = this.#files.get(uri.toString())?.changes;
    return changes && baseText(changes);
  }

  begin(uri: vscode.Uri, before: string | undefined): WriteEnd {
    const key = uri.toString();
    const known = before === undefined ? undefined : this.#files.get(key);
    const file = known ?? new FileReview(before);
    if (before !== undefined && !same(file.changes, before)) file.userEdited([], before);
    this.#put(uri, file);
    this.#writing.add(key);
    return (after) => {
      this.#writing.delete(key);
      if (after === undefined) this.#drop(key);
      else if (!same(file.changes, after)) file.agentWrote(after);
      this.#report(key);
    };
  }

  async decide(action: "accept" | "reject", uris = this.uris()): Promise<void> {
    for (const uri of uris) {
      if (action === "accept") this.accept(uri);
      else await this.reject(uri);
    }
  }

  accept(uri: vscode.Uri, index?: number): void {
    this.#files.get(uri.toString())?.accept(index);
    this.#report(uri.toString());
  }

  /** Puts the old text back in one undo step, and saves it if the file had no unsaved changes. */
  async reject(uri: vscode.Uri, index?: number): Promise<void> {
    try {
      const moved = await this.#sync(uri);
      // The hunks have changed, so the index may mean another one.
      if (moved && index !== undefined) return;
      const file = this.#files.get(uri.toString());
      if (!file || file.changes.hunks.length === 0) return;
      const outcome = file.without(index);
      if (file.created && outcome.text.length === 0) await this.#delete(uri);
      else await this.#restore(uri, file, outcome);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#warn(`${vscode.workspace.asRelativePath(uri)} could not be changed back: ${reason}`);
    }
  }

  async #restore(uri: vscode.Uri, file: FileReview, outcome: Changes): Promise<void> {
    const key = uri.toString();
    const text = currentText(outcome);
    const document = await vscode.workspace.openTextDocument(uri);
    const save = !document.isDirty;
    this.#rejecting.set(key, outcome);
    try {
      if (save && (endingOf(text) === "mixed" || !same(file.changes, document.getText()))) {
        // An editor would make all line endings equal, and may not watch a file outside the workspace.
        const bytes = await vscode.workspace.encode(text, { encoding: document.encoding });
        await vscode.workspace.fs.writeFile(uri, bytes);
      } else if (!(await putText(document, text))) {
        throw new Error("VS Code refused the edit.");
      }
      if (file.changes !== outcome && this.#rejecting.delete(key)) file.rejected(outcome);
    } finally {
      this.#rejecting.delete(key);
      this.#report(key);
    }
    if (save && document.isDirty && !(await document.save())) throw new Error("it could not be saved.");
  }

  async #delete(uri: vscode.Uri): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.deleteFile(uri, { ignoreIfNotExists: true });
    if (!(await vscode.workspace.applyEdit(edit))) throw new Error("VS Code refused to delete it.");
    this.#drop(uri.toString());
  }

  #documentChanged({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    const key = document.uri.toString();
    const file = this.#files.get(key);
    const text = document.getText();
    // Without a difference the change is known from the disk already, or affects only line endings.
    if (!file || contentChanges.length === 0 || same(file.changes, text)) return;
    const edits = contentChanges.map(toEdit);
    const outcome = this.#rejecting.get(key);
    if (outcome && same(outcome, text)) {
      this.#rejecting.delete(key);
      file.rejected(outcome);
    } else if (this.#writing.has(key)) file.agentWrote(text);
    else if (reason === vscode.TextDocumentChangeReason.Undo) file.undone(edits, text);
    else if (reason === vscode.TextDocumentChangeReason.Redo) file.redone(edits, text);
    else file.userEdited(edits, text);
    this.#report(key);
  }

  /** Unsaved changes are gone with the document, so the file is read again. */
  async #documentClosed(uri: vscode.Uri): Promise<void> {
    const key = uri.toString();
    const file = this.#files.get(key);
    if (!file || this.#writing.has(key)) return;
    if (file.changes.hunks.length === 0) this.#drop(key);
    else if (await this.#sync(uri)) this.#report(key);
  }

  #renamed(from: vscode.Uri, to: vscode.Uri): void {
    for (const [key, file] of [...this.#files]) {
      const { path } = vscode.Uri.parse(key);
      if (path !== from.path && !path.startsWith(`${from.path}/`)) continue;
      this.#drop(key);
      const moved = to.with({ path: to.path + path.slice(from.path.length) });
      this.#put(moved, file);
      this.#report(moved.toString());
    }
  }

  /** Applies changes that no event reported. Returns whether there were any. */
  async #sync(uri: vscode.Uri): Promise<boolean> {
    const key = uri.toString();
    const text = await read(uri);
    const file = this.#files.get(key);
    if (!file || this.#writing.has(key) || this.#rejecting.has(key)) return false;
    if (text === undefined) this.#drop(key);
    else if (same(file.changes, text)) return false;
    else file.userEdited([], text);
    this.#report(key);
    return true;
  }

  #put(uri: vscode.Uri, file: FileReview): void {
    const key = uri.toString();
    this.#files.set(key, file);
    if (this.#watchers.has(key)) return;
    const name = uri.path.slice(uri.path.lastIndexOf("/") + 1);
    // Brackets and the like in a name must not become a pattern.
    const pattern = name.replaceAll(/[*?[\]{}]/g, "?");
    const watcher = vscode.workspace.createFileSystemWatcher(
      new vscode.RelativePattern(vscode.Uri.joinPath(uri, ".."), pattern),
    );
    const look = (changed: vscode.Uri) => {
      if (changed.path === uri.path) void this.#sync(uri);
    };
    watcher.onDidChange(look);
    watcher.onDidCreate(look);
    watcher.onDidDelete(look);
    this.#watchers.set(key, watcher);
  }

  #drop(key: string): void {
    this.#files.delete(key);
    this.#watchers.get(key)?.dispose();
    this.#watchers.delete(key);
    this.#report(key);
  }

  #report(key: string): void {
    this.#unsaved.add(key);
    this.#timer ??= setTimeout(() => void this.flush(), saveDelayMs);
    this.#changed.fire();
  }
}

/** Whether the texts are equal. Line endings may differ: a document has only one kind, a file may have several. */
const same = (changes: Changes, text: string): boolean => {
  const current = currentText(changes);
  if (current === text) return true;
  return (current.includes("\r") || text.includes("\r")) && lineFeeds(current) === lineFeeds(text);
};

/** Reads the text from the editor, else from the disk; undefined if the file is gone. */
async function read(uri: vscode.Uri): Promise<string | undefined> {
  const open = () => vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  const encoding = open()?.encoding;
  const onDisk = await vscode.workspace.fs
    .readFile(uri)
    .then((bytes) =>
      encoding ? vscode.workspace.decode(bytes, { encoding }) : vscode.workspace.decode(bytes, { uri }),
    )
    .then(undefined, () => undefined);
  const document = open();
  if (!document) return onDisk;
  const stale = onDisk !== undefined && !document.isDirty && !(await waitForText(document, onDisk));
  return stale && !document.isDirty ? onDisk : document.getText();
}

const toEdit = ({ range, text }: vscode.TextDocumentContentChangeEvent): TextEdit => ({
  startLine: range.start.line,
  startCharacter: range.start.character,
  endLine: range.end.line,
  endCharacter: range.end.character,
  text,
});
