/**
 * Where formulas stand in Markdown: `$…$`, `` $`…`$ ``, `$$…$$`, `\(…\)` and `\[…\]`.
 *
 * The rules for dollars are pandoc's (https://pandoc.org/MANUAL.html#extension-tex_math_dollars): an opening `$` has no
 * space to its right, a closing one no space to its left and no digit to its right, and `$$` has no blank line inside.
 * `` $`…`$ `` is GitHub's. Stricter than both, as answers here name prices and shell variables: an inline formula has no
 * further `$` outside of braces, does not begin within a word, and is neither an amount with words after it nor a variable
 * before another one (`$HOME/$PATH`).
 */

export interface FoundMaths {
  /** With its delimiters. */
  raw: string;
  tex: string;
  display: boolean;
}

/**
 * Characters between the delimiters of a formula: the end of each is searched no further, as hostile text has many begins
 * without an end. A paragraph in which formulas are drawn has no more (`markdown-lexer.ts`).
 */
export const longestMaths = 20_000;

/** Before the opening `$` of a formula. */
const withinWord = /[\p{L}\p{N}\\$]$/u;
/** "$5, not 6$", "$20 for a$" */
const amount = /^\d[\d.,]*(?:[kKMB]|bn)?;?\s(?:[a-z]{2,}|a)\b(?! ?[=<>^_])/;
const blankLine = /\n[ \t]*\n/;

/** Returns the formula that begins a text. `before`: what stands before it on the line. */
export function inlineMaths(src: string, before: string): FoundMaths | undefined {
  if (src.startsWith("\\(")) return delimited(src, "\\(", "\\)", false);
  if (src.startsWith("\\[")) {
    const found = delimited(src, "\\[", "\\]", true);
    // In Markdown, `\[` is a bracket that makes no link.
    return found && /[\\^_={}+<>]/.test(found.tex) ? found : undefined;
  }
  if (!src.startsWith("$") || withinWord.test(before)) return undefined;
  if (src.startsWith("$$")) return delimited(src, "$$", "$$", true);
  if (src.startsWith("$`")) return delimited(src, "$`", "`$", false);
  return dollars(src);
}

function delimited(src: string, open: string, close: string, display: boolean): FoundMaths | undefined {
  const end = closing(src, open.length, close);
  if (end < 0) return undefined;
  const tex = src.slice(open.length, end);
  if (tex.trim() === "" || blankLine.test(tex)) return undefined;
  return { raw: src.slice(0, end + close.length), tex: tex.trim(), display };
}

/** Returns where `close` stands that is not escaped; -1: nowhere near. */
function closing(src: string, from: number, close: string): number {
  const near = src.slice(0, from + longestMaths + close.length);
  for (let at = near.indexOf(close, from); at >= 0; at = near.indexOf(close, at + 1)) {
    let slashes = 0;
    while (near[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

function dollars(src: string): FoundMaths | undefined {
  if (!/^\$[^\s$`]/.test(src)) return undefined;
  const end = closingDollar(src);
  if (end < 0) return undefined;
  const tex = src.slice(1, end);
  const next = src.slice(end + 1, end + 2);
  if (/\s$/.test(tex) || /[\d{$]/.test(next) || amount.test(tex)) return undefined;
  // `$n$th` is a formula, `$HOME/$PATH` has two variables.
  if (/[\p{L}_]/u.test(next) && !/[\p{L}\p{N})\]}']$/u.test(tex)) return undefined;
  return { raw: src.slice(0, end + 1), tex, display: false };
}

/** Returns where the first `$` stands that is neither escaped nor in braces; -1: nowhere near, or code begins before. */
function closingDollar(src: string): number {
  const end = Math.min(src.length, longestMaths + 2);
  let depth = 0;
  for (let at = 1; at < end; at++) {
    const sign = src[at];
    if (sign === "\\") at++;
    else if (sign === "{") depth++;
    else if (sign === "}") depth = Math.max(0, depth - 1);
    else if (sign === "`") return -1;
    else if (sign === "$" && depth === 0) return at;
  }
  return -1;
}

/** Returns what stands between the delimiters of a formula that was found. */
export function texOf(raw: string): { tex: string; display: boolean } {
  const display = raw.startsWith("$$") || raw.startsWith("\\[");
  const length = raw.startsWith("$") && !display && !raw.startsWith("$`") ? 1 : 2;
  return { tex: raw.slice(length, -length).trim(), display };
}

/** `open`: its end has not come yet. */
export type FoundBlock = ({ type: "maths" } & FoundMaths) | { type: "open"; raw: string };

const blockStart = /^ {0,3}(\$\$|\\\[)/;

/** Returns the formula that stands alone on the first lines of a text. */
export function blockMaths(src: string): FoundBlock | undefined {
  const [begin = "", open] = blockStart.exec(src) ?? [];
  if (open === undefined) return undefined;
  const close = open === "$$" ? "$$" : "\\]";
  const end = closing(src, begin.length, close);
  if (end < 0 && src.length > begin.length + longestMaths) return undefined;
  const tex = src.slice(begin.length, end < 0 ? undefined : end);
  if (blankLine.test(tex)) return undefined;
  if (end < 0) return isOpen(tex) ? { type: "open", raw: src } : undefined;
  const [rest] = /^[ \t]*(?:\n|$)/.exec(src.slice(end + close.length, end + 1000)) ?? [];
  if (rest === undefined || tex.trim() === "") return undefined;
  return { type: "maths", raw: src.slice(0, end + close.length) + rest, tex: tex.trim(), display: true };
}

/** Whether a text without an end may still become a formula. Otherwise its lines would be lists and headings meanwhile. */
function isOpen(tex: string): boolean {
  const first = tex.split("\n", 1)[0] ?? "";
  return tex.includes("\n") && (first.trim() === "" || /[\\^_=]/.test(first));
}

/** Replaces formulas, so that signs in them are no emphasis. The length stays the same. */
export function maskMaths(src: string): string {
  const parts = src.split("$");
  for (let at = 1; at < parts.length - 1; at++) {
    const inside = parts[at] ?? "";
    if (inside.trim() !== inside || inside === "" || /[`\n]|\\$/.test(inside) || /^\d/.test(parts[at + 1] ?? ""))
      continue;
    parts[at] = "+".repeat(inside.length);
    // What follows is outside again.
    at++;
  }
  const [first = "", ...others] = parts.join("$").split("\\(");
  const masked = others.map((part) => {
    const end = part.indexOf("\\)");
    return end < 0 ? part : "+".repeat(end) + part.slice(end);
  });
  return [first, ...masked].join("\\(");
}

/** Returns where a line begins that may begin a formula; undefined: nowhere. */
export function mathsLine(src: string): number | undefined {
  const at = src.search(/\n {0,3}(?:\$\$|\\\[)/);
  return at < 0 ? undefined : at + 1;
}
