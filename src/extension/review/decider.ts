/** Carries out what the user decides in a review, and takes it back. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import {
  type DecidedFile,
  decidedHunks,
  type HunkLines,
  type ReviewAction,
  takenBack,
  textsOf,
  type UserLines,
  type UserShare,
  userShare,
  usersLines,
} from "../../review/decisions.ts";
import { FileReview } from "../../review/file-review.ts";
import { type Changes, type ConflictChoice, currentText, type MixedLines, sameHunk } from "../../review/hunks.ts";
import type { DecisionStore } from "./decision-store.ts";
import {
  createFile,
  deleteEmptyFolders,
  deleteFile,
  hasText,
  moveFile,
  readText,
  requireExact,
  writeText,
} from "./file-text.ts";
import { reviewText, shownHunks } from "./notebook-text.ts";
import type { ReviewRows } from "./review-rows.ts";
import { SerialQueue } from "./serial-queue.ts";

/** A decision of the user on a file. `undo`: the last decision on these hunks was taken back. */
export interface Decision {
  uri: vscode.Uri;
  action: ReviewAction | "undo";
  hunks: HunkLines[];
  /** The text before and after the decision; undefined: there is no file. */
  before: string | undefined;
  after: string | undefined;
  /** Of an acceptance: what the user has written inside the hunks. */
  users: UserLines[];
}

/** What is to happen to the user's lines that a reject would take away. */
export type ShareAnswer = MixedLines | "cancel";

/** Questions and messages of the review. */
export interface ReviewDialogs {
  /** Asks before a reject takes away what is not the agent's alone. */
  ask(shares: readonly UserShare[]): Promise<ShareAnswer>;
  /** Says what was done, with a way to take it back. */
  offerUndo(message: string, undo: () => Promise<unknown>): Promise<void>;
}

interface DeciderOptions {
  files: ReviewedFiles;
  log: DecisionStore;
  rows: ReviewRows;
  dialogs: ReviewDialogs;
  warn(message: string): void;
}

/** What a decision is about: a hunk, or all of a file. */
interface DecisionTarget {
  uri: vscode.Uri;
  hunk: number | undefined;
  /** Those in which the hunk has this index. */
  changes: Changes | undefined;
}

/** The files under review. */
export interface ReviewedFiles {
  get(key: string): FileReview | undefined;
  put(uri: vscode.Uri, file: FileReview): void;
  drop(key: string): void;
  /** Applies changes that no event reported. Returns whether there were any. */
  sync(uri: vscode.Uri): Promise<boolean>;
  /** Hunks of these changes were accepted: one, or all. */
  accepted(key: string, before: Changes, hunk: number | undefined): void;
  /** Nothing is left to decide in the file. */
  closed(key: string, file: FileReview): void;
  report(key: string): void;
  /** Takes over what other windows have decided. Returns whether the hunks have changed. */
  refresh(key: string): boolean;
  /** Whether the file on disk has a text already that is under review and that VS Code has not reported yet. */
  isBehind(key: string): boolean;
  /** Runs what must not happen in two windows at once. */
  exclusive<T>(action: () => T): T;
  /** Tells the other windows what was decided. */
  tell(): void;
}

export class Decider {
  readonly #files: ReviewedFiles;
  readonly #log: DecisionStore;
  readonly #rows: ReviewRows;
  readonly #dialogs: ReviewDialogs;
  readonly #warn: (message: string) => void;
  readonly #decided = new vscode.EventEmitter<Decision>();
  readonly onDidDecide = this.#decided.event;
  /**
   * Decisions and their undoing, in the order in which they were made. Writing a file takes its time, and an undo
   * meanwhile means the decision that is being written, not the one before.
   */
  readonly #queue = new SerialQueue();
  /** The texts that a decision is writing, by URI. */
  readonly #writing = new Map<string, { outcome: Changes; taken(): void }>();
  /** Files that the present reject could not change. */
  readonly #left: { name: string; reason: string }[] = [];
  /** URIs of the files to which a decision gives a text and saves it. */
  readonly #saving = new Set<string>();

  constructor({ files, log, rows, dialogs, warn }: DeciderOptions) {
    this.#files = files;
    this.#log = log;
    this.#rows = rows;
    this.#dialogs = dialogs;
    this.#warn = warn;
  }

  dispose(): void {
    this.#decided.dispose();
  }

