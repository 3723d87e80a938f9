/** Cleans command output: plain lines for the model, harmless sequences for people. Pure. */
import { EscapeParser } from "./escape-sequences.ts";

/** Maximum length of an unfinished line that is held back, because it may be overwritten. */
const longestHeld = 10_000;
const nulls = /\0+/g;

/** Renders lines as a terminal finally shows them. `out` gets whole lines, and pieces of very long ones. */
export class PlainTextRenderer {
  readonly #escapes = new EscapeParser({
    text: (text) => this.#text(text),
    control: (character) => this.#control(character),
    csi: (parameters, final) => this.#csi(parameters, final),
  });
  readonly #out: (text: string) => void;
  #done = "";
  #line = "";
  /** The text that the next one overwrites: nothing, the whole line, or a number of last characters. */
  #over: "nothing" | "all" | number = "nothing";

  constructor(out: (text: string) => void) {
    this.#out = out;
  }

  push(piece: string): void {
    this.#escapes.push(piece);
    if (this.#line.length > longestHeld) this.end();
    else this.#flush();
  }

  get open(): string {
    return this.#line;
  }

  end(): void {
    this.#done += this.#line;
    this.#line = "";
    this.#flush();
  }

  #text(text: string): void {
    // A line feed does not overwrite: `\r\n` is a normal line end.
    if (!text.startsWith("\n")) this.#erase();
    this.#over = "nothing";
    this.#line += text.includes("\0") ? text.replaceAll(nulls, "␀") : text;
    const end = this.#line.lastIndexOf("\n") + 1;
    if (end > 0) {
      this.#done += this.#line.slice(0, end);
      this.#line = this.#line.slice(end);
    }
  }

  #control(character: string): void {
    if (character === "\r") this.#over = "all";
    else if (character === "\b") this.#back(1);
  }

  #csi(parameters: string, final: string): void {
    const count = Math.max(1, Number.parseInt(parameters, 10) || 0);
    if (final === "G" && count === 1) this.#over = "all";
    else if (final === "D") this.#back(count);
    else if (final === "K" && /^[12]$/.test(parameters)) this.#line = "";
    else if (final === "K") this.#erase();
  }

  #back(count: number): void {
    if (this.#over !== "all") this.#over = count + (this.#over === "nothing" ? 0 : this.#over);
  }

  #erase(): void {
    if (this.#over === "nothing") return;
    this.#line = this.#over === "all" ? "" : [...this.#line].slice(0, -this.#over).join("");
  }

  #flush(): void {
    if (this.#done !== "") this.#out(this.#done);
    this.#done = "";
  }
}

/** Keeps colours and progress bars; removes titles, links, clipboard access, queries and vertical movement. */
export class DisplaySanitizer {
  #shown = "";
  readonly #escapes = new EscapeParser({
    text: (text) => {
      this.#shown += text;
    },
    control: (character) => {
      if (character === "\r" || character === "\b") this.#shown += character;
    },
    csi: (parameters, final) => {
      if (/[mKG]/.test(final) && /^[\d;:]*$/.test(parameters)) this.#shown += `\x1b[${parameters}${final}`;
    },
  });

  /** Returns the text to show; a sequence that is cut follows with the next piece. */
  push(piece: string): string {
    this.#escapes.push(piece);
    const shown = this.#shown;
    this.#shown = "";
    return shown;
  }
}
