/** Splits Markdown that is still growing into top-level blocks, each of which is final but the last. */
import { Lexer, type Token } from "marked";

export interface Block {
  /** Where it begins in the text: names the block for as long as it lives. */
  readonly start: number;
  readonly token: Token;
}

/** A line of which only this has come may yet become an item of the list before it. */
const maybeMarker = /^\s*(?:[-+*]|\d{1,9}[.)]?)?$/;

/**
 * Follows one text that only grows. A finished block is lexed once and keeps its identity; the work of an update is
 * that of the last block. A text that did not grow from the one before starts anew.
 */
export class Blocks {
  #text = "";
  #settled: Block[] = [];
  #end = 0;
  /** Definitions of links, which later blocks may use. */
  #links = new Lexer().tokens.links;

  /** All blocks of `source`, oldest first. */
  update(source: string): Block[] {
    const text = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
    if (!text.startsWith(this.#text)) this.#reset();
    this.#text = text;
    const lexer = new Lexer();
    lexer.tokens.links = this.#links;
    const tail: Block[] = [];
    let at = this.#end;
    for (const token of lexer.lex(text.slice(this.#end))) {
      if (token.type !== "space" && token.type !== "def") tail.push({ start: at, token });
      at += token.raw.length;
    }
    this.#settle(tail);
    return [...this.#settled, ...tail];
  }

  /** Moves all blocks but those that what comes next may still change out of `tail`. */
  #settle(tail: Block[]): void {
    const last = tail.at(-1);
    const open = last && maybeMarker.test(last.token.raw) ? 2 : 1;
    if (tail.length <= open) return;
    this.#settled.push(...tail.splice(0, tail.length - open));
    this.#end = tail[0]?.start ?? this.#end;
  }

  #reset(): void {
    this.#settled = [];
    this.#end = 0;
    this.#links = new Lexer().tokens.links;
  }
}
