/** What is under review, on disk: a file of JSON for each file with open hunks, so that a review outlives the window. */
import { createHash } from "node:crypto";
import * as vscode from "vscode";
import * as z from "zod/mini";
import { FileReview } from "./file-review.ts";
import { baseText, becomes, currentText, unchanged } from "./hunks.ts";

const Kept = z.object({
  version: z.literal(1),
  uri: z.string(),
  /** The agent made the file. */
  created: z.boolean(),
  base: z.string(),
  text: z.string(),
});

/** Characters of both texts together; the review of a larger file ends with the window. */
const largest = 8 << 20;
const most = 500;

export class ReviewStore {
  readonly #folder: vscode.Uri;
  /** One write after the other: two at once could leave the older. */
  #queue: Promise<void> = Promise.resolve();

  /** `storage` is the extension's folder for this workspace; it may not be there yet. */
  constructor(storage: vscode.Uri) {
    this.#folder = vscode.Uri.joinPath(storage, "review");
  }

  /** What cannot be read is skipped and removed: it is a review's state, never the user's text. */
  async load(): Promise<Map<string, FileReview>> {
    const tracks = new Map<string, FileReview>();
    const entries = await vscode.workspace.fs.readDirectory(this.#folder).then(
      (found) => found,
      () => [],
    );
    await Promise.all(
      entries.slice(0, most).map(async ([name]) => {
        const file = vscode.Uri.joinPath(this.#folder, name);
        const kept = await readJson(file).then(
          (json) => Kept.safeParse(json).data,
          () => undefined,
        );
        if (!kept) return vscode.workspace.fs.delete(file).then(undefined, () => undefined);
        const changes = becomes(unchanged(kept.base), kept.text, "agent");
        tracks.set(kept.uri, new FileReview(kept.created ? undefined : kept.base, changes));
      }),
    );
    return tracks;
  }

  /** `track` undefined, or without hunks: nothing is kept of it. */
  save(uri: string, track: FileReview | undefined): Promise<void> {
    this.#queue = this.#queue.then(() => this.#write(uri, track));
    return this.#queue;
  }

  async #write(uri: string, track: FileReview | undefined): Promise<void> {
    const { fs } = vscode.workspace;
    const file = vscode.Uri.joinPath(this.#folder, `${createHash("sha1").update(uri).digest("hex")}.json`);
    if (!track || track.changes.hunks.length === 0) return fs.delete(file).then(undefined, () => undefined);
    const kept: z.infer<typeof Kept> = {
      version: 1,
      uri,
      created: track.created,
      base: baseText(track.changes),
      text: currentText(track.changes),
    };
    if (kept.base.length + kept.text.length > largest) return;
    await fs.writeFile(file, Buffer.from(JSON.stringify(kept)));
  }
}

async function readJson(file: vscode.Uri): Promise<unknown> {
  return JSON.parse(Buffer.from(await vscode.workspace.fs.readFile(file)).toString("utf8"));
}
