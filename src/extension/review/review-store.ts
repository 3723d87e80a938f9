/** Keeps reviews on disk, so that they outlive the window: a JSON file for each file with open hunks. */
import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { FileReview } from "../../review/file-review.ts";
import { readReview, reviewOf, storedReview } from "../../review/stored-review.ts";
import { unfinishedEnding, writeWhole } from "../host/write-whole.ts";

/** Maximum length of both texts together. The review of a larger file ends with the window. */
const maxChars = 8 << 20;
const maxFiles = 500;

export class ReviewStore {
  readonly #folder: vscode.Uri;
  /** Writes run one after the other. The older of two at once might win. */
  #queue: Promise<void> = Promise.resolve();

  /** `storage` is the extension's folder for this workspace; it need not exist. */
  constructor(storage: vscode.Uri) {
    this.#folder = vscode.Uri.joinPath(storage, "review");
  }

  /** Reads all reviews. Unreadable files are deleted: they hold no text of the user that is not elsewhere. */
  async load(): Promise<Map<string, FileReview>> {
    const fileReviews = new Map<string, FileReview>();
    const entries = await Promise.resolve(vscode.workspace.fs.readDirectory(this.#folder)).catch(() => []);
    await Promise.all(
      entries.slice(0, maxFiles).map(async ([name]) => {
        const file = vscode.Uri.joinPath(this.#folder, name);
        // One that was not finished is not whole, or was about to replace the file.
        const json = name.endsWith(unfinishedEnding) ? undefined : await readJson(file).catch(() => undefined);
        const kept = readReview(json);
        if (!kept) return vscode.workspace.fs.delete(file).then(undefined, () => undefined);
        fileReviews.set(kept.uri, reviewOf(kept));
      }),
    );
    return fileReviews;
  }

  save(uri: string, fileReview: FileReview | undefined): Promise<void> {
    this.#queue = this.#queue.then(() => this.#write(uri, fileReview));
    return this.#queue;
  }

  async #write(uri: string, fileReview: FileReview | undefined): Promise<void> {
    const { fs } = vscode.workspace;
    const file = vscode.Uri.joinPath(this.#folder, `${createHash("sha1").update(uri).digest("hex")}.json`);
    if (!fileReview?.isOpen) return fs.delete(file).then(undefined, () => undefined);
    const kept = storedReview(uri, fileReview);
    if (kept.base.length + kept.text.length > maxChars) return;
    await writeWhole(file, JSON.stringify(kept));
  }
}

async function readJson(file: vscode.Uri): Promise<unknown> {
  return JSON.parse(Buffer.from(await vscode.workspace.fs.readFile(file)).toString("utf8"));
}
