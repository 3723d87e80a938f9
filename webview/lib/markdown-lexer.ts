/**
 * A lexer of Markdown whose depth and work are limited, since replies are hostile input: a line of 5,000 `>` would
 * overflow the stack, and a paragraph of 10,000 `*` takes seconds. What exceeds a limit is plain text.
 */
import { getDefaults, Lexer, type Token, Tokenizer, type Tokens, type TokensList } from "marked";

const maxDepth = 16;
/** Emphasis and links are matched in the square of their signs. */
const maxInlineSigns = 1000;
const maxInlineCharacters = 20_000;
const maxTableCells = 10_000;

class LimitedTokenizer extends Tokenizer {
  override table(src: string): Tokens.Table | undefined {
    const queued = this.lexer.inlineQueue.length;
    const table = super.table(src);
    if (!table || table.header.length * (table.rows.length + 1) <= maxTableCells) return table;
    this.lexer.inlineQueue.length = queued;
    return undefined;
  }
}

export class LimitedLexer extends Lexer {
  #depth = 0;

  constructor() {
    // Without the defaults there would be no tables, crossed-out words and bare addresses.
    super({ ...getDefaults(), tokenizer: new LimitedTokenizer() });
  }

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] {
    return this.#nested(src, tokens, () => super.blockTokens(src, tokens, lastParagraphClipped));
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (isTooMuch(src)) return plain(src, tokens);
    return this.#nested(src, tokens, () => super.inlineTokens(src, tokens));
  }

  #nested(src: string, tokens: Token[], read: () => Token[]): Token[] {
    if (this.#depth >= maxDepth) return plain(src, tokens);
    this.#depth++;
    try {
      return read();
    } finally {
      this.#depth--;
    }
  }
}

function isTooMuch(src: string): boolean {
  if (src.length <= maxInlineSigns) return false;
  return src.length > maxInlineCharacters || (src.match(/[*_~`[\]<&!@]/g)?.length ?? 0) > maxInlineSigns;
}

function plain(src: string, tokens: Token[]): Token[] {
  tokens.push({ type: "text", raw: src, text: src, escaped: false });
  return tokens;
}
