/** Follows each file that the agent has changed until every hunk is accepted or rejected. */
import * as vscode from "vscode";
import type { ReviewFile } from "../../chat/review-views.ts";
import type { ReviewAction } from "../../review/decisions.ts";
import type { TextEdit } from "../../review/edits.ts";
import { FileReview } from "../../review/file-review.ts";
import { baseText, type Changes, type ConflictChoice, currentText, hunksAt, unchanged } from "../../review/hunks.ts";
import { acceptedLines, PastReviews } from "../../review/past-reviews.ts";
import type { News } from "../../review/shared-reviews.ts";
import { renamedUri } from "../host/documents.ts";
import type { WriteEnd, WriteWatch } from "../host/editor-workspace.ts";
import { type AgentChange, AgentChanges } from "./agent-changes.ts";
import { reviewDialogs } from "./ask-share.ts";
import { Decider, type ReviewDialogs, type ReviewedFiles } from "./decider.ts";
import { DecisionStore } from "./decision-store.ts";
import { DiskWatch } from "./disk-watch.ts";
import { FileReviews } from "./file-reviews.ts";
import { editsOf, hasText, isAsKnown, isFromDisk, readText, textOf } from "./file-text.ts";
import { MovedFiles } from "./moved-files.ts";
import { fileText, reviewText } from "./notebook-text.ts";
import { ReviewRows } from "./review-rows.ts";
import { ReviewSharing } from "./review-sharing.ts";
import { SaveEdits } from "./save-edits.ts";
import { SharedLock } from "./shared-folder.ts";

interface ReviewOptions {
  /** The extension's folder for this workspace. Without it the review ends with the window. */
  storage: vscode.Uri | undefined;
  warn(message: string): void;
}

