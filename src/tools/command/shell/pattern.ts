/**
 * Patterns of words that are not known before the command runs: a shell's wildcards, and marks for unknown text. Where
 * shells and locales differ, a pattern matches more. Pure.
 *
 * Source: bash(1) 5.2, "Brace Expansion" and "Pattern Matching".
 */
import { type CharacterSet, linearMatcher, type Term, type TermBuilder } from "../../text/linear-pattern.ts";

/** Marks stand for unknown text in patterns. No word of a shell holds these characters. */
export const marks = {
  /** Any text. In a path it may also lead to parent folders. */
  any: "\0",
  /** Any text without `..`: what programs print that search below a folder. */
  below: "\u0001",
  /** As `below`, but not the path of a file that git ignores. */
  tracked: "\u0002",
  /** A name without `/`. */
  name: "\u0003",
  number: "\u0004",
} as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the marks
const mark = /[\0-\u0004]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the marks
const wholeMark = /^[\0-\u0002]+$/;

/** Whether a part of the pattern is unknown, and not only a wildcard. */
export const holdsMark = (pattern: string) => mark.test(pattern);

/** Whether nothing is known about a path but that it may lie below the folder. */
export const isWholly = (pattern: string) => wholeMark.test(pattern);

/** Returns a pattern that matches exactly the text. */
export function escaped(text: string): string {
  return text.replace(/[*?[\]\\!^+@|(){},]/g, "\\$&");
}

export function unescaped(pattern: string): string {
  return pattern.replace(/\\(.)/gs, "$1");
}

/** Whether the pattern matches several texts. */
export function isWild(pattern: string): boolean {
  return holdsMark(pattern) || /[*?[]|[+@!]\(/.test(pattern.replace(/\\./gs, ""));
}

const maxAlternatives = 64;

/** Expands braces as bash does; undefined when there are too many alternatives. */
export function expandBraces(pattern: string): string[] | undefined {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const found = firstBraces(next);
    if (!found) done.push(next);
    else {
      const { start, end, parts } = found;
      const [before, after] = [next.slice(0, start), next.slice(end + 1)];
      for (const part of parts.reverse()) open.push(before + part + after);
    }
    if (done.length + open.length > maxAlternatives) return undefined;
  }
  return done;
}

/** Returns the first braces that hold a list or a sequence. */
function firstBraces(text: string): { start: number; end: number; parts: string[] } | undefined {
  for (let start = 0; start < text.length; start++) {
    if (text[start] === "\\") start++;
    else if (text[start] === "{") {
      const parts = listAt(text, start);
      if (parts) return { start, end: start + parts.join(",").length + 1, parts: sequence(parts) ?? parts };
    }
  }
  return undefined;
}

/** Returns what the commas separate in the braces at `start`; undefined if they are plain text. */
function listAt(text: string, start: number): string[] | undefined {
  const parts: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === "{") depth++;
    else if (character === "," && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    } else if (character === "}" && depth-- === 0) {
      parts.push(text.slice(from, at));
      return parts.length > 1 || sequence(parts) ? parts : undefined;
    }
  }
  return undefined;
}

/** Expands `1..3` and `a..c..2`. A long sequence matches any text. */
function sequence([only = "", ...others]: readonly string[]): string[] | undefined {
  const found = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.-?(\d+))?$/.exec(only);
  if (!found || others.length > 0) return undefined;
  const [, first = "", last = "", step = "1"] = found;
  const isNumbers = [first, last].every((one) => /\d/.test(one));
  if (!isNumbers && [first, last].some((one) => /\d/.test(one))) return undefined;
  const [from, to] = [first, last].map((one) => (isNumbers ? Number(one) : one.charCodeAt(0))) as [number, number];
  const by = Math.max(1, Number(step)) * (from <= to ? 1 : -1);
  // Numbers may be padded with zeros.
  const isPadded = isNumbers && /^-?0\d/.test(`${first}`.length > `${last}`.length ? first : last);
  if (isPadded || Math.abs(to - from) / Math.abs(by) > 40) return [isNumbers ? marks.number : marks.name];
  const all: string[] = [];
  for (let at = from; by > 0 ? at <= to : at >= to; at += by) {
    all.push(isNumbers ? String(at) : escaped(String.fromCharCode(at)));
  }
  return all;
}

const compiled = new Map<string, (text: string) => boolean>();
/** Beyond this number a pattern matches any text: each wildcard costs time for each character. */
const maxWildcards = 100;

