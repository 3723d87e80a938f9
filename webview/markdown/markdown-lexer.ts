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
import { blockMaths, inlineMaths, maskMaths, mathsLine } from "../drawings/maths-rules.ts";
import { maskPunctuation, signBefore } from "./cjk-emphasis.ts";

const maxDepth = 16;
/** Emphasis and links are matched in the square of their signs. */
const maxInlineSigns = 1000;
const maxInlineCharacters = 20_000;
const maxTableCells = 10_000;

/** Those of https://github.com/microsoft/vscode/blob/main/src/vs/editor/common/languages/linkComputer.ts, and “”《》【】！？ */
const sentenceMark = /[、。｡､，．：；‘’“”〈〉《》「」｢｣『』【】〔〕（）［］｛｝！？｀～…]/;

class LimitedTokenizer extends Tokenizer {
  /** Whether more text may follow the one that is read. */
  mayGrow = () => false;

  override def(src: string): Tokens.Def | undefined {
    const def = super.def(src);
    // A footnote, which is no link: https://github.blog/changelog/2021-09-30-footnotes-now-supported-in-markdown-fields/
    if (!def || def.tag.startsWith("^")) return undefined;
    const isCut = this.mayGrow() && def.raw.length === src.length;
    // No link has an empty label.
    return isCut ? { ...def, tag: "" } : def;
  }

  override emStrong(src: string, maskedSrc: string, before = ""): Tokens.Em | Tokens.Strong | undefined {
    return super.emStrong(src, maskedSrc, src.startsWith("*") ? signBefore(before, src) : before);
  }

  override del(src: string, maskedSrc: string, before = ""): Tokens.Del | undefined {
    return super.del(src, maskedSrc, signBefore(before, src));
  }

  /** A bare address ends where VS Code ends it, too: before the punctuation of a Chinese or Japanese sentence. */
  override url(src: string): Tokens.Link | undefined {
    const link = super.url(src);
    const end = link?.raw.search(sentenceMark) ?? -1;
    return end < 0 ? link : super.url(src.slice(0, end));
  }

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
    return maskPunctuation(maskMaths(src));
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

  /** @param grows more text may follow: the address of a link at the end is not whole yet */
  constructor(grows = false) {
    const tokenizer = new LimitedTokenizer();
    super({
      // Without the defaults there would be no tables, crossed-out words and bare addresses.
      ...getDefaults(),
      tokenizer,
      hooks: new MathsHooks(),
      extensions: mathsExtension,
    });
    tokenizer.mayGrow = () => grows && this.#depth === 1;
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
