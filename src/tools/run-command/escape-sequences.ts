/** Parses command output like a terminal, in pieces of any size: text, control characters, sequences. Pure. */
import { never } from "../../base/never.ts";

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

export class EscapeParser {
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