  /** Decides all of some files, in one step that can be taken back. */
  async decide(action: ReviewAction, uris: readonly vscode.Uri[]): Promise<void> {
    await this.#queue.run(() => (action === "accept" ? this.#acceptAll(uris, undefined) : this.#rejectAll(uris)));
  }

  async accept(uri: vscode.Uri, hunk: number | undefined): Promise<void> {
    const seen = this.#seen(uri, hunk);
    await this.#queue.run(() => {
      const meant = this.#present(seen);
      if (meant) this.#acceptAll([uri], meant.hunk);
    });
  }

  #seen(uri: vscode.Uri, hunk: number | undefined): DecisionTarget {
    return { uri, hunk, changes: this.#files.get(uri.toString())?.changes };
  }

  /** Returns where a target is in the present changes; undefined if it is not there any more. */
  #present({ uri, hunk, changes }: DecisionTarget): DecisionTarget | undefined {
    const present = this.#seen(uri, hunk);
    if (hunk === undefined || !changes || !present.changes) return present;
    const at = sameHunk(changes, present.changes, hunk);
    return at === undefined ? undefined : { ...present, hunk: at };
  }

  #acceptAll(uris: readonly vscode.Uri[], hunk: number | undefined): void {
    this.#files.exclusive(() => {
      const group = uris.map((uri) => {
        const moved = this.#files.refresh(uri.toString());
        // Another window has decided or written: the user has not seen what would be accepted.
        if ((moved && hunk !== undefined) || this.#files.isBehind(uri.toString())) return undefined;
        return this.#accept(uri, hunk);
      });
      this.#keep(group.filter((decided) => decided !== undefined));
    });
  }

  /** Accepts a hunk, or all of a file, with the agent's lines where the user has changed them. */
  async resolveConflict(uri: vscode.Uri, hunk: number | undefined, choice: ConflictChoice): Promise<void> {
    const seen = this.#seen(uri, hunk);
    await this.#queue.run(async () => {
      await this.#files.sync(uri);
      const meant = this.#present(seen);
      if (meant) await this.#resolve(uri, meant.hunk, choice);
    });
  }

  async #resolve(uri: vscode.Uri, hunk: number | undefined, choice: ConflictChoice): Promise<void> {
    const file = this.#files.get(uri.toString());
    if (!file?.isOpen) return;
    const { state, changes: before } = file;
    const outcome = file.chosen(hunk, choice);
    try {
      await this.#write(uri, file, outcome, () => file.resolved(outcome));
    } catch (error) {
      this.#warn(t("{0} could not be changed: {1}", vscode.workspace.asRelativePath(uri), reasonOf(error)));
      return;
    }
    if (hunk === undefined) file.restored();
    this.#files.accepted(uri.toString(), before, hunk);
    const decided = { uri: uri.toString(), action: "accept" as const, state, hunk, before, outcome, isDeleted: false };
    this.#keep([this.#tell(uri, file, decided, choice)]);
  }

  async reject(uri: vscode.Uri, hunk: number | undefined): Promise<void> {
    const seen = this.#seen(uri, hunk);
    await this.#queue.run(async () => {
      await this.#files.sync(uri);
      const asked = this.#present(seen);
      if (!asked) return;
      const share = this.#shareOf(uri, asked.hunk);
      const mixed = share ? await this.#dialogs.ask([share]) : "drop";
      if (mixed === "cancel") return;
      // The agent may have written while the question was open.
      const meant = this.#present(asked);
      const decided = meant && (await this.#reject(uri, meant.hunk, mixed));
      this.#warnOfLeft();
      if (decided) this.#keep([decided]);
    });
  }

  /** Takes back the last decision, of all files or of one. Returns the files; empty if there is none. */
  undo(of: vscode.Uri | undefined): Promise<vscode.Uri[]> {
    return this.#queue.run(() => this.#undo(of));
  }

  async #undo(of: vscode.Uri | undefined): Promise<vscode.Uri[]> {
    const uris: vscode.Uri[] = [];
    for (const decided of of ? this.#log.popFile(of.toString()) : this.#log.pop()) {
      const uri = vscode.Uri.parse(decided.uri);
      try {
        await this.#takeBack(uri, decided);
        uris.push(uri);
      } catch (error) {
        const name = vscode.workspace.asRelativePath(uri);
        this.#warn(t("The decision on {0} could not be taken back: {1}", name, reasonOf(error)));
      }
    }
    this.#files.tell();
    return uris;
  }

  /** Whether a decision is writing the file. */
  isWriting(key: string): boolean {
    return this.#writing.has(key);
  }

  /** Whether a decision is saving the file, so that formatters may change it. */
  isSaving(key: string): boolean {
    return this.#saving.has(key);
  }

  /** Takes a text that has arrived in a document. Returns whether a decision has written it. */
  arrived(document: vscode.TextDocument): boolean {
    const key = document.uri.toString();
    const writing = this.#writing.get(key);
    if (!writing || !hasText(writing.outcome, reviewText(document.uri, document.getText()))) return false;
    this.#writing.delete(key);
    writing.taken();
    return true;
  }

  #accept(uri: vscode.Uri, hunk: number | undefined): DecidedFile | undefined {
    const key = uri.toString();
    const file = this.#files.get(key);
    if (!file?.isOpen) return undefined;
    const { state, changes: before } = file;
    file.accept(hunk);
    this.#files.accepted(key, before, hunk);
    if (state.type === "deleted" && !file.isOpen) this.#files.drop(key);
    const decided = { ...{ uri: key, action: "accept" as const, state, hunk, before }, isDeleted: false };
    return this.#tell(uri, file, { ...decided, outcome: file.changes });
  }

  async #rejectAll(uris: readonly vscode.Uri[]): Promise<void> {
    await Promise.all(uris.map((uri) => this.#files.sync(uri)));
    const shares = uris.map((uri) => this.#shareOf(uri, undefined)).filter((share) => share !== undefined);
    const mixed = shares.length > 0 ? await this.#dialogs.ask(shares) : "drop";
    if (mixed === "cancel") return;
    const group: (DecidedFile | undefined)[] = [];
    for (const uri of uris) group.push(await this.#reject(uri, undefined, mixed));
    this.#warnOfLeft();
    this.#keep(group.filter((decided) => decided !== undefined));
  }

  #shareOf(uri: vscode.Uri, hunk: number | undefined): UserShare | undefined {
    const file = this.#files.get(uri.toString());
    return file?.isOpen ? userShare(uri.toString(), file.state, file.changes, hunk) : undefined;
  }

  async #reject(uri: vscode.Uri, hunk: number | undefined, mixed: MixedLines): Promise<DecidedFile | undefined> {
    const file = this.#files.get(uri.toString());
    if (!file?.isOpen) return undefined;
    const { changes: before } = file;
    const outcome = file.without(hunk, mixed);
    try {
      const done = await this.#putBack(uri, file, outcome, mixed);
      const decided = { uri: uri.toString(), action: "reject" as const, hunk, before, outcome, ...done };
      return this.#tell(uri, file, decided);
    } catch (error) {
      this.#left.push({ name: vscode.workspace.asRelativePath(uri), reason: reasonOf(error) });
      return undefined;
    }
  }

  /** Says once for each reason which files a reject has left. */
  #warnOfLeft(): void {
    for (const [reason, left] of Map.groupBy(this.#left.splice(0), (one) => one.reason)) {
      const [only, ...others] = left;
      if (only && others.length === 0) this.#warn(t("{0} could not be changed back: {1}", only.name, reason));
      else {
        const names = left.slice(0, maxNames).map(({ name }) => name);
        if (left.length > maxNames) names.push("…");
        this.#warn(
          t("{0} files could not be changed back: {1}. For each of them: {2}", left.length, names.join(", "), reason),
        );
      }
    }
  }

  #tell(uri: vscode.Uri, file: FileReview, decided: DecidedFile, choice: ConflictChoice = "mine"): DecidedFile {
    const hunks = decidedHunks(decided.before, decided.hunk);
    this.#rows.decided(uri, hunks.length);
    if (!file.isOpen) {
      this.#files.closed(decided.uri, file);
      this.#rows.close(uri, decided.state, decided.before, decided.action);
    }
    this.#files.report(decided.uri);
    const users = decided.action === "accept" ? usersLines(decided.before, decided.hunk, choice) : [];
    this.#decided.fire({ uri, action: decided.action, hunks: shownHunks(uri, hunks), ...textsOf(decided), users });
    return decided;
  }

  /** Keeps decisions to be taken back, and offers it where much has happened at once. */
  #keep(group: readonly DecidedFile[]): void {
    const [only] = group;
    if (!only) return;
    this.#files.exclusive(() => {
      this.#log.push(group);
      this.#files.tell();
    });
    const isDeleted = group.some((file) => file.isDeleted);
    if (group.length === 1 && !isDeleted) return;
    const name = vscode.workspace.asRelativePath(vscode.Uri.parse(only.uri));
    const what =
      group.length === 1
        ? t("Rejected and deleted {0}.", name)
        : only.action === "accept"
          ? t("Accepted the changes in {0} files.", group.length)
          : t("Rejected the changes in {0} files.", group.length);
    void this.#dialogs.offerUndo(what, () => this.undo(undefined));
  }

  /** Returns whether the file was deleted, and the state in which undo finds it. */
  async #putBack(uri: vscode.Uri, file: FileReview, outcome: Changes, mixed: MixedLines) {
    const { state } = file;
    const isWhole = outcome.hunks.length === 0;
    const isBlank = outcome.text.every((line) => line.trim() === "");
    const isDeleted = state.type === "created" && isWhole && (mixed === "drop" || isBlank);
    if (isDeleted) {
      // Undo writes the file again.
      const { encoding } = await requireExact(uri, state.encoding);
      await deleteFile(uri);
      await deleteEmptyFolders(state.folders.map((folder) => vscode.Uri.parse(folder)));
      file.rejected(outcome);
      this.#files.drop(uri.toString());
      file.restored();
      return { isDeleted, state: { ...state, encoding } };
    }
    if (state.type === "deleted") {
      await createFile(uri, currentText(outcome), state.encoding);
      file.rejected(outcome);
    } else await this.#write(uri, file, outcome, () => file.rejected(outcome));
    if (isWhole) {
      file.restored();
      if (state.type === "moved") await moveFile(uri, vscode.Uri.parse(state.from));
    }
    return { isDeleted, state };
  }

  async #takeBack(uri: vscode.Uri, decided: DecidedFile): Promise<void> {
    const key = uri.toString();
    const { state, before } = decided;
    const last = state.type === "moved" && decided.action === "reject" ? vscode.Uri.parse(state.from) : uri;
    await this.#files.sync(last);
    const present = await readText(last);
    if (last !== uri && present !== undefined) {
      if (before.hunks.length > 0) await requireExact(last, state.encoding);
      await moveFile(last, uri);
    }
    const known = this.#files.get(key);
    const file = known ?? new FileReview(state, decided.outcome);
    // What others have made of a file that was not followed any more stays.
    if (!known && present !== undefined && !hasText(file.changes, present)) file.userEdited([], present);
    const changes = takenBack(decided, file.changes);
    const wanted = currentText(changes);
    let isTaken = false;
    const done = () => {
      isTaken = true;
      file.reopened(state, changes);
    };
    if (state.type === "deleted") await (decided.action === "reject" ? deleteFile(uri) : undefined);
    else if (present === undefined) await createFile(uri, wanted, state.encoding);
    else if (wanted !== present) {
      // From here on, what a formatter does to the text is followed in the review.
      this.#files.put(uri, file);
      try {
        await this.#write(uri, { changes: file.changes, state }, changes, done);
      } catch (error) {
        if (!known) this.#files.drop(key);
        throw error;
      }
    }
    // A formatter may have changed the text since.
    if (!isTaken) done();
    this.#files.put(uri, file);
    const hunks = decidedHunks(before, decided.hunk);
    this.#rows.reopen(uri, hunks.length);
    this.#files.report(key);
    const after = decided.action === "reject" && state.type === "deleted" ? undefined : wanted;
    this.#decided.fire({ uri, action: "undo", hunks: shownHunks(uri, hunks), before: present, after, users: [] });
  }

  /** Gives the file the text of `outcome`, in one undo step. `taken` is called when the review is to take it over. */
  async #write(
    uri: vscode.Uri,
    { changes: known, state }: Pick<FileReview, "changes" | "state">,
    outcome: Changes,
    taken: () => void,
  ): Promise<void> {
    const key = uri.toString();
    this.#writing.set(key, { outcome, taken });
    this.#saving.add(key);
    try {
      await writeText(uri, known, currentText(outcome), state.encoding);
      if (this.#writing.delete(key)) taken();
    } finally {
      this.#writing.delete(key);
      this.#saving.delete(key);
      this.#files.report(key);
    }
  }
}

/** Maximum number of files that a message names. */
const maxNames = 10;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
