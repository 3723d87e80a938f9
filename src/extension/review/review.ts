/** Follows each file that the agent has changed until every hunk is accepted or rejected. */
import * as vscode from "vscode";
import type { ReviewFile } from "../../chat/protocol.ts";
import type { ReviewAction } from "../../review/decisions.ts";
import type { TextEdit } from "../../review/edits.ts";
import { FileReview } from "../../review/file-review.ts";
import { baseText, type Changes, type ConflictChoice, currentText, hunksAt } from "../../review/hunks.ts";
import { PastReviews } from "../../review/past-reviews.ts";
import { renamedUri } from "../host/documents.ts";
import type { WriteEnd, WriteWatch } from "../host/editor-workspace.ts";
import { AgentWrite } from "./agent-write.ts";
import { reviewDialogs } from "./ask-share.ts";
import { Decider, type ReviewDialogs, type ReviewedFiles } from "./decider.ts";
import { DecisionStore } from "./decision-store.ts";
import { DiskWatch } from "./disk-watch.ts";
import { editsOf, foldersFor, hasText, isAsKnown, isFromDisk, readText, textOf } from "./file-text.ts";
import { MovedFiles } from "./moved-files.ts";
import { fileText, reviewText } from "./notebook-text.ts";
import { PastStore } from "./past-store.ts";
import { ReviewRows } from "./review-rows.ts";
import { ReviewStore } from "./review-store.ts";
import { SaveEdits } from "./save-edits.ts";

interface ReviewOptions {
  /** The extension's folder for this workspace. Without it the review ends with the window. */
  storage: vscode.Uri | undefined;
  warn(message: string): void;
}

/** A change of the agent of which only the texts before and after are known. `undefined`: there is no file. */
export interface AgentChange {
  uri: vscode.Uri;
  before: string | undefined;
  after: string | undefined;
  /** The former place of a moved file. `before` is the text there. */
  movedFrom: vscode.Uri | undefined;
}

const saveDelayMs = 300;
const cellsDelayMs = 300;

