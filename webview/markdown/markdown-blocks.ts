/** Splits growing Markdown into top-level blocks; all but the last are final. */
import type { Token, TokensList } from "marked";
import { LimitedLexer } from "./markdown-lexer.ts";

export interface MarkdownBlock {
  readonly start: number;
  /** Of type `plain`: text that is not read as Markdown. */
  readonly token: Token;
}

/** Matches the beginning of a line that may still become an item of the list before it. */
const maybeMarker = /^\s*(?:[-+*]|\d{1,9}[.)]?)?$/;

/** Matches the beginning of a line that may still become the title of the link before it. */
const maybeTitle = /^\s*["'(]/;

/** A longer block is plain text, unless it is code: lists take the square of their length. */
const maxBlockCharacters = 20_000;
/** What follows these blocks is one plain text: a page with many more elements stands still. */
const maxBlocks = 3000;
/**
 * Characters of finished blocks that are lexed again for the definitions of their links. Links of further blocks stay as
 * they are written: ten definitions of links that all blocks use would take seconds.
 */
const maxLinkedAgain = 200_000;

/**
 * Follows one growing text. A finished block is lexed once and keeps its identity, so an update costs as much as the
 * last block; only the definition of a link that it uses changes it. A text that does not continue the previous one starts
 * over.
 */
export class MarkdownBlocks {
  #text = "";
  /** Definitions are among them, but are not shown. */
  #finished: MarkdownBlock[] = [];
  #end = 0;
  /** The levels of the headings above what is next, as they were written. */
  #outline: readonly number[] = [];
  readonly #outlines = new WeakMap<Token, readonly number[]>();
  #links = new LinkDefinitions();
  /** Whether the last definition counts although its address may grow. */
  #isEndRead = false;
  /** Characters. */
  #linkedAgain = 0;

  /** @param grows more text may follow: the address of a link at the end is not whole yet */
  update(source: string, grows = false): MarkdownBlock[] {
    const text = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
    if (!text.startsWith(this.#text) || (this.#isEndRead && text !== this.#text)) this.#reset();
    this.#text = text;
    const tail = this.#read(grows);
    return [...this.#finished, ...tail].filter(({ token }) => token.type !== "def");
  }

  /** Lexes what is new. Returns the blocks that are not finished. */
  #read(grows: boolean): MarkdownBlock[] {
    const text = this.#text;
    for (;;) {
      if (this.#finished.length >= maxBlocks) return [plainBlock(this.#end, text.slice(this.#end))];
      const piece = this.#nextPiece();
      const end = this.#end;
      const isLast = end + piece.length === text.length;
      const tail = this.#lex(piece, grows && isLast);
      this.#define(tail, grows || !isLast);
      this.#finish(tail);
      if (isLast) return tail;
      if (this.#end > end) continue;
      // The piece holds one block.
      const [block] = tail;
      const isCode = block?.token.type === "code" && block.token.raw.length >= piece.trimEnd().length;
      this.#push(isCode ? block : plainBlock(end, piece));
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

  #lex(piece: string, grows: boolean): MarkdownBlock[] {
    const blocks: MarkdownBlock[] = [];
    let at = this.#end;
    let outline = this.#outline;
    try {
      for (const token of this.#tokens(piece, grows)) {
        if (token.type === "heading") {
          outline = [...outline.filter((level) => level < token.depth), token.depth];
          this.#outlines.set(token, outline);
          token.depth = outline.length;
        }
        if (token.type !== "space") blocks.push({ start: at, token });
        at += token.raw.length;
      }
      return blocks;
    } catch {
      return [plainBlock(this.#end, piece)];
    }
  }

  #tokens(text: string, grows: boolean): Token[] {
    const lexer = new LimitedLexer(grows);
    lexer.tokens.links = this.#links.copy();
    return lexer.lex(text);
  }

  /** Reads the definitions of links among new blocks, and makes the links of earlier ones. */
  #define(blocks: readonly MarkdownBlock[], grows: boolean): void {
    const last = blocks.at(-1);
    if (!last) return;
    // Further lines may follow in a list or quotation, but not in a definition whose line is over.
    const isOver = last.token.type === "def" && last.start + last.token.raw.length < this.#text.length;
    const tokens = blocks.map(({ token }) => token);
    this.#linkUsers(this.#links.add(isOver ? tokens : tokens.slice(0, -1)));
    if (isOver || grows) return;
    const { count } = this.#links;
    this.#linkUsers(this.#links.add([last.token]));
    this.#isEndRead ||= this.#links.count > count;
  }

  #linkUsers(numbers: Iterable<number>): void {
    for (const number of numbers) this.#linkAgain(number);
  }

  #linkAgain(number: number): void {
    const block = this.#finished[number];
    if (!block) return;
    const { start, token } = block;
    if (this.#linkedAgain > maxLinkedAgain) return;
    this.#linkedAgain += token.raw.length;
    try {
      const [again, ...others] = this.#tokens(token.raw, false).filter(({ type }) => type !== "space");
      if (again?.type !== token.type || others.length > 0) return;
      again.raw = token.raw;
      if (again.type === "heading" && token.type === "heading") again.depth = token.depth;
      this.#finished[number] = { start, token: again };
    } catch {
      // It stays as it is.
    }
  }

  /** Moves the blocks that later text cannot change from `tail` to the finished ones. */
  #finish(tail: MarkdownBlock[]): void {
    const [former, last] = [tail.at(-2), tail.at(-1)];
    const mayBelong = former?.token.type === "def" ? maybeTitle : maybeMarker;
    const open = last && mayBelong.test(last.token.raw) ? 2 : 1;
    if (tail.length <= open) return;
    for (const block of tail.splice(0, tail.length - open)) this.#push(block);
    this.#end = tail[0]?.start ?? this.#end;
  }

  #push(block: MarkdownBlock): void {
    this.#outline = this.#outlines.get(block.token) ?? this.#outline;
    this.#links.note(block.token, this.#finished.length);
    this.#finished.push(block);
  }

  #reset(): void {
    this.#finished = [];
    this.#end = 0;
    this.#outline = [];
    this.#links = new LinkDefinitions();
    this.#isEndRead = false;
    this.#linkedAgain = 0;
  }
}

function plainBlock(start: number, text: string): MarkdownBlock {
  return { start, token: { type: "plain", raw: text } };
}

// Definitions of links, `[label]: address`, which may stand after the blocks that use them. In a growing answer these
// blocks are finished by then.

type Links = TokensList["links"];

/** https://spec.commonmark.org/0.31.2/#link-label */
const label = /\[((?:\\[\s\S]|[^[\]\\]){1,999})\]/g;

class LinkDefinitions {
  readonly #links: Links = Object.create(null);
  /** The numbers of the blocks that name a label without its definition. */
  readonly #users = new Map<string, number[]>();
  count = 0;

  /** Returns those so far; a lexer adds those of its text. */
  copy(): Links {
    return Object.assign(Object.create(null), this.#links);
  }

  /** Returns the numbers of the earlier blocks that use what is new in these tokens. */
  add(tokens: readonly Token[]): Set<number> {
    const users = new Set<number>();
    for (const { tag, href, title } of definitionsIn(tokens)) {
      // The first one counts.
      if (tag in this.#links) continue;
      this.#links[tag] = { href, title: title ?? null };
      this.count++;
      for (const number of this.#users.get(tag) ?? []) users.add(number);
      this.#users.delete(tag);
    }
    return users;
  }

  /** Notes which definitions would change the block with this number. */
  note(token: Token, number: number): void {
    if (token.type === "code" || token.type === "plain" || token.type === "def") return;
    const tags = [...token.raw.matchAll(label)].map(([, words = ""]) => normalized(words));
    for (const tag of new Set(tags)) {
      if (tag in this.#links) continue;
      const users = this.#users.get(tag);
      if (users) users.push(number);
      else this.#users.set(tag, [number]);
    }
  }
}

interface Definition {
  tag: string;
  href: string;
  title: string | undefined;
}

function definitionsIn(tokens: readonly Token[]): Definition[] {
  return tokens.flatMap((token): Definition[] => {
    // marked's union of tokens is open to extensions, so `type` does not narrow it.
    if (token.type === "def") return token["tag"] === "" ? [] : [token as Token & Definition];
    if (token.type === "list") return definitionsIn(token["items"]);
    return token.type === "blockquote" || token.type === "list_item" ? definitionsIn(token.tokens ?? []) : [];
  });
}

/** As marked does it (`normalizeLabel`): https://spec.commonmark.org/0.31.2/#matches */
function normalized(words: string): string {
  return words.trim().replace(/\s+/g, " ").toLowerCase().toUpperCase().toLowerCase();
}