export class Review implements vscode.Disposable, WriteWatch {
  readonly onDidChange: vscode.Event<void>;
  readonly #sharing: ReviewSharing | undefined;
  readonly #files: FileReviews;
  readonly #disk: DiskWatch;
  readonly #moved = new MovedFiles({
    moved: (from, to) => this.#movedElsewhere(from, to),
    resembles: (text) => this.look(this.uris().filter((uri) => this.knows(uri, text))),
  });
  /** Reviews of texts that went without a decision: by a stash, a switch of branches, or a restore. */
  readonly #past = new PastReviews();
  readonly #agent: AgentChanges;
  /** Files that a restore of a checkpoint is writing. */
  readonly #restoring = new Set<string>();
  readonly #saves = new SaveEdits((key) => this.#files.report(key, "own"));
  readonly #decider: Decider;
  readonly #rows = new ReviewRows();
  readonly #cells = new CellPauses((uri) => void this.#sync(uri));
  readonly #own: vscode.Disposable[];

  constructor({ storage, warn }: ReviewOptions, dialogs: ReviewDialogs = reviewDialogs) {
    const lock = storage && new SharedLock(storage.fsPath);
    this.#sharing = storage && lock && this.#shared(storage, lock, warn);
    this.#disk = new DiskWatch({
      look: (uri) => void this.#sync(uri),
      isWanted: (key) => this.#past.has(key),
      wanted: () => this.#past.uris(),
      created: (uri) => void this.#moved.created(uri),
    });
    this.#files = new FileReviews(this.#disk, this.#sharing);
    this.onDidChange = this.#files.onDidChange;
    this.#agent = new AgentChanges(this.#files, this.#past, this.#sharing);
    const log = new DecisionStore(storage, lock);
    this.#decider = new Decider({ files: this.#reviewedFiles(), log, rows: this.#rows, dialogs, warn });
    this.#own = [
      this.#files,
      this.#disk,
      this.#decider,
      this.#saves,
      vscode.workspace.onDidChangeTextDocument((event) => this.#documentChanged(event)),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#files.get(uri.toString())?.saved()),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#documentClosed(uri)),
      vscode.workspace.onDidChangeNotebookDocument(({ notebook: { uri } }) => {
        if (this.#files.has(uri.toString())) this.#cells.changed(uri);
      }),
      vscode.workspace.onDidCloseNotebookDocument(({ uri }) => this.#documentClosed(uri)),
      vscode.workspace.onDidRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files) this.#renamed(oldUri, newUri);
      }),
    ];
  }

  #shared(storage: vscode.Uri, lock: SharedLock, warn: (message: string) => void): ReviewSharing {
    return new ReviewSharing({
      ...{ storage, lock, warn, past: this.#past },
      get: (key) => this.#files.get(key),
      isBusy: (key) => this.#agent.writing(key) !== undefined || this.#decider.isWriting(key),
      adopted: () => this.#files.announce(),
      opened: (key, file) => {
        this.#past.drop(key, currentText(file.changes));
        this.#files.put(vscode.Uri.parse(key), file);
        this.#files.announce();
      },
      look: (uri) => {
        this.#disk.watchWorkspace();
        void this.#sync(uri);
      },
    });
  }

  /** Continues the reviews of the last window, and of other ones. Changes since then are the user's. */
  async load(): Promise<void> {
    const keys = this.#sharing?.load() ?? [];
    if (this.#past.changes > 0) this.#disk.watchWorkspace();
    await Promise.all(keys.map((key) => this.#sync(vscode.Uri.parse(key))));
    if (keys.length > 0) this.#files.announce();
  }

  async flush(): Promise<void> {
    this.#sharing?.tell();
  }

  dispose(): void {
    this.#cells.dispose();
    this.#sharing?.dispose();
    for (const one of this.#own) one.dispose();
  }

  /** Returns the files that wait for a decision, and those that were decided since the user's last message. */
  files(): ReviewFile[] {
    return this.#rows.list(this.#files.open());
  }

  /** Ends the rows of files in which nothing is left to decide. */
  forgetDecided(): void {
    if (this.#rows.forget()) this.#files.announce();
  }

  /** Returns the files in which something waits for a decision. */
  uris(): vscode.Uri[] {
    return this.#files
      .open()
      .map(([uri]) => uri)
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Whether anything waits for a decision. */
  get hasChanges(): boolean {
    return this.#files.hasChanges;
  }

  /** Returns undefined if nothing in the file waits for review. */
  changes(uri: vscode.Uri): Changes | undefined {
    return this.#files.changes(uri);
  }

  before(uri: vscode.Uri): string | undefined {
    const changes = this.#files.get(uri.toString())?.changes;
    return changes && fileText(uri, baseText(changes), undefined);
  }

  get onDidDecide() {
    return this.#decider.onDidDecide;
  }

  begin(uri: vscode.Uri, before: string | undefined, wanted?: string, encoding?: string): WriteEnd {
    return this.#agent.begin(uri, before, wanted, encoding);
  }

  /** Tells in which encoding the file had its bytes before and after a change of the agent. */
  hadEncoding(uri: vscode.Uri, encoding: string | undefined): void {
    const file = this.#files.get(uri.toString());
    if (!file?.isOpen || encoding === undefined || file.state.encoding === encoding) return;
    file.hadEncoding(encoding);
    this.#files.report(uri.toString(), "own");
  }

  /** Takes a change of the agent that was made outside the editor: by a command, for example. */
  agentChanged(change: AgentChange): void {
    this.#agent.take(change);
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
    this.#agent.expect(change);
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

  /** Accepts a hunk, or the file: at once if no other decision is being written. */
  async accept(uri: vscode.Uri, index?: number): Promise<void> {
    await this.#decider.accept(uri, index);
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
      put: (uri, file) => this.#files.put(uri, file),
      drop: (key) => this.#files.drop(key, "own"),
      sync: (uri) => this.#sync(uri),
      accepted: (key, before, hunk) => {
        this.#past.accepted(key, acceptedLines(before, hunksAt(before, hunk)));
        this.#sharing?.accepted(key, before, hunk);
      },
      closed: (key, { changes }) => this.#past.drop(key, currentText(changes)),
      report: (key) => this.#files.report(key, "own"),
      refresh: (key) => this.#sharing?.refresh(key) ?? false,
      isBehind: (key) => this.#sharing?.isBehind(key) ?? false,
      exclusive: (action) => (this.#sharing ? this.#sharing.exclusive(action) : action()),
      tell: () => this.#sharing?.tell(),
    };
  }

  #documentChanged(event: vscode.TextDocumentChangeEvent): void {
    const { document, contentChanges, reason } = event;
    const key = document.uri.toString();
    const file = this.#files.get(key);
    if (!file && this.#past.has(key) && (reason !== undefined || isFromDisk(document))) {
      const isBack = this.#comesBack(document.uri, reviewText(document.uri, document.getText()));
      if (isBack) this.#files.report(key, reason === undefined ? "seen" : "own");
      return;
    }
    if (!file || contentChanges.length === 0) return;
    if (this.#decider.arrived(document)) return;
    const before = file.changes;
    const [edits, text] = [editsOf(event), textOf(document)];
    let news: News = "own";
    const write = this.#agent.writing(key);
    if (write) write.changed(edits, text);
    else if (reason === vscode.TextDocumentChangeReason.Undo) file.undone(edits, text);
    else if (reason === vscode.TextDocumentChangeReason.Redo) file.redone(edits, text);
    else if (this.#restoring.has(key) || isFromDisk(document)) news = this.#changedOnDisk(document, file, edits);
    else if (this.#saves.isSaving(key) || this.#decider.isSaving(key)) file.saving(edits, text);
    else {
      this.#saves.edits(event, file);
      file.userEdited(edits, text);
    }
    // Without a difference the change was known from the disk already.
    if (file.changes !== before) this.#files.report(key, news);
  }

  #changedOnDisk(document: vscode.TextDocument, file: FileReview, edits: readonly TextEdit[]): News {
    const text = reviewText(document.uri, document.getText());
    if (!hasText(file.changes, text)) return this.#arrived(document.uri, file, text, edits);
    file.relined(text);
    return "seen";
  }

  /** Unsaved changes are gone with the document, so the file is read again. */
  #documentClosed(uri: vscode.Uri): void {
    const key = uri.toString();
    this.#saves.forget(key);
    const file = this.#files.get(key);
    if (!file || this.#agent.writing(key)) return;
    if (file.isOpen) this.#disk.see(uri);
    else void this.#dropClosed(uri, file);
  }

  /** What the user had only removed in the document, or rejected without saving it, is on disk still. */
  async #dropClosed(uri: vscode.Uri, file: FileReview): Promise<void> {
    const key = uri.toString();
    await this.#sync(uri);
    const isClosed = this.#files.get(key) === file && !file.isOpen && !this.#agent.writing(key) && !isShown(uri);
    if (isClosed) this.#files.drop(key, "seen");
  }

  #renamed(from: vscode.Uri, to: vscode.Uri): void {
    for (const [key, file] of this.#files.all()) {
      const moved = renamedUri(vscode.Uri.parse(key), from, to);
      if (!moved) continue;
      this.#files.drop(key, "own");
      this.#files.put(moved, file);
      this.#files.report(moved.toString(), "own");
    }
    // The file may have been missed at its old place before VS Code reports the rename.
    for (const key of [...this.#past.uris()]) {
      const moved = renamedUri(vscode.Uri.parse(key), from, to);
      if (moved) void this.#foundAt(moved, key);
    }
  }

  /** `formerKey`: the place under which the review of the file was kept. */
  async #foundAt(uri: vscode.Uri, formerKey: string): Promise<void> {
    const key = uri.toString();
    const text = await readText(uri);
    if (text !== undefined && !this.#files.has(key) && this.#comesBack(uri, text, formerKey)) {
      this.#files.report(formerKey, "seen");
      this.#files.report(key, "own");
    }
  }

  /** Applies changes that no event reported. Returns whether there were any. */
  async #sync(uri: vscode.Uri): Promise<boolean> {
    const key = uri.toString();
    const isAdopted = this.#sharing?.refresh(key) ?? false;
    const known = this.#files.get(key)?.changes;
    const text = await readText(uri);
    const file = this.#files.get(key);
    // What was read may be older than a change that has come meanwhile.
    if (file?.changes !== known) return await this.#sync(uri);
    if (this.#agent.writing(key) || this.#decider.isWriting(key)) return isAdopted;
    if (file && isAsKnown(file, text)) {
      if (text !== undefined) file.relined(text);
      return isAdopted;
    }
    if (!file && !this.#comesBack(uri, text)) return isAdopted;
    this.#files.report(key, file ? this.#arrived(uri, file, text, []) : "disk");
    return true;
  }

  /** Takes a text that came from the disk. A text that was under review before is under review again. */
  #arrived(uri: vscode.Uri, file: FileReview, text: string | undefined, edits: readonly TextEdit[]): News {
    const key = uri.toString();
    // While a command of the agent runs, changes on disk are its.
    if (this.#disk.isHeld && !this.#restoring.has(key) && text !== undefined && file.state.type !== "deleted") {
      file.agentWrote(text);
      return "own";
    }
    this.#sharing?.refresh(key);
    this.#past.keep(key, file);
    if (this.#comesBack(uri, text)) return "disk";
    if (text === undefined) void this.#moved.disappeared(uri, currentText(file.changes));
    if (text === undefined || file.state.type === "deleted") this.#files.drop(key, "disk");
    else {
      file.replaced(edits, text);
      if (this.#sharing?.isEnded(key, text)) file.followed({ type: "changed" }, unchanged(text));
    }
    return "disk";
  }

  #movedElsewhere(from: vscode.Uri, to: vscode.Uri): void {
    const past = this.#past.last(from.toString());
    // A file that had a review itself comes back by its own text.
    if (!past || this.#files.has(to.toString()) || this.#past.has(to.toString())) return;
    this.#past.drop(from.toString(), currentText(past.changes));
    this.#files.put(to, new FileReview(past.state, past.changes));
    this.#files.report(from.toString(), "own");
    this.#files.report(to.toString(), "own");
  }

  /** Continues the review that the file had when it last had this text. Returns whether there is one. */
  #comesBack(uri: vscode.Uri, text: string | undefined, keptKey = uri.toString()): boolean {
    const past = this.#past.take(keptKey, text);
    if (!past) return false;
    const { state, changes } = past;
    const file = this.#files.get(uri.toString()) ?? new FileReview(state, changes);
    if (this.#files.has(uri.toString())) file.reopened(state, changes);
    else this.#files.put(uri, file);
    if (text !== undefined) file.relined(text);
    return true;
  }
}

const isShown = (uri: vscode.Uri): boolean =>
  [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments].some(
    (one) => one.uri.toString() === uri.toString(),
  );

// Tells of changed cells once the user pauses: to read them writes the whole notebook as text.

const delayMs = 300;

class CellPauses {
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #look: (uri: vscode.Uri) => void;

  constructor(look: (uri: vscode.Uri) => void) {
    this.#look = look;
  }

  changed(uri: vscode.Uri): void {
    const key = uri.toString();
    clearTimeout(this.#timers.get(key));
    this.#timers.set(
      key,
      setTimeout(() => {
        this.#timers.delete(key);
        this.#look(uri);
      }, delayMs),
    );
  }

  dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }
}
