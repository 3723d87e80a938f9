/** What a command's output comes to for its readers: plain lines for the model, colours and no more for the eye. Pure. */
import { EscapeParser } from "./escape-sequences.ts";

/** Characters of a line without an end that are held back, since the line may still be written over. */
const longestHeld = 10_000;
const nulls = /\0+/g;

/**
 * Lines as they stand in the end: without escape sequences, and of a line that was written over, as progress bars do, the
 * last state. `out` is given whole lines, and the pieces of very long ones.
 */
export class PlainTextRenderer {
  readonly #escapes = new EscapeParser({
    text: (text) => this.#text(text),
    control: (character) => this.#control(character),
    csi: (parameters, final) => this.#csi(parameters, final),
  });
  readonly #out: (text: string) => void;
  /** Lines that are finished, on their way out. */
  #done = "";
  #line = "";
  /** Where the next text goes: behind the line, over it from its start, or over its last characters. */
  #over: "nothing" | "all" | number = "nothing";

  constructor(out: (text: string) => void) {
    this.#out = out;
  }

  push(piece: string): void {
    this.#escapes.push(piece);
    if (this.#line.length > longestHeld) this.end();
    else this.#flush();
  }

  /** The last line as far as it has come. */
  get open(): string {
    return this.#line;
  }

  /** Gives out what is held back. */
  end(): void {
    this.#done += this.#line;
    this.#line = "";
    this.#flush();
  }

  #text(text: string): void {
    // A line feed leaves the line as it is: `\r\n` is the end of a line like any other.
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

/**
 * For a terminal that people look at: colours and progress bars stay. What could reach beyond the line goes: titles, links,
 * the clipboard, questions that the terminal answers, writing over what stands above.
 */
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

  /** What of this piece is to be shown; a sequence that is cut comes with the next. */
  push(piece: string): string {
    this.#escapes.push(piece);
    const shown = this.#shown;
    this.#shown = "";
    return shown;
  }
}
