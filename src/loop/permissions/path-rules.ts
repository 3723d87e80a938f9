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
  const pieces = pattern.match(/(?<=^|\/)\*\*\/|\*+|\?|[^*?]+?(?=\*|\?|$)/g) ?? [];
  const sequence = pieces.map((piece) => {
    if (piece === "?") return terms.one(anyCharacter);
    // Relative names begin with `./`, so this is also the beginning of each.
    if (piece === "**/") return terms.optional(terms.sequence([any, terms.literal("/")]));
    return piece.startsWith("*") ? any : terms.literal(piece);
  });
  return terms.sequence([...sequence, below]);
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
  const joined = names.join("/");
  if (slashed.startsWith("/")) return `/${joined}`;
  return /^([*~]|[a-z]:)/.test(joined) ? joined : `./${joined}`;
}

function plainName(name: string): string {
  const plain = folded(name).replace(/(?<=.)\/+$/, "");
  return /^([/~]|[a-z]:)/.test(plain) ? plain : `./${plain}`;
}

function folded(text: string): string {
  return text.replaceAll("\\", "/").normalize("NFC").toLowerCase();
}
