/** The output of one command: shortened for the model, its last lines for the panel, and stored in full. */
import type { OverflowFile } from "../host.ts";
import { countLines, tailOf } from "../text/text.ts";
import { Shortener, wholeIn } from "../text/truncate.ts";
import { PlainTextRenderer } from "./plain-text.ts";

const recentLength = 8_000;

export class CommandOutput {
  readonly #openFile: () => OverflowFile;
  readonly #plain = new PlainTextRenderer((text) => this.#pass(text));
  #file: OverflowFile | undefined;
  /** Whether the file gets all output as it arrives, not only output that is too long to be shown. */
  #keepsAll = false;
  #unread = this.#shortener();
  #lineEnds = 0;
  #recent = "";
  /** The unfinished line at the last read, to not return it twice. */
  #openRead = "";

  constructor(openFile: () => OverflowFile) {
    this.#openFile = openFile;
  }

  push(text: string): void {
    this.#plain.push(text);
  }

  get lines(): number {
    const open = this.#recent.endsWith("\n") || this.#recent === "" ? this.#plain.open : " ";
    return this.#lineEnds + (open === "" ? 0 : 1);
  }

  get last(): string {
    const all = (this.#recent + this.#plain.open).trimEnd();
    return all.split("\n").slice(-20).join("\n");
  }

  /** Stores all output from now on, because it will be read in pieces with `take`. */
  keepAll(): void {
    if (this.#keepsAll) return;
    if (!this.#unread.cut) this.#append(this.#unread.shown(""));
    this.#keepsAll = true;
  }

  take(): string {
    const open = this.#plain.open === this.#openRead ? "" : this.#plain.open;
    this.#openRead = this.#plain.open;
    const where = this.keptIn === undefined ? "The full output could not be saved" : wholeIn(this.keptIn);
    const unread = this.#unread.shown(where);
    this.#unread = this.#shortener();
    return unread + open;
  }

  end(): void {
    this.#plain.end();
    this.#file?.close();
  }

  /** Undefined if it was not stored completely. */
  get keptIn(): string | undefined {
    return this.#file?.isWhole ? this.#file.path : undefined;
  }

  #shortener(): Shortener {
    return new Shortener((text) => {
      if (!this.#keepsAll) this.#append(text);
    });
  }

  #pass(text: string): void {
    this.#unread.push(text);
    if (this.#keepsAll) this.#append(text);
    this.#lineEnds += countLines(text) - (text.endsWith("\n") ? 0 : 1);
    this.#recent = tailOf(text.length > recentLength ? text : this.#recent + text, recentLength);
  }

  #append(text: string): void {
    if (text === "") return;
    this.#file ??= this.#openFile();
    this.#file.append(text);
  }
}
