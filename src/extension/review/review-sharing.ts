/** Shares what is under review with the other windows on the folder, and keeps it for the next one. */

import { createHash, randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import * as z from "zod/mini";
import { attempt } from "../../base/attempt.ts";
import { parseJson } from "../../base/json.ts";
import { t } from "../../l10n/l10n.ts";
import { FileReview } from "../../review/file-review.ts";
import { baseText, type Changes, currentText } from "../../review/hunks.ts";
import type { PastReviews } from "../../review/past-reviews.ts";
import { type News, SharedFile, type SharedReview, type Taken } from "../../review/shared-reviews.ts";
import { reviewOf, StoredReview } from "../../review/stored-review.ts";
import { readShare, storedShare } from "../../review/stored-shares.ts";
import { decode } from "../../tools/text/codec.ts";
import { hasText } from "./file-text.ts";
import { reviewText } from "./notebook-text.ts";
import { SharedFolder, type SharedLock } from "./shared-folder.ts";

interface SharingOptions {
  /** The extension's folder for this workspace. */
  storage: vscode.Uri;
  lock: SharedLock;
  past: PastReviews;
  get(key: string): FileReview | undefined;
  /** Whether the file is being written by the agent or a decision: what others tell is taken over when that has ended. */
  isBusy(key: string): boolean;
  /** A review was taken over from another window. */
  adopted(key: string): void;
  /** Another window has told of the review of a file that this one did not have. */
  opened(key: string, review: FileReview): void;
  /** The file may have a text by now whose review another window has told. */
  look(uri: vscode.Uri): void;
  warn(message: string): void;
}

const delayMs = 300;
const retryMs = 2000;
/** Maximum length of both texts together. The review of a larger file ends with the window. */
const maxChars = 8 << 20;
const maxFiles = 1000;
/** Time after which a window that did not see that a review has ended is gone. */
const maxEndedMs = 24 * 3_600_000;

export class ReviewSharing implements vscode.Disposable {
  readonly #options: SharingOptions;
  readonly #folder: SharedFolder;
  readonly #files = new Map<string, SharedFile>();
  /** The URI of each file by the name of the file in which its review is shared. */
  readonly #keys = new Map<string, string>();
  readonly #untold = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #hasWarned = false;
  readonly #own: vscode.Disposable[];

  constructor(options: SharingOptions) {
    this.#options = options;
    this.#folder = new SharedFolder(path.join(options.storage.fsPath, "review"));
    this.#own = [
      this.#folder,
      // Events of a file system can be lost.
      vscode.window.onDidChangeWindowState(({ focused }) => focused && this.#read(this.#folder.names())),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#saved(uri)),
      vscode.workspace.onDidSaveNotebookDocument(({ uri }) => this.#saved(uri)),
    ];
  }

  /** Takes over what earlier windows and other ones have told, and follows them from now on. Returns the files. */
  load(): string[] {
    this.#folder.watch((names) => this.#read(names));
    const { lock } = this.#options;
    return lock.run(() => {
      if (lock.isHeld) this.#folder.clean();
      this.#takeFormer();
      // What was told just now was read, too.
      const keys = [...this.#files.keys()];
      for (const name of this.#folder.names().slice(0, maxFiles)) {
        const found = this.#folder.changed(name);
        const share = found.type === "fresh" ? readShare(found.json) : undefined;
        const isEnded = share?.shared.present.type === "ended" && share.shared.others.length === 0;
        const isOld = isEnded && Date.now() - this.#folder.writtenAt(name) > maxEndedMs;
        // What cannot be read holds no text of the user that is not elsewhere.
        if (found.type === "fresh" && (!share || isOld)) this.#folder.remove(name);
        else if (share) {
          this.#takeOver(share.uri, share.shared);
          keys.push(share.uri);
        }
      }
      return keys;
    });
  }

  /** The window knows something new about the review of a file. */
  knows(key: string, news: News): void {
    this.#of(key).knows(news);
    this.#untold.add(key);
    this.#timer ??= setTimeout(() => this.tell(), delayMs);
  }

  accepted(key: string, changes: Changes, hunk: number | undefined): void {
    this.#of(key).accepted(changes, hunk);
  }

  /** Whether another window has ended the review of this text. */
  isEnded(key: string, text: string | undefined): boolean {
    return this.#of(key).isEnded(text);
  }

  /** Takes over what other windows have told about the file. Returns whether its review has changed. */
  refresh(key: string): boolean {
    if (this.#options.isBusy(key)) return false;
    const taken = this.#take(key).type;
    return taken === "adopted" || taken === "opens";
  }

  /** Whether the file on disk has a text already, with a review, that VS Code has not reported yet. */
  isBehind(key: string): boolean {
    const file = this.#options.get(key);
    if (!file || !this.#of(key).hasOthers || !isSaved(key)) return false;
    const text = textOnDisk(key);
    return text !== undefined && this.#of(key).isBehind(file, text);
  }

  /** Runs what must not happen in two windows at once. It must not wait. */
  exclusive<T>(action: () => T): T {
    return this.#options.lock.run(action);
  }

  /** Tells the other windows, and the disk, what this one knows. */
  tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { lock, isBusy } = this.#options;
    // The end of a write tells more.
    const keys = [...this.#untold].filter((key) => !isBusy(key));
    if (keys.length === 0) return;
    const failed: string[] = [];
    lock.run(() => {
      for (const key of keys) {
        const isTold = attempt(() => {
          // Another window is writing: what it writes would be lost.
          if (!lock.isHeld) throw new Error("another window does not answer");
          this.#tell(key);
          return true;
        }, false);
        if (isTold) this.#untold.delete(key);
        else failed.push(key);
      }
    });
    if (failed.length === 0) return;
    if (!this.#hasWarned) {
      this.#options.warn(t("What is under review could not be stored. It is lost when this window closes."));
    }
    this.#hasWarned = true;
    this.#timer = setTimeout(() => this.tell(), retryMs);
  }

  dispose(): void {
    this.tell();
    clearTimeout(this.#timer);
    for (const one of this.#own) one.dispose();
  }

  #of(key: string): SharedFile {
    const known = this.#files.get(key);
    if (known) return known;
    const file = new SharedFile(key, this.#options.past, randomUUID);
    this.#files.set(key, file);
    this.#keys.set(nameOf(key), key);
    return file;
  }

  #take(key: string): Taken {
    const found = this.#folder.changed(nameOf(key));
    const share = found.type === "fresh" ? readShare(found.json) : undefined;
    return share ? this.#takeOver(key, share.shared) : { type: "nothing" };
  }

  #takeOver(key: string, shared: SharedReview): Taken {
    const { get, opened, adopted } = this.#options;
    const taken = this.#of(key).takeOver(shared, get(key));
    if (taken.type === "opens") opened(key, new FileReview(taken.review.state, taken.review.changes));
    else if (taken.type === "adopted") adopted(key);
    return taken;
  }

  /** Under the lock. @throws the system's error when it cannot be written */
  #tell(key: string): void {
    const { get } = this.#options;
    this.#take(key);
    const file = get(key);
    if (file && baseText(file.changes).length + currentText(file.changes).length > maxChars) return;
    const isOnDisk = () => file !== undefined && isSaved(key) && hasText(file.changes, textOnDisk(key) ?? "");
    const shared = this.#of(key).told(file, { isSaved: isSaved(key), isOnDisk });
    if (!shared) return;
    this.#folder.write(nameOf(key), storedShare(key, shared));
    this.#of(key).wasTold(shared, file);
  }

  /**
   * Tells that nothing is under review in the saved text of a file without a review, if that is not plain. Where another
   * window has told of a review meanwhile, what becomes of it in this text is told when the text was looked at.
   */
  #tellSaved(key: string): void {
    const { lock, isBusy, get, look } = this.#options;
    if (isBusy(key)) return;
    lock.run(() => {
      if (this.#take(key).type === "opens") look(vscode.Uri.parse(key));
      const text = textOnDisk(key);
      const shared = text === undefined ? undefined : this.#of(key).toldSaved(text);
      if (!shared || get(key) || !lock.isHeld) return;
      attempt(() => {
        this.#folder.write(nameOf(key), storedShare(key, shared));
        this.#of(key).wasTold(shared, undefined);
      }, undefined);
    });
  }

  #saved(uri: vscode.Uri): void {
    const key = uri.toString();
    if (!this.#options.get(key)) {
      if (this.#files.has(key)) this.#tellSaved(key);
      return;
    }
    // Others see the new text now, and do not know who typed what.
    this.knows(key, "own");
    this.tell();
  }

  /** Other windows may have changed files with these names. */
  #read(names: readonly string[]): void {
    for (const name of names) {
      const key = this.#keyOf(name);
      if (key === undefined || this.#options.isBusy(key)) continue;
      const taken = this.#take(key).type;
      if (taken === "look" || taken === "opens") this.#options.look(vscode.Uri.parse(key));
    }
  }

  #keyOf(name: string): string | undefined {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const file = path.join(this.#options.storage.fsPath, "review", name);
    return readShare(attempt(() => parseJson(readFileSync(file, "utf8")), undefined))?.uri;
  }

  /** Takes over reviews of texts from versions that had them in one file. */
  #takeFormer(): void {
    const file = path.join(this.#options.storage.fsPath, "past-reviews.json");
    const text = attempt(() => readFileSync(file, "utf8"), undefined);
    if (text === undefined) return;
    for (const one of z.array(z.unknown()).safeParse(parseJson(text)).data ?? []) {
      const kept = StoredReview.safeParse(one).data;
      if (!kept) continue;
      this.#options.past.add(kept.uri, reviewOf(kept));
      this.knows(kept.uri, "seen");
    }
    this.tell();
    if (this.#untold.size === 0) attempt(() => rmSync(file, { force: true }), undefined);
  }
}

const nameOf = (key: string): string => `${createHash("sha1").update(key).digest("hex")}.json`;

function isSaved(key: string): boolean {
  const { textDocuments, notebookDocuments } = vscode.workspace;
  return ![...textDocuments, ...notebookDocuments].some((one) => one.isDirty && one.uri.toString() === key);
}

/** Returns the text that the review compares; undefined if it cannot be read at once. */
function textOnDisk(key: string): string | undefined {
  const uri = vscode.Uri.parse(key);
  const bytes = uri.scheme === "file" ? attempt(() => readFileSync(uri.fsPath), undefined) : undefined;
  const text = bytes && decode(bytes)?.text;
  return text === undefined ? undefined : reviewText(uri, text);
}
