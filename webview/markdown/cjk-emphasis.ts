/**
 * Emphasis in Chinese, Japanese and Korean, which have no spaces between words. By CommonMark, `**注意：**请` is none, since
 * a mark follows the punctuation and a letter follows the mark. The rules here are those of
 * https://github.com/tats-u/markdown-cjk-friendly/blob/main/specification.md, for `*` and `~`: punctuation of these scripts
 * counts as a letter, and so does any other beside one of their signs.
 */

/** About the wide and halfwidth signs of https://www.unicode.org/reports/tr11/, without emoji, and Hangul. */
const cjk =
  "[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Bopo}\\p{scx=Hang}\\u3000-\\u303f\\ufe30-\\ufe6f\\uff01-\\uffee]";
/** No delimiter, and no sign that begins or ends another construct. */
const punctuation = "(?![*_~\\\\`])[\\p{P}\\p{S}]";

const isCjk = new RegExp(`^${cjk}$`, "u");
const beforeMarks = new RegExp(`${punctuation}(?=(?:\\*+|~+)([^*~]?))`, "gu");
const signAfterMarks = new RegExp(`(?<![*~])(\\*+|~+)(${punctuation})`, "gu");

/** Replaces punctuation beside marks that may begin and end emphasis there. The length stays the same. */
export function maskPunctuation(src: string): string {
  if (!/[*~]/.test(src)) return src;
  const asLetter = (sign: string, beyond: string) =>
    isCjk.test(sign) || isCjk.test(beyond) ? "x".repeat(sign.length) : sign;
  return src
    .replace(beforeMarks, asLetter)
    .replace(signAfterMarks, (_, marks: string, sign: string, at: number) => marks + asLetter(sign, lastSign(src, at)));
}

/** Returns the sign that ends at an index. */
function lastSign(text: string, end: number): string {
  return [...text.slice(Math.max(0, end - 2), end)].at(-1) ?? "";
}

/** Returns the sign before a mark as CommonMark would have to see it, so that the mark may begin emphasis. */
export function signBefore(sign: string, src: string): string {
  const [, next = ""] = /^(?:\*+|~+)([^*~])/u.exec(src) ?? [];
  return isCjk.test(sign) || isCjk.test(next) ? "" : sign;
}
