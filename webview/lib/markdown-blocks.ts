/** Splits growing Markdown into top-level blocks; all but the last are final. */
import type { Token } from "marked";
import { LimitedLexer } from "./markdown-lexer.ts";

export interface MarkdownBlock {
  readonly start: number;
  /** Of type `plain`: text that is not read as Markdown. */
  readonly token: Token;
}

/** Matches the beginning of a line that may still become an item of the list before it. */
const maybeMarker = /^\s*(?:[-+*]|\d{1,9}[.)]?)?$/;

/** A longer block is plain text, unless it is code: lists take the square of their length. */
const maxBlockCharacters = 20_000;
/** What follows these blocks is one plain text: a page with many more elements stands still. */
const maxBlocks = 3000;

/**
 * Follows one growing text. A finished block is lexed once and keeps its identity, so an update costs as much as the
 * last block. A text that does not continue the previous one starts over.
 */
export class MarkdownBlocks {
  #text = "";
  #finished: MarkdownBlock[] = [];
  #end = 0;
  /** Depth of the last finished heading. A deeper one goes down by one level, so that the outline has no gaps. */
  #depth = 0;
  /** Link definitions, which later blocks may use. */
  #links = new LimitedLexer().tokens.links;

  update(source: string): MarkdownBlock[] {
    const text = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
    if (!text.startsWith(this.#text)) this.#reset();
    this.#text = text;
    for (;;) {
      if (this.#finished.length >= maxBlocks) return [...this.#finished, plainBlock(this.#end, text.slice(this.#end))];
      const piece = this.#nextPiece();
      const tail = this.#lex(piece);
      const end = this.#end;
      this.#finish(tail);
      if (end + piece.length === text.length) return [...this.#finished, ...tail];
      if (this.#end > end) continue;
      // The piece holds one block.
      const [block] = tail;
      const isCode = block?.token.type === "code" && block.token.raw.length >= piece.trimEnd().length;
      this.#finished.push(isCode ? block : plainBlock(end, piece));
      this.#end = end + piece.length;
    }
  }

  /** Returns the text that is lexed next: a limited piece, or a whole block of fenced code. */
  #nextPiece(): string {
    const from = this.#end;
    if (this.#text.length - from <= maxBlockCharacters) return this.#text.slice(from);
    const [, fence] = /^ {0,3}(`{3,}|~{3,})/.exec(this.#text.slice(from, from + 1000)) ?? [];
    const end = fence === undefined ? from + maxBlockCharacters : this.#codeEnd(fence);
    const lineEnd = this.#text.lastIndexOf("\n", end - 1) + 1;
    return this.#text.slice(from, fence !== undefined || lineEnd <= from ? end : lineEnd);
  }

  /** Returns where the code ends that begins with the fence here. */
  #codeEnd(fence: string): number {
    for (let at = this.#text.indexOf("\n", this.#end); at >= 0; at = this.#text.indexOf("\n", at + 1)) {
      const next = this.#text.indexOf("\n", at + 1);
      const line = this.#text.slice(at + 1, next < 0 ? undefined : next).trim();
      if (line.startsWith(fence) && line === fence.charAt(0).repeat(line.length))
        return next < 0 ? this.#text.length : next + 1;
    }
    return this.#text.length;
  }

  #lex(piece: string): MarkdownBlock[] {
    const lexer = new LimitedLexer();
    lexer.tokens.links = this.#links;
    const blocks: MarkdownBlock[] = [];
    let at = this.#end;
    let depth = this.#depth;
    try {
      for (const token of lexer.lex(piece)) {
        if (token.type === "heading") token.depth = depth = Math.min(token.depth, depth + 1);
        if (token.type !== "space" && token.type !== "def") blocks.push({ start: at, token });
        at += token.raw.length;
      }
      return blocks;
    } catch {
      return [plainBlock(this.#end, piece)];
    }
  }

  /** Moves the blocks that later text cannot change from `tail` to the finished ones. */
  #finish(tail: MarkdownBlock[]): void {
    const last = tail.at(-1);
    const open = last && maybeMarker.test(last.token.raw) ? 2 : 1;
    if (tail.length <= open) return;
    const finished = tail.splice(0, tail.length - open);
    for (const { token } of finished) if (token.type === "heading") this.#depth = token.depth;
    this.#finished.push(...finished);
    this.#end = tail[0]?.start ?? this.#end;
  }

  #reset(): void {
    this.#finished = [];
    this.#end = 0;
    this.#depth = 0;
    this.#links = new LimitedLexer().tokens.links;
  }
}

function plainBlock(start: number, text: string): MarkdownBlock {
  return { start, token: { type: "plain", raw: text } };
}
