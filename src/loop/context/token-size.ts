/**
 * Estimates how many tokens a text has, by the kinds of its characters. What a server reports goes before it (C2).
 * test/loop/token-size.test.ts has a table of its errors against real tokenizers.
 */

/** Tokens of one character outside ASCII. */
const weights = {
  accented: 1,
  greek: 0.6,
  cyrillic: 0.42,
  otherScript: 0.85,
  cjk: 1,
  symbol: 0.8,
} as const;

const space = 0;
const sign = 1;
const lower = 2;
const upper = 3;
const digit = 4;
const other = 5;

/** Kinds of all characters: a function that is called for each is slow until it is compiled. */
const kinds = new Uint8Array(0x10000)
  .fill(other)
  .fill(space, 0, 0x21)
  .fill(sign, 0x21, 0x80)
  .fill(digit, 48, 58)
  .fill(upper, 65, 91)
  .fill(lower, 97, 123);

/** Called for all text of a conversation: reads each character once. */
export function sizeOfText(text: string): number {
  const { length } = text;
  let tokens = 0;
  let at = 0;
  let kind = kinds[text.charCodeAt(0)] ?? other;
  while (at < length) {
    const begin = at;
    if (kind === other) {
      tokens += weightOf(text.charCodeAt(at++));
      kind = at < length ? (kinds[text.charCodeAt(at)] ?? other) : other;
      continue;
    }
    if (kind < lower) {
      const run = kind;
      let lineBreak = -1;
      do {
        if (text.charCodeAt(at) === 10) lineBreak = at;
        kind = ++at < length ? (kinds[text.charCodeAt(at)] ?? other) : other;
      } while (kind === run);
      tokens += run === space ? sizeOfSpace(begin, at, lineBreak) : sizeOfSigns(at - begin, kind);
      continue;
    }
    let pieces = 0;
    let changes = 0;
    let piece = at;
    do {
      const before = kind;
      kind = ++at < length ? (kinds[text.charCodeAt(at)] ?? other) : other;
      if (kind === before || (before === upper && kind === lower)) continue;
      pieces += sizeOfPiece(before, at - piece);
      changes += 1;
      piece = at;
    } while (kind >= lower && kind !== other);
    tokens += sizeOfWord(at - begin, pieces, changes - 1);
  }
  return Math.ceil(tokens);
}

/** A name is as many words as it is made of; what changes between cases and digits all the time is a hash or base64. */
function sizeOfWord(length: number, pieces: number, changes: number): number {
  if (length < 4 || changes < 2) return pieces;
  const randomness = Math.min(1, Math.max(0, changes / length - 0.2) / 0.1);
  return randomness * (length / 1.55) + (1 - randomness) * pieces;
}

/** Three digits are a token, as are most words, in English. */
function sizeOfPiece(kind: number, length: number): number {
  if (kind === digit) return Math.ceil(length / 3);
  if (length <= 6) return 1;
  return length <= 16 ? 1 + 0.14 * (length - 6) : length / 3.5;
}

/** A space belongs to the word after it; line breaks and an indentation are a token each. */
function sizeOfSpace(begin: number, end: number, lineBreak: number): number {
  if (lineBreak < 0) return end - begin === 1 ? 0.05 : 0.8;
  return end - lineBreak > 2 ? 1.35 : 0.75;
}

/** Signs that stand together are often one token, and one before a word belongs to it. */
function sizeOfSigns(length: number, next: number): number {
  if (length === 1) return next === lower || next === upper ? 0.6 : 0.95;
  return length <= 8 ? 0.5 + 0.27 * length : 2.6 + length / 16;
}

/** By the blocks of Unicode; halves of surrogate pairs count like letters of Chinese, so that an emoji is two tokens. */
function weightOf(code: number): number {
  if (code < 0x370) return weights.accented;
  if (code < 0x400) return weights.greek;
  if (code < 0x530) return weights.cyrillic;
  if (code < 0x2000) return weights.otherScript;
  return code < 0x2e80 ? weights.symbol : weights.cjk;
}
