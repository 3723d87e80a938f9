/** Which paths a rule that denies or asks covers (spec T8). Pure. */
import { type CharacterSet, linearMatcher, type TermBuilder } from "../../tools/text/linear-pattern.ts";
import type { TextMatcher } from "../../tools/text/wildcard.ts";

const anyCharacter: CharacterSet = () => true;

/**
 * Compiles a pattern of paths: `*` is any characters, `?` one, `**` and a slash also nothing. What it names includes
 * everything below. Names are compared without letter case, as protected names are; each is relative to its workspace
 * folder, absolute, or begins with `~`.
 */
export function restrictedPath(pattern: string): TextMatcher {
  const plain = plainPattern(pattern);
  const matcher = linearMatcher((terms) => pathTerm(plain, terms));
  return (name) => matcher(plainName(name));
}

function pathTerm(pattern: string, terms: TermBuilder) {
  const any = terms.repeated(terms.one(anyCharacter));
  const below = terms.optional(terms.sequence([terms.literal("/"), any]));
  const pieces = pattern.match(/(?<=\/)\*\*\/|\*+|\?|[^*?]+/g) ?? [];
  const sequence = pieces.map((piece) => {
    if (piece === "?") return terms.one(anyCharacter);
    // At the beginning it means the same as `*/`: relative names begin with `./`.
    if (piece === "**/") return terms.optional(terms.sequence([any, terms.literal("/")]));
    return piece.startsWith("*") ? any : terms.literal(piece);
  });
  return terms.sequence([...sequence, below]);
}

/** Stand for unknown text in the name of a path, with and without `/`. */
const unknownText = "…";
const unknownName = "‥";

/** Whether a pattern of `restrictedPath` covers the name with some text for what is unknown. May err on that side. */
export function mayCoverPath(pattern: string, name: string): boolean {
  const plain = plainPattern(pattern);
  // Each name has a slash before its first part.
  const begun = ["*/", ""].map((begin) => plain.replace(/^\*\*\//, begin).replaceAll("**/", "*"));
  const text = name.startsWith(unknownText) ? folded(name) : plainName(name);
  return begun.some((each) => overlap(each, text) || overlap(`${each}/*`, text));
}

/** Whether some text matches both: `*` and `?` in the pattern, unknown text in the name. Quadratic. */
function overlap(pattern: string, name: string): boolean {
  // For the part of the pattern so far, the ends in the name that it may reach.
  let ends = new Set([0]);
  const isUnknown = (at: number) => name[at] === unknownText || name[at] === unknownName;
  const skipUnknown = (from: Set<number>) => {
    for (const at of from) if (isUnknown(at)) from.add(at + 1);
    return from;
  };
  skipUnknown(ends);
  for (const character of pattern) {
    const next = new Set<number>();
    if (character === "*") {
      for (let at = Math.min(...ends); at <= name.length; at++) next.add(at);
    } else {
      for (const at of ends) {
        if (name[at] === unknownText || (name[at] === unknownName && character !== "/")) next.add(at);
        else if (at < name.length && !isUnknown(at) && (character === "?" || name[at] === character)) next.add(at + 1);
      }
    }
    if (next.size === 0) return false;
    ends = skipUnknown(next);
  }
  return ends.has(name.length);
}

/** Takes away what names the same files: `./`, `..`, double and final slashes, and the stars below a folder. */
function plainPattern(pattern: string): string {
  const names: string[] = [];
  const slashed = folded(pattern);
  for (const name of slashed.split("/")) {
    if (name === "" || name === ".") continue;
    if (name === ".." && names.length > 0 && !/[*?]|^\.\.$/.test(names.at(-1) ?? "")) names.pop();
    else names.push(name);
  }
  while (names.length > 1 && /^\*+$/.test(names.at(-1) ?? "")) names.pop();
  // The root and the workspace folder have no name of their own.
  if (names.length === 0 && slashed !== "") return slashed.startsWith("/") ? "/*" : "./*";
  const joined = names.join("/");
  if (slashed.startsWith("/")) return `/${joined}`;
  return /^([*~]|[a-z]:)/.test(joined) ? joined : `./${joined}`;
}

function plainName(name: string): string {
  const plain = folded(name).replace(/(?<=[^/]|^\/)\/+$/, "");
  return /^([/~]|[a-z]:)/.test(plain) ? plain : `./${plain}`;
}

function folded(text: string): string {
  return text.replaceAll("\\", "/").normalize("NFC").toLowerCase();
}
