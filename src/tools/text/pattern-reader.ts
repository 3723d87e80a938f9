/**
 * Reads the patterns of shells into terms that are matched in linear time: `*`, `?`, `[…]`, `@(a|b)` and `\`, as bash(1)
 * 5.2 has them under "Pattern Matching". No wildcard matches `/`. Pure.
 *
 * What a model searches files by (glob-pattern.ts) has one meaning, and `**` and braces. What stands in a command
 * (../command/shell/pattern.ts) is read before it is known which shell, options and locale it meets, so there a pattern
 * matches whatever it may match in one of them.
 */
import { type CharacterSet, linearMatcher, type Term, type TermBuilder } from "./linear-pattern.ts";
import type { TextMatcher } from "./wildcard.ts";

const slash = 47;
export const anyCharacter: CharacterSet = () => true;
export const withinName: CharacterSet = (character) => character !== slash;

/** How a language of patterns is written, where they differ. */
interface Syntax {
  /** Whether braces hold a choice: `{a,b}`. */
  readonly hasBraces: boolean;
  /** Whether any text may follow a bracket expression whose end is not clear, the ends of open groups included. */
  readonly doubtsEnds: boolean;
}

/** Reads one pattern. What its pieces mean is told by a class for each language. */
export abstract class PatternReader {
  protected readonly characters: readonly string[];
  protected readonly terms: TermBuilder;
  /** Index of each opening brace, and of each parenthesis that opens a group, with that of the closing one. */
  protected readonly ends: ReadonlyMap<number, number>;
  /** Any part of a name. */
  protected readonly inName: Term;
  protected at = 0;
  readonly #brackets: ReadonlyMap<number, Bracket>;
  readonly #doubtsEnds: boolean;

  constructor(pattern: string, terms: TermBuilder, syntax: Syntax) {
    this.characters = Array.from(pattern);
    this.terms = terms;
    const { ends, brackets } = structureOf(this.characters, syntax);
    this.ends = ends;
    this.inName = terms.repeated(terms.one(withinName));
    this.#brackets = brackets;
    this.#doubtsEnds = syntax.doubtsEnds;
  }

  static matcher(pattern: string, Reader: new (pattern: string, terms: TermBuilder) => PatternReader): TextMatcher {
    return linearMatcher((terms) => new Reader(pattern, terms).#whole());
  }

  #whole(): Term {
    return this.sequence("", this.characters.length);
  }

  /** What a character matches that stands for itself. */
  protected abstract literal(character: string): CharacterSet;

  protected abstract set(bracket: Bracket): CharacterSet;

  /** What `!(…)` matches. `choice`: what it excludes. */
  protected abstract not(choice: Term): Term;

  protected peek(ahead = 0): string {
    return this.characters[this.at + ahead] ?? "";
  }

  /** Reads up to a separator, or to `end`. Between the parentheses of a group, others come in pairs. */
  protected sequence(separator: string, end: number): Term {
    const pieces: Term[] = [];
    let depth = 0;
    while (this.at < end) {
      const character = this.peek();
      if (depth === 0 && character === separator) break;
      if (separator === "|" && character === "(") depth++;
      else if (separator === "|" && character === ")") depth--;
      pieces.push(this.piece());
    }
    return this.terms.sequence(pieces);
  }

  /** Reads what separators part, to behind `end`. */
  protected options(separator: string, end: number): Term {
    const options: Term[] = [];
    do options.push(this.sequence(separator, end));
    while (this.at++ < end);
    return this.terms.either(options);
  }

  protected piece(): Term {
    const end = this.peek(1) === "(" ? this.ends.get(this.at + 1) : undefined;
    // Where its end is not clear, neither is whether it is a group.
    if (end === this.characters.length) return this.#anything();
    if (end !== undefined) return this.group(this.peek(), end);
    switch (this.peek()) {
      case "*":
        return this.star();
      case "?":
        this.at++;
        return this.terms.one(withinName);
      case "[":
        return this.#bracket();
      case "\\":
        if (this.peek(1) !== "") this.at++;
    }
    return this.itself();
  }

  protected itself(): Term {
    const term = this.terms.one(this.literal(this.peek()));
    this.at++;
    return term;
  }

  protected star(): Term {
    this.at++;
    return this.inName;
  }

