/** Keeps comment threads on disk, a JSON file for each, so that they outlive the window and two windows do not collide. */
import * as vscode from "vscode";
import { writeWhole } from "../host/write-whole.ts";
import { StoredThread } from "./comment-thread.ts";

const maxThreads = 500;

export class ThreadStore {
  readonly #folder: vscode.Uri;
  /** Writes run one after the other. The older of two at once might win. */
  #queue: Promise<void> = Promise.resolve();

  /** `storage` is the extension's folder for this workspace; it need not exist. */
  constructor(storage: vscode.Uri) {
    this.#folder = vscode.Uri.joinPath(storage, "comments");
  }

  /** Reads all threads. Files that are not readable stay where they are. */
  async load(): Promise<StoredThread[]> {
    const entries = await Promise.resolve(vscode.workspace.fs.readDirectory(this.#folder)).catch(() => []);
    const names = entries.flatMap(([name]) => (name.endsWith(".json") ? [name] : [])).slice(0, maxThreads);
    const threads = await Promise.all(names.map((name) => this.#read(name).catch(() => undefined)));
    return threads.filter((one) => one !== undefined);
  }

  /** Resolves when the thread is on disk, or gone from it (`undefined`). */
  save(id: string, thread: StoredThread | undefined): Promise<void> {
    this.#queue = this.#queue.then(() => this.#write(id, thread)).catch(() => {});
    return this.#queue;
  }

  async #read(name: string): Promise<StoredThread | undefined> {
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.#folder, name));
    const thread = StoredThread.safeParse(JSON.parse(Buffer.from(bytes).toString("utf8"))).data;
    return thread && `${thread.id}.json` === name ? thread : undefined;
  }

  async #write(id: string, thread: StoredThread | undefined): Promise<void> {
    const { fs } = vscode.workspace;
    const file = vscode.Uri.joinPath(this.#folder, `${id}.json`);
    if (!thread) return await fs.delete(file);
    await writeWhole(file, JSON.stringify(thread));
  }
}
