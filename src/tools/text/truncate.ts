/** Shortens output that is too long for the model to its head and its tail (T9). */
import type { Overflow } from "../host.ts";
import { countLines, headOf, tailOf } from "./text.ts";

export const outputLimit = { characters: 30_000, lines: 2_000 };

/** Errors stand at the end more often than at the start. */
const headLimit = { characters: 10_000, lines: 600 };
const tailLimit = {
  characters: outputLimit.characters - headLimit.characters,
  lines: outputLimit.lines - headLimit.lines,
};

/** Takes output of any length and keeps only what can be shown. */
export class Shortener {
  /** The whole output while it fits, then its start. */
  #head = "";
  #tail = "";
  #characters = 0;
  #lineEnds = 0;
  #endsOpen = false;
  #cut = false;
  readonly #spill: (text: string) => void;

  /** `spill` receives the whole output in order once it is too long to be shown. */
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

  /** Returns the text to show; `where` tells the model where the full output is. */
  shown(where: string): string {
    if (!this.#cut) return this.#head;
    const tail = lastLines(tailOf(this.#tail, tailLimit.characters), tailLimit.lines);
    const characters = this.#characters - this.#head.length - tail.length;
    const lines = Math.max(1, this.lines - countLines(this.#head) - countLines(tail));
    return `${this.#head}\n[… ${lines} lines, ${characters} characters left out. ${where} …]\n${tail}`;
  }

  last(count: number): string {
    return lastLines(this.#cut ? this.#tail : this.#head, count);
  }
}

export async function shorten(text: string, overflow: Overflow, callID: string) {
  const shortener = new Shortener(() => {});
  shortener.push(text);
  if (!shortener.cut) return { output: text, outputFile: undefined };
  const outputFile = await overflow.keep(callID, text);
  return { output: shortener.shown(wholeIn(outputFile)), outputFile };
}

export function wholeIn(path: string): string {
  return `The full output is in ${path}`;
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
