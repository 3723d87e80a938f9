/**
 * A lexer of Markdown whose depth and work are limited, since replies are hostile input: a line of 5,000 `>` would
 * overflow the stack, and a paragraph of 10,000 `*` takes seconds. What exceeds a limit is plain text.
 */
import {
  getDefaults,
  Hooks,
  Lexer,
  type MarkedOptions,
  type Token,
  Tokenizer,
  type TokenizerExtension,
  type Tokens,
  type TokensList,
} from "marked";
import { blockMaths, inlineMaths, maskMaths, mathsLine } from "./maths-rules.ts";

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

/** A formula. `text`: as it was written, with its delimiters. */
export interface MathsToken {
  type: "maths";
  raw: string;
  text: string;
  display: boolean;
}

const mathsBlock: TokenizerExtension["tokenizer"] = (src) => {
  const found = blockMaths(src);
  if (!found) return undefined;
  const { raw } = found;
  const text = raw.trim();
  if (found.type === "open") return { type: "paragraph", raw, text, tokens: plain(text, []) };
  return { type: "maths", raw, text, display: true } satisfies MathsToken;
};

const mathsInline: TokenizerExtension["tokenizer"] = (src, tokens) => {
  const before = tokens.at(-1)?.raw.slice(-1) ?? "";
  const found = inlineMaths(src, before);
  return found && ({ type: "maths", raw: found.raw, text: found.raw, display: found.display } satisfies MathsToken);
};

/** Signs of emphasis in a formula are none. */
class MathsHooks extends Hooks {
  override emStrongMask(src: string): string {
    return maskMaths(src);
  }
}

const mathsExtension: NonNullable<MarkedOptions["extensions"]> = {
  renderers: {},
  childTokens: {},
  block: [mathsBlock],
  startBlock: [mathsLine],
  inline: [mathsInline],
  startInline: [
    (src) => {
      const at = src.search(/\$|\\[([]/);
      return at < 0 ? undefined : at;
    },
  ],
};

export class LimitedLexer extends Lexer {
  #depth = 0;

  constructor() {
    super({
      // Without the defaults there would be no tables, crossed-out words and bare addresses.
      ...getDefaults(),
      tokenizer: new LimitedTokenizer(),
      hooks: new MathsHooks(),
      extensions: mathsExtension,
    });
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
  return src.length > maxInlineCharacters || (src.match(/[*_~`[\]<&!@$\\]/g)?.length ?? 0) > maxInlineSigns;
}

function plain(src: string, tokens: Token[]): Token[] {
  tokens.push({ type: "text", raw: src, text: src, escaped: false });
  return tokens;
}
