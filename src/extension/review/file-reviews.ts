/** The reviews of the files of this window. What changes in one is told to the other windows and to all that show it. */
import * as vscode from "vscode";
import type { FileReview } from "../../review/file-review.ts";
import type { Changes } from "../../review/hunks.ts";
import type { News } from "../../review/shared-reviews.ts";
import type { DiskWatch } from "./disk-watch.ts";
import type { ReviewSharing } from "./review-sharing.ts";

export class FileReviews implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  /** By URI. A file without hunks stays while its document is open, since undo can bring them back. */
  readonly #files = new Map<string, FileReview>();
  readonly #disk: DiskWatch;
  readonly #sharing: ReviewSharing | undefined;

  constructor(disk: DiskWatch, sharing: ReviewSharing | undefined) {
    this.#disk = disk;
    this.#sharing = sharing;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  get(key: string): FileReview | undefined {
    return this.#files.get(key);
  }

  has(key: string): boolean {
    return this.#files.has(key);
  }

  all(): [key: string, file: FileReview][] {
    return [...this.#files];
  }

  /** Returns the files in which something waits for a decision. */
  open(): [uri: vscode.Uri, file: FileReview][] {
    return this.all().flatMap(([key, file]) => (file.isOpen ? [[vscode.Uri.parse(key), file]] : []));
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

  put(uri: vscode.Uri, file: FileReview): void {
    this.#files.set(uri.toString(), file);
    this.#disk.follow(uri);
  }

  drop(key: string, news: News): void {
    this.#files.delete(key);
    this.#disk.leave(key);
    this.report(key, news);
  }

  /** The review of a file has changed. */
  report(key: string, news: News): void {
    this.#sharing?.knows(key, news);
    this.announce();
  }

  /** What is shown has changed, without news for the other windows. */
  announce(): void {
    this.#changed.fire();
  }
}