/** Compiles a pattern for whole texts. Wildcards do not match `/`, but marks do. Letter case is ignored. */
export function patternMatcher(pattern: string): (text: string) => boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the marks
  if ((pattern.match(/[*?[\0-\u0004]|[+@!]\(/g)?.length ?? 0) > maxWildcards) return () => true;
  let matcher = compiled.get(pattern);
  if (!matcher) {
    if (compiled.size > 500) compiled.clear();
    const inner = linearMatcher((terms) => new PatternReader(pattern, terms).whole());
    matcher = (text) => inner(text);
    compiled.set(pattern, matcher);
  }
  return matcher;
}

const anyCharacter: CharacterSet = () => true;
const notSlash: CharacterSet = (character) => character !== 47;
const numeric: CharacterSet = (character) => character === 45 || (character >= 48 && character <= 57);

class PatternReader {
  readonly #characters: readonly string[];
  readonly #terms: TermBuilder;
  #at = 0;
  /** The end of a bracket was not found for sure: whatever follows it matches any text, and may have ended a group. */
  #isEndUnclear = false;

  constructor(pattern: string, terms: TermBuilder) {
    this.#characters = Array.from(pattern);
    this.#terms = terms;
  }

  whole(): Term {
    return this.#sequence("");
  }

  /** Reads up to one of the `ends`, or to the end. Within a group, other parentheses come in pairs. */
  #sequence(ends: string): Term {
    const found: Term[] = [];
    let depth = 0;
    for (; this.#at < this.#characters.length; this.#at++) {
      const character = this.#characters[this.#at] ?? "";
      if (depth === 0 && ends.includes(character)) break;
      if (character === "(") depth++;
      else if (character === ")") depth--;
      found.push(this.#one(character));
    }
    return this.#terms.sequence(found);
  }

  /** Reads what begins with `character`, and stops at its last character. */
  #one(character: string): Term {
    const many = (set: CharacterSet) => this.#terms.repeated(this.#terms.one(set));
    if ("*?+@!".includes(character) && this.#characters[this.#at + 1] === "(") {
      const group = this.#group(character);
      if (group) return group;
    }
    switch (character) {
      case marks.any:
      case marks.below:
      case marks.tracked:
        return many(anyCharacter);
      case marks.name:
        return many(notSlash);
      case marks.number:
        return many(numeric);
      case "*":
        return many(notSlash);
      case "?":
        return this.#terms.one(notSlash);
      case "[":
        return this.#bracket();
      case "\\":
        this.#at++;
        return this.#terms.one(sameLetter(this.#characters[this.#at] ?? "\\"));
      default:
        return this.#terms.one(sameLetter(character));
    }
  }

  /** Reads `@(a|b)` and the like, which only some shells know. */
  #group(kind: string): Term | undefined {
    const start = this.#at;
    this.#at += 2;
    const options: Term[] = [];
    for (;;) {
      options.push(this.#sequence("|)"));
      const end = this.#characters[this.#at];
      if (end === undefined && !this.#isEndUnclear) {
        this.#at = start;
        return undefined;
      }
      if (end === undefined || end === ")") break;
      this.#at++;
    }
    const either = this.#terms.either(options);
    if (kind === "!") return this.#terms.repeated(this.#terms.one(notSlash));
    if (kind === "@") return either;
    if (kind === "?") return this.#terms.optional(either);
    const repeated = this.#terms.repeated(either);
    return kind === "*" ? repeated : this.#terms.sequence([either, repeated]);
  }

  #bracket(): Term {
    const start = this.#at;
    const bracket = readBracket(this.#characters, start);
    if (bracket === "unclear") {
      this.#isEndUnclear = true;
      this.#at = this.#characters.length;
      return this.#terms.repeated(this.#terms.one(anyCharacter));
    }
    if (!bracket) return this.#terms.one(sameLetter("["));
    this.#at = bracket.end;
    const { isNegated, items } = bracket;
    return this.#terms.one((character) => {
      if (!notSlash(character)) return false;
      const text = String.fromCodePoint(character);
      return isNegated ? !items.some(({ surely }) => surely(text)) : items.some(({ maybe }) => maybe(text));
    });
  }
}

function sameLetter(wanted: string): CharacterSet {
  const codes = [wanted, wanted.toLowerCase(), wanted.toUpperCase()].map((one) => one.codePointAt(0));
  return (character) => codes.includes(character);
}

/** A part of a bracket expression. Locales and options of the shell decide what lies between `maybe` and `surely`. */
interface BracketItem {
  maybe: (character: string) => boolean;
  surely: (character: string) => boolean;
}

