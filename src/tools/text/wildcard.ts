/**
 * Wildcards of permission rules and patterns of paths, matched in linear time: they come from models and workspaces,
 * and are tried on names and commands of any length. Pure.
 */
import { type CharacterSet, linearMatcher, type Term, type TermBuilder } from "./linear-pattern.ts";

/** Whether a whole text matches. */
export type TextMatcher = (text: string) => boolean;

const anyCharacter: CharacterSet = () => true;

/** Compiles `*` (any characters) and `?` (one). A final ` *` also matches nothing: `npm test *` covers `npm test`. */
export function wildcardMatcher(pattern: string): TextMatcher {
  return linearMatcher((terms) => wildcard(pattern, terms));
}

/** Compiles a wildcard that matches a text which holds it at the start or after a separator. */
export function wildcardMatcherAfter(isSeparator: CharacterSet, pattern: string): TextMatcher {
  return linearMatcher((terms) => {
    const any = terms.repeated(terms.one(anyCharacter));
    const before = terms.sequence([any, terms.one(isSeparator)]);
    return terms.sequence([terms.optional(before), wildcard(pattern, terms), any]);
  });
}

function wildcard(pattern: string, terms: TermBuilder): Term {
  const any = terms.repeated(terms.one(anyCharacter));
  const isOptional = pattern.endsWith(" *");
  const pieces = (isOptional ? pattern.slice(0, -2) : pattern).match(/\*+|\?|[^*?]+/g) ?? [];
  const sequence = pieces.map((piece) => {
    if (piece === "?") return terms.one(anyCharacter);
    return piece.startsWith("*") ? any : terms.literal(piece);
  });
  if (isOptional) sequence.push(terms.optional(terms.sequence([terms.literal(" "), any])));
  return terms.sequence(sequence);
}
