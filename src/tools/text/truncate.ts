/** What is shown of output that is too long for the model (T9): its head and its tail. */
import type { Overflow } from "../host.ts";
import { countLines, headOf, tailOf } from "./text.ts";

export const outputLimit = { characters: 30_000, lines: 2_000 };

/** Errors stand at the end more often than at the start. */
const headLimit = { characters: 10_000, lines: 600 };
const tailLimit = {
  characters: outputLimit.characters - headLimit.characters,
  lines: outputLimit.lines - headLimit.lines,
};

/** Takes output of any length and holds no more of it than can be shown. */
export class Shortener {
  /** All of it while it fits; then its first characters. */
  #head = "";
  #tail = "";
  #characters = 0;
  #lineEnds = 0;
  #endsOpen = false;
  #cut = false;
  readonly #spill: (text: string) => void;

  /** `spill` is given all of the output in order, once it has become too long to be shown whole. */
  constructor(spill: (text: string) => void) {
    this.#spill = spill;
  }

  get cut(): boolean {
    return this.#cut;
  }

  get lines(): number {
    return this.#lineEnds + (this.#endsOpen ? 1 : 0);
  }

  push(text: string): void {
    if (text === "") return;
    this.#characters += text.length;
    this.#endsOpen = !text.endsWith("\n");
    this.#lineEnds += countLines(text) - (this.#endsOpen ? 1 : 0);
    if (this.#cut) {
      this.#spill(text);
      this.#tail = tailOf(this.#tail + text, 2 * tailLimit.characters);
      return;
    }
    this.#head += text;
    if (this.#characters <= outputLimit.characters && this.lines <= outputLimit.lines) return;
    this.#cut = true;
    this.#spill(this.#head);
    const head = headOf(firstLines(this.#head, headLimit.lines), headLimit.characters);
    this.#tail = tailOf(this.#head.slice(head.length), 2 * tailLimit.characters);
    this.#head = head;
  }

  /** What can be shown; `where` tells the model where all of it is. */
  shown(where: string): string {
    if (!this.#cut) return this.#head;
    const tail = lastLines(tailOf(this.#tail, tailLimit.characters), tailLimit.lines);
    const characters = this.#characters - this.#head.length - tail.length;
    const lines = Math.max(1, this.lines - countLines(this.#head) - countLines(tail));
    return `${this.#head}\n[… ${lines} lines, ${characters} characters left out. ${where} …]\n${tail}`;
  }

  /** The last `count` lines so far. */
  last(count: number): string {
    return lastLines(this.#cut ? this.#tail : this.#head, count);
  }
}

export interface Shortened {
  output: string;
  /** The file that holds all of it, when it was cut. */
  outputFile: string | undefined;
}

/** Cuts `text` where it is too long, and keeps the whole of it. */
export async function shorten(text: string, overflow: Overflow, callID: string): Promise<Shortened> {
  const shortener = new Shortener(() => {});
  shortener.push(text);
  if (!shortener.cut) return { output: text, outputFile: undefined };
  const outputFile = await overflow.keep(callID, text);
  return { output: shortener.shown(wholeIn(outputFile)), outputFile };
}

export function wholeIn(path: string): string {
  return `The whole output is in ${path}; read it with offset and limit, or grep it`;
}

function firstLines(text: string, count: number): string {
  let at = -1;
  for (let line = 0; line < count; line++) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return text;
  }
  return text.slice(0, at + 1);
}

function lastLines(text: string, count: number): string {
  let at = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let line = 0; line < count; line++) {
    at = text.lastIndexOf("\n", at - 1);
    if (at < 0) return text;
    if (at === 0) return line + 1 < count ? text : text.slice(1);
  }
  return text.slice(at + 1);
}
