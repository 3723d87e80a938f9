/**
 * Removes from a command's output what the user types after a prompt for a password. Most programs switch the echo off;
 * this is for those that do not, and for those that show an asterisk for each character. Pure.
 */
import { asksForPassword } from "./input-detection.ts";

/** Output that follows a prompt so soon is the program's own: nobody types that fast. */
const reactionMs = 100;
const maxLineLength = 400;
const replaced = "[hidden]";

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of terminals
const sequences = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;

export class PasswordEcho {
  readonly #onText: (text: string) => void;
  readonly #now: () => number;
  /** The line that has not ended yet. */
  #line = "";
  #wroteAt = 0;
  #isHiding = false;

  constructor(onText: (text: string) => void, now: () => number = Date.now) {
    this.#onText = onText;
    this.#now = now;
  }

  push(text: string): void {
    const isTyped = this.#now() - this.#wroteAt >= reactionMs;
    this.#wroteAt = this.#now();
    if (!this.#isHiding) this.#isHiding = isTyped && asksForPassword(this.#line);
    const shown = this.#isHiding ? this.#hide(text) : text;
    if (shown === "") return;
    this.#line = (this.#line + shown.replaceAll(sequences, "")).split(/[\r\n]/).at(-1) ?? "";
    this.#line = this.#line.slice(-maxLineLength);
    this.#onText(shown);
  }

  /** Leaves out everything before the end of the line. */
  #hide(text: string): string {
    const end = text.search(/[\r\n]/);
    const typed = (end < 0 ? text : text.slice(0, end)).replaceAll(sequences, "");
    const word = /[\p{L}\p{N}\p{P}\p{S}]/u.test(typed) && !this.#line.endsWith(replaced) ? replaced : "";
    if (end < 0) {
      this.#line += word;
      if (word !== "") this.#onText(word);
      return "";
    }
    this.#isHiding = false;
    return word + text.slice(end);
  }
}
