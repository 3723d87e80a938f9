/** Splits growing Markdown into top-level blocks; all but the last are final. */
import { Lexer, type Token } from "marked";

export interface MarkdownBlock {
  readonly start: number;
  readonly token: Token;
}

/** Matches the beginning of a line that may still become an item of the list before it. */
const maybeMarker = /^\s*(?:[-+*]|\d{1,9}[.)]?)?$/;

/**
 * Follows one growing text. A finished block is lexed once and keeps its identity, so an update costs as much as the
 * last block. A text that does not continue the previous one starts over.
 */
export class MarkdownBlocks {
  #text = "";
  #finished: MarkdownBlock[] = [];
  #end = 0;
  /** Link definitions, which later blocks may use. */
  #links = new Lexer().tokens.links;

  update(source: string): MarkdownBlock[] {
    const text = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
    if (!text.startsWith(this.#text)) this.#reset();
    this.#text = text;
    const lexer = new Lexer();
    lexer.tokens.links = this.#links;
    const tail: MarkdownBlock[] = [];
    let at = this.#end;
    for (const token of lexer.lex(text.slice(this.#end))) {
      if (token.type !== "space" && token.type !== "def") tail.push({ start: at, token });
      at += token.raw.length;
    }
    this.#finish(tail);
    return [...this.#finished, ...tail];
  }

  /** Moves the blocks that later text cannot change from `tail` to the finished ones. */
  #finish(tail: MarkdownBlock[]): void {
    const last = tail.at(-1);
    const open = last && maybeMarker.test(last.token.raw) ? 2 : 1;
    if (tail.length <= open) return;
    this.#finished.push(...tail.splice(0, tail.length - open));
    this.#end = tail[0]?.start ?? this.#end;
  }

  #reset(): void {
    this.#finished = [];
    this.#end = 0;
    this.#links = new Lexer().tokens.links;
  }
}
