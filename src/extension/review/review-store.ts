/** Keeps reviews on disk, so that they outlive the window: a JSON file for each file with open hunks. */
import { createHash } from "node:crypto";
import * as vscode from "vscode";
import * as z from "zod/mini";
import { FileReview } from "./file-review.ts";
import { baseText, becomes, currentText, unchanged } from "./hunks.ts";

const StoredReview = z.object({
  version: z.literal(1),
  uri: z.string(),
  created: z.boolean(),
  base: z.string(),
  text: z.string(),
});

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
        const json = await readJson(file).catch(() => undefined);
        const kept = StoredReview.safeParse(json).data;
        if (!kept) return vscode.workspace.fs.delete(file).then(undefined, () => undefined);
        const changes = becomes(unchanged(kept.base), kept.text, "agent");
        fileReviews.set(kept.uri, new FileReview(kept.created ? undefined : kept.base, changes));
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
    if (!fileReview || fileReview.changes.hunks.length === 0) return fs.delete(file).then(undefined, () => undefined);
    const kept: z.infer<typeof StoredReview> = {
      version: 1,
      uri,
      created: fileReview.created,
      base: baseText(fileReview.changes),
      text: currentText(fileReview.changes),
    };
    if (kept.base.length + kept.text.length > maxChars) return;
    await fs.writeFile(file, Buffer.from(JSON.stringify(kept)));
  }
}

async function readJson(file: vscode.Uri): Promise<unknown> {
  return JSON.parse(Buffer.from(await vscode.workspace.fs.readFile(file)).toString("utf8"));
}
