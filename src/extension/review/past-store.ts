/** Keeps reviews of texts that may come back on disk, so that a stash outlives the window. */
import * as vscode from "vscode";
import * as z from "zod/mini";
import { parseJson } from "../../chat/json.ts";
import { FileReview } from "../../review/file-review.ts";
import type { PastReviews } from "../../review/past-reviews.ts";
import { reviewOf, StoredReview, storedReview } from "../../review/stored-review.ts";
import { writeWhole } from "../host/write-whole.ts";

/** Maximum length of all texts together. The newest are kept. */
const maxChars = 16 << 20;

export class PastStore {
  readonly #file: vscode.Uri;
  readonly #past: PastReviews;
  /** `past.changes` when it was written last. */
  #written = 0;

  /** `storage` is the extension's folder for this workspace; it need not exist. */
  constructor(storage: vscode.Uri, past: PastReviews) {
    this.#file = vscode.Uri.joinPath(storage, "past-reviews.json");
    this.#past = past;
  }

  async load(): Promise<void> {
    const bytes = await vscode.workspace.fs.readFile(this.#file).then(undefined, () => undefined);
    const stored = z.array(z.unknown()).safeParse(bytes && parseJson(Buffer.from(bytes).toString("utf8"))).data ?? [];
    for (const one of stored) {
      const kept = StoredReview.safeParse(one).data;
      if (kept) this.#past.add(kept.uri, reviewOf(kept));
    }
    this.#written = this.#past.changes;
  }

  async save(): Promise<void> {
    if (this.#written === this.#past.changes) return;
    this.#written = this.#past.changes;
    const kept: StoredReview[] = [];
    let chars = 0;
    for (const [uri, { state, changes }] of [...this.#past.entries()].reverse()) {
      const one = storedReview(uri, new FileReview(state, changes));
      chars += JSON.stringify(one).length;
      if (chars > maxChars) break;
      kept.unshift(one);
    }
    if (kept.length > 0) await writeWhole(this.#file, JSON.stringify(kept));
    else await vscode.workspace.fs.delete(this.#file).then(undefined, () => undefined);
  }
}