  /** `@(a|b)` once, `?(…)` at most once, `*(…)` any number, `+(…)` at least once, `!(…)` anything else in the name. */
  protected group(kind: string, end: number): Term {
    this.at += 2;
    const choice = this.options("|", end);
    if (kind === "!") return this.not(choice);
    if (kind === "@") return choice;
    if (kind === "?") return this.terms.optional(choice);
    const repeated = this.terms.repeated(choice);
    return kind === "*" ? repeated : this.terms.sequence([choice, repeated]);
  }

  #bracket(): Term {
    const bracket = this.#brackets.get(this.at);
    if (bracket?.isEndUnclear && this.#doubtsEnds) return this.#anything();
    if (bracket?.end === undefined) return this.itself();
    this.at = bracket.end + 1;
    const isMember = this.set(bracket);
    return this.terms.one((character) => withinName(character) && isMember(character));
  }

  /** Passes over the rest of the pattern. */
  #anything(): Term {
    this.at = this.characters.length;
    return this.terms.repeated(this.terms.one(anyCharacter));
  }
}

/** Finds in one pass what belongs together: a reader that only tried would try what is not closed again and again. */
function structureOf(characters: readonly string[], { hasBraces, doubtsEnds }: Syntax) {
  const ends = new Map<number, number>();
  const brackets = new Map<number, Bracket>();
  /** `inner`: how many other parentheses are open in it. */
  const open: { at: number; close: string; inner: number }[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    const last = open.at(-1);
    if (character === "\\") at++;
    else if (character === "[") {
      const bracket = readBracket(characters, at);
      brackets.set(at, bracket);
      if (bracket.isEndUnclear && doubtsEnds) {
        for (const { at: start } of open) ends.set(start, characters.length);
        break;
      }
      at = bracket.end ?? at;
    } else if (/[@?*+!]/.test(character) && characters[at + 1] === "(") open.push({ at: ++at, close: ")", inner: 0 });
    else if (hasBraces && character === "{") open.push({ at, close: "}", inner: 0 });
    else if (character === "(" && last?.close === ")") last.inner++;
    else if (character === ")" && last?.close === ")" && last.inner > 0) last.inner--;
    else {
      const index = open.findLastIndex(({ close }) => close === character);
      const [opened] = index < 0 ? [] : open.splice(index);
      if (opened) ends.set(opened.at, at);
    }
  }
  return { ends, brackets };
}

/** A bracket expression, `[…]`. */
export interface Bracket {
  readonly isNegated: boolean;
  readonly items: readonly BracketItem[];
  /** Index of its `]`; undefined: the `[` stands for itself. */
  readonly end: number | undefined;
  /**
   * Whether bash finds another end for a character that is in the expression than for one that is not (`BRACKMATCH` in
   * its lib/glob/sm_loop.c).
   */
  readonly isEndUnclear: boolean;
}

export type BracketItem =
  | { readonly type: "character"; readonly text: string; readonly isEscaped: boolean }
  /** An end is empty where it is the name of a symbol, or a class. */
  | { readonly type: "range"; readonly low: string; readonly high: string }
  /** `[:lower:]`, `[=a=]` and `[.hyphen.]` */
  | { readonly type: "class" | "equivalents" | "symbol"; readonly name: string };

/** Reads the bracket expression at `start`. */
function readBracket(characters: readonly string[], start: number): Bracket {
  let at = start + 1;
  const isNegated = /^[!^]$/.test(characters[at] ?? "");
  if (isNegated) at++;
  const first = at;
  const items: BracketItem[] = [];
  let isEndUnclear = false;
  while (at < characters.length) {
    const character = characters[at] ?? "";
    if (character === "]" && at > first) return { isNegated, items, end: at, isEndUnclear };
    // In a path, a bracket does not span folders.
    if (character === "/") break;
    const named = character === "[" ? readNamed(characters, at) : undefined;
    isEndUnclear ||= mayEndElsewhere(characters, at, named?.end);
    const low = named ? { text: "", end: named.end } : literalAt(characters, at);
    const isRange = characters[low.end + 1] === "-" && !/^(\]|)$/.test(characters[low.end + 2] ?? "");
    if (!isRange) {
      items.push(named?.item ?? { type: "character", text: low.text, isEscaped: low.end > at });
      at = low.end + 1;
      continue;
    }
    const symbol = characters[low.end + 2] === "[" ? readNamed(characters, low.end + 2) : undefined;
    const high = symbol ? { text: "", end: symbol.end } : literalAt(characters, low.end + 2);
    items.push({ type: "range", low: low.text, high: high.text });
    at = high.end + 1;
  }
  return { isNegated, items, end: undefined, isEndUnclear };
}

