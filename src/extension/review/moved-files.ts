/** Finds where a file under review was moved by another program, by its text. VS Code reports only its own moves. */
import * as vscode from "vscode";
import { lineFeeds } from "../host/documents.ts";
import { readText } from "./file-text.ts";

/**
 * Maximum time between the two events of a move. A file that is gone may be noticed at once, while VS Code's watcher, a
 * process of its own, comes seconds later on a busy machine.
 */
const maxGapMs = 10_000;
/** Maximum number of new files that are read. Switching a branch, for example, makes more. */
export const maxCreated = 50;

interface MovedFilesOptions {
  /** A file has the text of one that disappeared. */
  moved(from: vscode.Uri, to: vscode.Uri): void;
  /** A file has the text of others, which may have disappeared: VS Code reports no file that is replaced and moved at once. */
  resembles(text: string): Promise<void>;
}

export class MovedFiles {
  readonly #options: MovedFilesOptions;
  readonly #gone = new Map<string, { text: string; at: number }>();
  readonly #created = new Map<string, number>();

  constructor(options: MovedFilesOptions) {
    this.#options = options;
  }

  /** `text` is the last text of the file, which has disappeared. */
  async disappeared(uri: vscode.Uri, text: string): Promise<void> {
    // Empty files are not told apart.
    if (text === "") return;
    this.#forgetOld();
    this.#gone.set(uri.toString(), { text: lineFeeds(text), at: Date.now() });
    await Promise.all([...this.#created.keys()].map((key) => this.#compare(vscode.Uri.parse(key))));
  }

  async created(uri: vscode.Uri): Promise<void> {
    this.#forgetOld();
    this.#gone.delete(uri.toString());
    if (this.#created.size >= maxCreated) return;
    this.#created.set(uri.toString(), Date.now());
    const text = await this.#compare(uri);
    if (text !== undefined) await this.#options.resembles(text);
  }

  /** Returns the text of a file that was not moved. */
  async #compare(uri: vscode.Uri): Promise<string | undefined> {
    const text = await readText(uri);
    if (text === undefined) return undefined;
    const found = [...this.#gone].find(([, gone]) => gone.text === lineFeeds(text));
    // Another program may have written it again: a stash, for example.
    if (!found || (await readText(vscode.Uri.parse(found[0]))) !== undefined) return text;
    this.#gone.delete(found[0]);
    this.#created.delete(uri.toString());
    this.#options.moved(vscode.Uri.parse(found[0]), uri);
    return undefined;
  }

  #forgetOld(): void {
    const since = Date.now() - maxGapMs;
    for (const [key, { at }] of this.#gone) if (at < since) this.#gone.delete(key);
    for (const [key, at] of this.#created) if (at < since) this.#created.delete(key);
  }
}