export class Review implements vscode.Disposable, WriteWatch {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #store: ReviewStore | undefined;
  readonly #pastStore: PastStore | undefined;
  /** By URI. A file without hunks stays while its document is open, since undo can bring them back. */
  readonly #files = new Map<string, FileReview>();
  readonly #disk: DiskWatch;
  readonly #moved = new MovedFiles({
    moved: (from, to) => this.#movedElsewhere(from, to),
    resembles: (text) => this.look(this.uris().filter((uri) => this.knows(uri, text))),
  });
  /** Reviews of texts that went without a decision: by a stash, a switch of branches, or a restore. */
  readonly #past = new PastReviews();
  readonly #writing = new Map<string, AgentWrite>();
  /** Files that a restore of a checkpoint is writing. */
  readonly #restoring = new Set<string>();
  readonly #saves = new SaveEdits((key) => this.#report(key));
  readonly #log: DecisionStore;
  readonly #decider: Decider;
  readonly #rows = new ReviewRows();
  readonly #unsaved = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  readonly #cellTimers = new Map<string, NodeJS.Timeout>();
  readonly #own: vscode.Disposable[];

  constructor({ storage, warn }: ReviewOptions, dialogs: ReviewDialogs = reviewDialogs) {
    this.#store = storage && new ReviewStore(storage);
    this.#pastStore = storage && new PastStore(storage, this.#past);
    this.#disk = new DiskWatch({
      look: (uri) => void this.#sync(uri),
      isWanted: (key) => this.#past.has(key),
      created: (uri) => void this.#moved.created(uri),
    });
    this.#log = new DecisionStore(storage);
    this.#decider = new Decider({ files: this.#reviewedFiles(), log: this.#log, rows: this.#rows, dialogs, warn });
    this.#own = [
      this.#changed,
      this.#disk,
      this.#decider,
      this.#saves,
      vscode.workspace.onDidChangeTextDocument((event) => this.#documentChanged(event)),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#files.get(uri.toString())?.saved()),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#documentClosed(uri)),
      vscode.workspace.onDidChangeNotebookDocument(({ notebook }) => this.#cellsChanged(notebook.uri)),
      vscode.workspace.onDidCloseNotebookDocument(({ uri }) => this.#documentClosed(uri)),
      vscode.workspace.onDidRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files) this.#renamed(oldUri, newUri);
      }),
    ];
  }

  /** Continues the reviews of the last window. Changes since then are the user's. */
  async load(): Promise<void> {
    await Promise.all([this.#pastStore?.load(), this.#log.load()]);
    if (this.#past.changes > 0) this.#disk.watchWorkspace();
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
    await Promise.all([
      ...keys.map((key) => this.#store?.save(key, this.#files.get(key))),
      this.#pastStore?.save(),
      this.#log.flush(),
    ]);
  }

  dispose(): void {
    void this.flush();
    for (const timer of this.#cellTimers.values()) clearTimeout(timer);
    for (const one of this.#own) one.dispose();
  }

  /** Returns the files that wait for a decision, and those that were decided since the user's last message. */
  files(): ReviewFile[] {
    const open = [...this.#files].filter(([, file]) => file.isOpen);
    return this.#rows.list(open.map(([key, file]) => [vscode.Uri.parse(key), file]));
  }

  /** Ends the rows of files in which nothing is left to decide. */
  forgetDecided(): void {
    if (this.#rows.forget()) this.#changed.fire();
  }

  /** Returns the files in which something waits for a decision. */
  uris(): vscode.Uri[] {
    return [...this.#files]
      .filter(([, file]) => file.isOpen)
      .map(([key]) => vscode.Uri.parse(key))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Whether anything waits for a decision. */
  get hasChanges(): boolean {
    for (const file of this.#files.values()) if (file.isOpen) return true;
    return false;
  }

  /** Returns undefined if nothing in the file waits for review. */
  changes(uri: vscode.Uri): Changes | undefined {
    const file = this.#files.get(uri.toString());
    return file?.isOpen ? file.changes : undefined;
  }

  before(uri: vscode.Uri): string | undefined {
    const changes = this.#files.get(uri.toString())?.changes;
    return changes && fileText(uri, baseText(changes), undefined);
  }

  get onDidDecide() {
    return this.#decider.onDidDecide;
  }

  begin(uri: vscode.Uri, before: string | undefined, wanted?: string): WriteEnd {
    const key = uri.toString();
    const file = this.#open(uri, before);
    const write = new AgentWrite(file, wanted === undefined ? undefined : reviewText(uri, wanted));
    this.#writing.set(key, write);
    return (written) => {
      const after = written === undefined ? undefined : reviewText(uri, written);
      this.#writing.delete(key);
      if (after !== undefined) write.end(after);
      else if (before === undefined || !file.agentDeleted()) this.#drop(key);
      this.#report(key);
    };
  }

  /** Takes a change of the agent that was made outside the editor: by a command, for example. */
  agentChanged({ uri, before, after, movedFrom }: AgentChange): void {
    const key = uri.toString();
    const from = movedFrom?.toString();
    const moved = from === undefined ? undefined : this.#files.get(from);
    if (moved && from !== undefined) {
      this.#drop(from);
      this.#put(uri, moved);
    }
    const file = this.#open(uri, before);
    if (from !== undefined) file.agentMoved(from, key);
    if (after === undefined) {
      this.#past.keep(key, file);
      if (before === undefined || !file.agentDeleted()) this.#drop(key);
    } else if (!hasText(file.changes, reviewText(uri, after))) file.agentWrote(reviewText(uri, after));
    this.#report(key);
  }

  /** A command of the agent runs until the result is called: meanwhile, changes on disk are its. */
  holdDisk(): () => void {
    return this.#disk.hold();
  }

  /** Whether the review knows the file, with this text. `undefined`: there is no file. */
  knows(uri: vscode.Uri, text: string | undefined): boolean {
    const file = this.#files.get(uri.toString());
    return file !== undefined && isAsKnown(file, text === undefined ? undefined : reviewText(uri, text));
  }

  /** Whether the review follows each change of the file's text. */
  follows(uri: vscode.Uri): boolean {
    return this.#files.has(uri.toString());
  }

  /** Returns the text that the review knows; undefined if it does not follow the file, or the file is gone. */
  text(uri: vscode.Uri): string | undefined {
    const file = this.#files.get(uri.toString());
    return file && file.state.type !== "deleted" ? currentText(file.changes) : undefined;
  }

  /** Takes a change of the agent on disk that an unsaved document hides. It is reviewed if the document takes it over. */
  expect(change: AgentChange): void {
    const { uri } = change;
    const before = change.before === undefined ? undefined : reviewText(uri, change.before);
    const after = change.after === undefined ? undefined : reviewText(uri, change.after);
    const known = this.#files.get(uri.toString());
    const file = known ? new FileReview(known.state, known.changes) : FileReview.begin(before);
    if (before !== undefined && !hasText(file.changes, before)) file.userEdited([], before);
    if (after !== undefined) file.agentWrote(after);
    else if (before !== undefined) file.agentDeleted();
    this.#past.keep(uri.toString(), file);
  }

  /** A restore writes the document until the result is called. */
  beginRestore(uri: vscode.Uri): () => void {
    this.#restoring.add(uri.toString());
    return () => this.#restoring.delete(uri.toString());
  }

  /** Looks at files that have changed on disk, without waiting for VS Code to notice. */
  async look(uris: readonly vscode.Uri[]): Promise<void> {
    await Promise.all(uris.map((uri) => this.#sync(uri)));
  }

  async decide(action: ReviewAction, uris = this.uris()): Promise<void> {
    await this.#decider.decide(action, uris);
  }

  accept(uri: vscode.Uri, index?: number): void {
    this.#decider.accept(uri, index);
  }

  /** Puts the old text back in one undo step, and saves it if the file had no unsaved changes. */
  async reject(uri: vscode.Uri, index?: number): Promise<void> {
    await this.#decider.reject(uri, index);
  }

  /** Accepts a hunk, or the file, with the agent's lines where the user has changed them. */
  async resolveConflict(uri: vscode.Uri, index: number | undefined, choice: ConflictChoice): Promise<void> {
    await this.#decider.resolveConflict(uri, index, choice);
  }

  /** Takes back the last accept or reject, of all files or of one. Returns the files; empty if there is none. */
  undoDecision(of?: vscode.Uri): Promise<vscode.Uri[]> {
    return this.#decider.undo(of);
  }

  #reviewedFiles(): ReviewedFiles {
    return {
      get: (key) => this.#files.get(key),
      put: (uri, file) => this.#put(uri, file),
      drop: (key) => this.#drop(key),
      sync: (uri) => this.#sync(uri),
      accepted: (key, before, hunk) => this.#past.accepted(key, before, hunksAt(before, hunk)),
      closed: (key, { changes }) => this.#past.drop(key, currentText(changes)),
      report: (key) => this.#report(key),
    };
  }

  #documentChanged(event: vscode.TextDocumentChangeEvent): void {
    const { document, contentChanges, reason } = event;
    const key = document.uri.toString();
    const file = this.#files.get(key);
    if (!file && this.#past.has(key) && (reason !== undefined || isFromDisk(document))) {
      if (this.#comesBack(document.uri, reviewText(document.uri, document.getText()))) this.#report(key);
      return;
    }
    if (!file || contentChanges.length === 0) return;
    if (this.#decider.arrived(document)) return;
    const before = file.changes;
    const [edits, text] = [editsOf(event), textOf(document)];
    const write = this.#writing.get(key);
    if (write) write.changed(edits, text);
    else if (reason === vscode.TextDocumentChangeReason.Undo) file.undone(edits, text);
    else if (reason === vscode.TextDocumentChangeReason.Redo) file.redone(edits, text);
    else if (this.#restoring.has(key) || isFromDisk(document)) this.#changedOnDisk(document, file, edits);
    else if (this.#saves.isSaving(key) || this.#decider.isSaving(key)) file.saving(edits, text);
    else {
      this.#saves.edits(event, file);
      file.userEdited(edits, text);
    }
    // Without a difference the change was known from the disk already.
    if (file.changes !== before) this.#report(key);
  }

  #changedOnDisk(document: vscode.TextDocument, file: FileReview, edits: readonly TextEdit[]): void {
    const text = reviewText(document.uri, document.getText());
    if (hasText(file.changes, text)) file.relined(text);
    else this.#arrived(document.uri, file, text, edits);
  }

  /** Reads the cells once the user pauses: that writes the whole notebook as text. */
  #cellsChanged(uri: vscode.Uri): void {
    const key = uri.toString();
    if (!this.#files.has(key)) return;
    clearTimeout(this.#cellTimers.get(key));
    this.#cellTimers.set(
      key,
      setTimeout(() => {
        this.#cellTimers.delete(key);
        void this.#sync(uri);
      }, cellsDelayMs),
    );
  }

  /** Unsaved changes are gone with the document, so the file is read again. */
  #documentClosed(uri: vscode.Uri): void {
    const key = uri.toString();
    this.#saves.forget(key);
    const file = this.#files.get(key);
    if (!file || this.#writing.has(key)) return;
    if (file.isOpen) this.#disk.see(uri);
    else void this.#dropClosed(uri, file);
  }

  /** What the user had only removed in the document, or rejected without saving it, is on disk still. */
  async #dropClosed(uri: vscode.Uri, file: FileReview): Promise<void> {
    const key = uri.toString();
    await this.#sync(uri);
    if (this.#files.get(key) === file && !file.isOpen && !this.#writing.has(key) && !isShown(uri)) this.#drop(key);
  }

  #renamed(from: vscode.Uri, to: vscode.Uri): void {
    for (const [key, file] of [...this.#files]) {
      const moved = renamedUri(vscode.Uri.parse(key), from, to);
      if (!moved) continue;
      this.#drop(key);
      this.#put(moved, file);
      this.#report(moved.toString());
    }
    // The file may have been missed at its old place before VS Code reports the rename.
    for (const key of new Set([...this.#past.entries()].map(([uri]) => uri))) {
      const moved = renamedUri(vscode.Uri.parse(key), from, to);
      if (moved) void this.#foundAt(moved, key);
    }
  }

  /** `formerKey`: the place under which the review of the file was kept. */
  async #foundAt(uri: vscode.Uri, formerKey: string): Promise<void> {
    const key = uri.toString();
    const text = await readText(uri);
    if (text !== undefined && !this.#files.has(key) && this.#comesBack(uri, text, formerKey)) this.#report(key);
  }

  /** Applies changes that no event reported. Returns whether there were any. */
  async #sync(uri: vscode.Uri): Promise<boolean> {
    const key = uri.toString();
    const known = this.#files.get(key)?.changes;
    const text = await readText(uri);
    const file = this.#files.get(key);
    // What was read may be older than a change that has come meanwhile.
    if (file?.changes !== known) return await this.#sync(uri);
    if (this.#writing.has(key) || this.#decider.isWriting(key)) return false;
    if (file && isAsKnown(file, text)) {
      if (text !== undefined) file.relined(text);
      return false;
    }
    if (file) this.#arrived(uri, file, text, []);
    else if (!this.#comesBack(uri, text)) return false;
    this.#report(key);
    return true;
  }

  /** Takes a text that came from the disk. A text that was under review before is under review again. */
  #arrived(uri: vscode.Uri, file: FileReview, text: string | undefined, edits: readonly TextEdit[]): void {
    const key = uri.toString();
    // While a command of the agent runs, changes on disk are its.
    if (this.#disk.isHeld && !this.#restoring.has(key) && text !== undefined && file.state.type !== "deleted") {
      file.agentWrote(text);
      return;
    }
    this.#past.keep(key, file);
    if (this.#comesBack(uri, text)) return;
    if (text === undefined) void this.#moved.disappeared(uri, currentText(file.changes));
    if (text === undefined || file.state.type === "deleted") this.#drop(key);
    else file.replaced(edits, text);
  }

  #movedElsewhere(from: vscode.Uri, to: vscode.Uri): void {
    const past = this.#past.last(from.toString());
    // A file that had a review itself comes back by its own text.
    if (!past || this.#files.has(to.toString()) || this.#past.has(to.toString())) return;
    this.#past.drop(from.toString(), currentText(past.changes));
    this.#put(to, new FileReview(past.state, past.changes));
    this.#report(to.toString());
  }

  /** Continues the review that the file had when it last had this text. Returns whether there is one. */
  #comesBack(uri: vscode.Uri, text: string | undefined, keptKey = uri.toString()): boolean {
    const past = this.#past.take(keptKey, text);
    if (!past) return false;
    const { state, changes } = past;
    const file = this.#files.get(uri.toString()) ?? new FileReview(state, changes);
    if (this.#files.has(uri.toString())) file.reopened(state, changes);
    else this.#put(uri, file);
    if (text !== undefined) file.relined(text);
    return true;
  }

  /** Returns the review of the file. What differs from `before` in it is the user's. */
  #open(uri: vscode.Uri, text: string | undefined): FileReview {
    const before = text === undefined ? undefined : reviewText(uri, text);
    const known = this.#files.get(uri.toString());
    const isKnown = known && (before !== undefined || known.state.type === "deleted");
    const file = isKnown
      ? known
      : FileReview.begin(before, before === undefined ? foldersFor(uri, this.#madeFolders()) : []);
    if (before !== undefined && !hasText(file.changes, before)) file.userEdited([], before);
    this.#put(uri, file);
    return file;
  }

  #madeFolders(): string[] {
    return [...this.#files.values()].flatMap(({ state }) => (state.type === "created" ? state.folders : []));
  }

  #put(uri: vscode.Uri, file: FileReview): void {
    this.#files.set(uri.toString(), file);
    this.#disk.follow(uri);
  }

  #drop(key: string): void {
    this.#files.delete(key);
    this.#disk.leave(key);
    this.#report(key);
  }

  #report(key: string): void {
    this.#unsaved.add(key);
    this.#timer ??= setTimeout(() => void this.flush(), saveDelayMs);
    this.#changed.fire();
  }
}

const isShown = (uri: vscode.Uri): boolean =>
  [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments].some(
    (one) => one.uri.toString() === uri.toString(),
  );