/** Whether bash may find another end of the bracket expression, seen from its item at `at`. `end`: of a named item. */
function mayEndElsewhere(characters: readonly string[], at: number, end: number | undefined): boolean {
  const opensName = (place: number) => characters[place] === "[" && /^[:=.]$/.test(characters[place + 1] ?? "");
  // What is no name is plain text for one reader, and an open bracket for the other.
  const last = end ?? literalAt(characters, at).end;
  if (end === undefined && opensName(last)) return true;
  // Only a symbol can end a range; a class there is plain text for the one who reads the range.
  const high = literalAt(characters, last + 2).end;
  const isSymbol = high === last + 2 && characters[high + 1] === ".";
  if (characters[last + 1] === "-" && opensName(high) && !isSymbol) return true;
  if (end === undefined || characters[at + 1] === ".") return false;
  // No range begins with a class, but one may begin with the hyphen after it.
  if (characters[last + 1] === "-") return characters.some((_, place) => place > last && opensName(place));
  // The bracket after an equivalence class that does not match is taken as one of the characters.
  return characters[at + 1] === "=" && characters[last + 1] === "]" && characters.includes("]", last + 2);
}

function literalAt(characters: readonly string[], at: number): { text: string; end: number } {
  const end = characters[at] === "\\" && at + 1 < characters.length ? at + 1 : at;
  return { text: characters[end] ?? "", end };
}

const kinds = { ":": "class", "=": "equivalents", ".": "symbol" } as const;

/** Reads `[:lower:]`, `[=a=]` and `[.hyphen.]` inside of a bracket expression. */
function readNamed(characters: readonly string[], at: number): { item: BracketItem; end: number } | undefined {
  const mark = characters[at + 1];
  if (mark !== ":" && mark !== "=" && mark !== ".") return undefined;
  const end = characters.findIndex((one, index) => index > at + 2 && one === "]" && characters[index - 1] === mark);
  if (end < 0) return undefined;
  const name = characters.slice(at + 2, end - 1).join("");
  if (!/^(\w+|[^[\]])$/su.test(name) || (mark === "=" && Array.from(name).length !== 1)) return undefined;
  return { item: { type: kinds[mark], name }, end };
}

/** The classes of POSIX and bash, as far as programs name files with them. */
const classes: ReadonlyMap<string, RegExp> = new Map([
  ["alnum", /[\p{L}\p{Nd}]/u],
  ["alpha", /\p{L}/u],
  ["ascii", /\p{ASCII}/u],
  ["blank", /[ \t]/],
  ["cntrl", /\p{Cc}/u],
  ["digit", /\d/],
  ["graph", /[^\s\p{Cc}]/u],
  ["lower", /\p{Ll}/u],
  ["print", /\P{Cc}/u],
  ["punct", /[!-/:-@[-`{-~]/],
  ["space", /\s/],
  ["upper", /\p{Lu}/u],
  ["word", /\w/],
  ["xdigit", /[\da-f]/i],
]);

/** Whether a character belongs to a class; undefined for a class without a known meaning. */
export function classTest(name: string): ((character: string) => boolean) | undefined {
  const known = classes.get(name);
  return known && ((character) => known.test(character));
}

/** What braces count through. */
export interface BraceSequence {
  readonly isNumeric: boolean;
  /** A number, or the code point of a letter; `count` of them, each `by` from the last. */
  readonly from: number;
  readonly by: number;
  readonly count: number;
  /** To how many characters bash fills numbers up with zeros; 0: not at all. */
  readonly width: number;
}

/** Reads what stands between braces, such as `1..9..2` and `c..a`. Source: bash(1) 5.2, "Brace Expansion". */
export function braceSequence(text: string): BraceSequence | undefined {
  const [, first = "", last = "", step = "1"] =
    /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.-?(\d+))?$/.exec(text) ?? [];
  const isNumeric = /\d/.test(first);
  if (first === "" || isNumeric !== /\d/.test(last)) return undefined;
  const [from, to] = isNumeric ? [Number(first), Number(last)] : [first.charCodeAt(0), last.charCodeAt(0)];
  const size = Math.max(1, Number(step));
  const isExact = [from, to, size].every(Number.isSafeInteger);
  const isPadded = [first, last].some((end) => /^-?0\d/.test(end));
  return {
    isNumeric,
    from,
    by: from <= to ? size : -size,
    count: isExact ? Math.floor(Math.abs(to - from) / size) + 1 : Number.POSITIVE_INFINITY,
    width: isPadded ? Math.max(first.length, last.length) : 0,
  };
}