/**
 * Reads the bracket expression at `start`; undefined if the bracket is plain text. For some, bash finds another end for a
 * character that is in the expression than for one that is not (`BRACKMATCH` in its lib/glob/sm_loop.c): "unclear".
 */
function readBracket(
  characters: readonly string[],
  start: number,
): { isNegated: boolean; items: BracketItem[]; end: number } | "unclear" | undefined {
  let at = start + 1;
  const isNegated = /^[!^]$/.test(characters[at] ?? "");
  if (isNegated) at++;
  const first = at;
  const items: BracketItem[] = [];
  while (at < characters.length) {
    const character = characters[at] ?? "";
    if (character === "]" && at > first) return { isNegated, items, end: at };
    // In a path, a bracket does not span folders.
    if (character === "/") return undefined;
    const named = character === "[" ? readNamed(characters, at) : undefined;
    if (isEndUnclear(characters, at, named?.end)) return "unclear";
    const low = named ? { text: "", end: named.end } : literalAt(characters, at);
    const isRange = characters[low.end + 1] === "-" && !/^(\]|)$/.test(characters[low.end + 2] ?? "");
    if (!isRange) {
      if (named) items.push(named.item);
      else items.push(single(low.text), ...(low.end > at ? [single("\\", false)] : []));
      at = low.end + 1;
      continue;
    }
    const symbol = characters[low.end + 2] === "[" ? readNamed(characters, low.end + 2) : undefined;
    const high = symbol ? { text: "", end: symbol.end } : literalAt(characters, low.end + 2);
    items.push(range(low.text, high.text));
    at = high.end + 1;
  }
  return undefined;
}

/** Whether bash may find another end of the bracket expression, seen from its item at `at`. `end`: of a named item. */
function isEndUnclear(characters: readonly string[], at: number, end: number | undefined): boolean {
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

/** Reads `[:lower:]`, `[=a=]` and `[.hyphen.]` inside of a bracket expression. */
function readNamed(characters: readonly string[], at: number): { item: BracketItem; end: number } | undefined {
  const kind = characters[at + 1] ?? "";
  if (!/^[:=.]$/.test(kind)) return undefined;
  const end = characters.findIndex((one, index) => index > at + 2 && one === "]" && characters[index - 1] === kind);
  if (end < 0) return undefined;
  const name = characters.slice(at + 2, end - 1).join("");
  if (!/^(\w+|[^[\]])$/su.test(name) || (kind === "=" && Array.from(name).length !== 1)) return undefined;
  if (kind === ":") return { item: classItem(name), end };
  const isOne = Array.from(name).length === 1;
  const same = isOne ? single(name) : anything;
  return { item: kind === "=" ? { ...same, maybe: (one) => same.maybe(one) || !isAscii(one) } : same, end };
}

const anything: BracketItem = { maybe: () => true, surely: () => false };
const isAscii = (character: string) => character.charCodeAt(0) < 128;

function single(wanted: string, surely = true): BracketItem {
  if (holdsMark(wanted)) return anything;
  const lower = wanted.toLowerCase();
  return { maybe: (one) => one.toLowerCase() === lower, surely: (one) => surely && one === wanted };
}

/** The order of characters depends on the locale, except within digits and within ASCII letters of one case. */
function range(low: string, high: string): BracketItem {
  const isPlain = [/^[a-z]+$/, /^[A-Z]+$/, /^\d+$/].some((kind) => kind.test(low + high)) && low !== "" && high !== "";
  const isWithin = (one: string) => low <= one && one <= high;
  const cases = (one: string) => [one, one.toLowerCase(), one.toUpperCase()];
  if (!isPlain) return anything;
  return {
    maybe: (one) => !isAscii(one) || one === "-" || cases(one).some(isWithin),
    surely: (one) => isAscii(one) && isWithin(one),
  };
}

const classes: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z\d]/,
  alpha: /[A-Za-z]/,
  ascii: /\p{ASCII}/u,
  blank: /[ \t]/,
  cntrl: /\p{Cc}/u,
  digit: /\d/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  word: /\w/,
  xdigit: /[\dA-Fa-f]/,
};

function classItem(name: string): BracketItem {
  const known = Object.hasOwn(classes, name) ? classes[name] : undefined;
  if (!known) return anything;
  return {
    maybe: (one) => !isAscii(one) || [one, one.toLowerCase(), one.toUpperCase()].some((each) => known.test(each)),
    surely: (one) => isAscii(one) && known.test(one),
  };
}
