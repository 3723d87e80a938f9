/** Cleans command output: plain lines for the model, harmless sequences for people. Pure. */
import { never } from "../../base/never.ts";

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

// Parses command output like a terminal, in pieces of any size: text, control characters, sequences. Pure.

/** Receives the parts of the output in order. Strings to the terminal, such as titles and links, are dropped. */
interface EscapeSink {
  /** `text` has no control characters except tabs and line feeds. */
  text(text: string): void;
  control(character: string): void;
  /** A sequence like `ESC[1;31m`, with its parameters and its last character. */
  csi(parameters: string, final: string): void;
}

type EscapeState =
  | { in: "text" }
  | { in: "escape" }
  | { in: "csi"; parameters: string }
  /** In a string to the terminal, of which `length` characters have arrived. */
  | { in: "string"; length: number };

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is about control characters
const special = /[\x01-\x08\x0b-\x1f\x7f-\x9f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is about control characters
const wholeCsi = /\x1b\[([ -?]*)([@-~])/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is about control characters
const stringEnd = /[\x07\x0a\x18\x1a\x1b\x9c]/g;
/** A longer string is not meant for a terminal; the text after it is shown again. */
const longestString = 1_000_000;
const longestParameters = 100;

class EscapeParser {
  #state: EscapeState = { in: "text" };
  readonly #sink: EscapeSink;

  constructor(sink: EscapeSink) {
    this.#sink = sink;
  }

  push(piece: string): void {
    for (let at = 0; at < piece.length; ) at = this.#step(piece, at);
  }

  /** @returns the next index, which may be the same in another state */
  #step(piece: string, at: number): number {
    const state = this.#state;
    switch (state.in) {
      case "text":
        return this.#text(piece, at);
      case "escape":
        return this.#escape(piece.charAt(at), at);
      case "csi":
        return this.#csi(state.parameters, piece.charAt(at), at);
      case "string":
        return this.#string(state.length, piece, at);
      default:
        return never(state);
    }
  }

  #text(piece: string, at: number): number {
    const end = indexOf(special, piece, at);
    if (end > at) this.#sink.text(piece.slice(at, end));
    if (end === piece.length) return end;
    const character = piece.charAt(end);
    if (character === "\x1b") return this.#begin(piece, end);
    if (character === "\x9b") this.#state = { in: "csi", parameters: "" };
    else if (/[\x90\x98\x9d-\x9f]/.test(character)) this.#state = { in: "string", length: 0 };
    else this.#sink.control(character);
    return end + 1;
  }

  /** Parses complete sequences at once, as nearly all are. */
  #begin(piece: string, at: number): number {
    wholeCsi.lastIndex = at;
    const [all, parameters = "", final = ""] = wholeCsi.exec(piece) ?? [];
    if (all === undefined) this.#state = { in: "escape" };
    else this.#sink.csi(parameters.slice(0, longestParameters), final);
    return at + (all?.length ?? 1);
  }

  #escape(character: string, at: number): number {
    if (character === "[") this.#state = { in: "csi", parameters: "" };
    else if (/[\]PX^_]/.test(character)) this.#state = { in: "string", length: 0 };
    // In a sequence like `ESC(B`, the last character follows.
    else if (/[ -/]/.test(character)) return at + 1;
    else return this.#back(/[0-~]/.test(character) ? at + 1 : at);
    return at + 1;
  }

  #csi(parameters: string, character: string, at: number): number {
    if (/[ -?]/.test(character)) {
      if (parameters.length < longestParameters) this.#state = { in: "csi", parameters: parameters + character };
      return at + 1;
    }
    if (!/[@-~]/.test(character)) return this.#back(at);
    this.#sink.csi(parameters, character);
    return this.#back(at + 1);
  }

  #string(length: number, piece: string, at: number): number {
    const end = indexOf(stringEnd, piece, at);
    if (end === piece.length) {
      const all = length + end - at;
      this.#state = all > longestString ? { in: "text" } : { in: "string", length: all };
      return end;
    }
    const character = piece.charAt(end);
    if (character === "\x1b") {
      // `ESC\` ends it, and so does any other sequence.
      this.#state = { in: "escape" };
      return end + 1;
    }
    // An unterminated string must not swallow the following lines.
    return this.#back(character === "\n" ? end : end + 1);
  }

  #back(at: number): number {
    this.#state = { in: "text" };
    return at;
  }
}

/** Returns the next match of a global pattern, else the end of the text. */
function indexOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
