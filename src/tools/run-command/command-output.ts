/** The output of one command: what the model is shown of it, what the panel is, and where the whole is kept. */
import type { OverflowFile } from "../host.ts";
import { countLines, tailOf } from "../text/text.ts";
import { Shortener, wholeIn } from "../text/truncate.ts";
import { PlainTextRenderer } from "./plain-text.ts";

/** Characters that are at hand for the panel. */
const recentLength = 8_000;
const recentLines = 20;

export class CommandOutput {
  readonly #openFile: () => OverflowFile;
  readonly #plain = new PlainTextRenderer((text) => this.#pass(text));
  #file: OverflowFile | undefined;
  /** Whether the file is given all there is, as it comes; else it is given what is too long to be shown. */
  #keepsAll = false;
  #unread = this.#shortener();
  #lineEnds = 0;
  #recent = "";
  /** The open line when it was read last: it is not new then. */
  #openRead = "";

  /** `openFile` is called when there is something to be kept. */
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

  /** The last lines. */
  get last(): string {
    const all = (this.#recent + this.#plain.open).trimEnd();
    return all.split("\n").slice(-recentLines).join("\n");
  }

  /** From now on it is read in pieces, with `take`, so all of it is kept in the file. */
  keepAll(): void {
    if (this.#keepsAll) return;
    if (!this.#unread.cut) this.#append(this.#unread.shown(""));
    this.#keepsAll = true;
  }

  /** What has come since this was called last, made short. */
  take(): string {
    const open = this.#plain.open === this.#openRead ? "" : this.#plain.open;
    this.#openRead = this.#plain.open;
    const unread = this.#unread.shown(this.#where());
    this.#unread = this.#shortener();
    return unread + open;
  }

  /** No more comes. */
  end(): void {
    this.#plain.end();
    this.#file?.close();
  }

  /** Where all of it is, if it is kept anywhere. */
  get keptIn(): string | undefined {
    return this.#file?.isWhole ? this.#file.path : undefined;
  }

  #where(): string {
    return this.keptIn === undefined ? "The whole could not be kept" : wholeIn(this.keptIn);
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
