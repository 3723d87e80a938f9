/**
 * Patterns of words that are not known before the command runs: a shell's wildcards, and marks for unknown text. Where
 * shells and locales differ, a pattern matches more. Pure.
 *
 * Source: bash(1) 5.2, "Brace Expansion" and "Pattern Matching".
 */

import { never } from "../../../base/never.ts";
import type { CharacterSet, Term, TermBuilder } from "../../text/linear-pattern.ts";
import {
  anyCharacter,
  type Bracket,
  type BracketItem,
  braceSequence,
  classTest,
  PatternReader,
  withinName,
} from "../../text/pattern-reader.ts";

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
/** Of a sequence in braces. */
const maxCount = 41;

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

/** Expands `1..3` and `a..c..2`. A long sequence, or one that not all shells fill up with zeros, matches any text. */
function sequence([only = "", ...others]: readonly string[]): string[] | undefined {
  const found = others.length > 0 ? undefined : braceSequence(only);
  if (!found) return undefined;
  const { isNumeric, from, by, count, width } = found;
  if (width > 0 || count > maxCount) return [isNumeric ? marks.number : marks.name];
  const values = Array.from({ length: count }, (_, index) => from + index * by);
  return values.map((value) => (isNumeric ? String(value) : escaped(String.fromCharCode(value))));
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
    matcher = PatternReader.matcher(pattern, WordReader);
    compiled.set(pattern, matcher);
  }
  return matcher;
}

const numeric: CharacterSet = (character) => character === 45 || (character >= 48 && character <= 57);

/** What the marks stand for any number of. */
const marked: ReadonlyMap<string, CharacterSet> = new Map([
  [marks.any, anyCharacter],
  [marks.below, anyCharacter],
  [marks.tracked, anyCharacter],
  [marks.name, withinName],
  [marks.number, numeric],
]);

class WordReader extends PatternReader {
  constructor(pattern: string, terms: TermBuilder) {
    super(pattern, terms, { hasBraces: false, doubtsEnds: true });
  }

  protected override piece(): Term {
    const set = marked.get(this.peek());
    if (!set) return super.piece();
    this.at++;
    return this.terms.repeated(this.terms.one(set));
  }

  protected override literal(character: string): CharacterSet {
    const codes = [character, character.toLowerCase(), character.toUpperCase()].map((one) => one.codePointAt(0));
    return (given) => codes.includes(given);
  }

  protected override set({ isNegated, items }: Bracket): CharacterSet {
    const members = items.map(membersOf);
    return (character) => {
      const text = String.fromCodePoint(character);
      return isNegated ? !members.some(({ surely }) => surely(text)) : members.some(({ maybe }) => maybe(text));
    };
  }

  /** The options match more than those of the shell may, so what they leave would be too little. */
  protected override not(): Term {
    return this.inName;
  }
}

/** The characters of an item. Locales and options of the shell decide what lies between `maybe` and `surely`. */
interface Members {
  maybe: (character: string) => boolean;
  surely: (character: string) => boolean;
}

function membersOf(item: BracketItem): Members {
  switch (item.type) {
    case "character": {
      const own = single(item.text);
      // Some shells take the backslash for a character, too.
      return item.isEscaped ? { ...own, maybe: (one) => own.maybe(one) || one === "\\" } : own;
    }
    case "range":
      return range(item.low, item.high);
    case "class":
      return ofClass(item.name);
    case "equivalents": {
      const same = symbol(item.name);
      return { ...same, maybe: (one) => same.maybe(one) || !isAscii(one) };
    }
    case "symbol":
      return symbol(item.name);
    default:
      return never(item);
  }
}

const anything: Members = { maybe: () => true, surely: () => false };
const isAscii = (character: string) => character.charCodeAt(0) < 128;
const symbol = (name: string) => (Array.from(name).length === 1 ? single(name) : anything);

function single(wanted: string): Members {
  if (holdsMark(wanted)) return anything;
  const lower = wanted.toLowerCase();
  return { maybe: (one) => one.toLowerCase() === lower, surely: (one) => one === wanted };
}

/** The order of characters depends on the locale, except within digits and within ASCII letters of one case. */
function range(low: string, high: string): Members {
  const isPlain = [/^[a-z]+$/, /^[A-Z]+$/, /^\d+$/].some((kind) => kind.test(low + high)) && low !== "" && high !== "";
  const isWithin = (one: string) => low <= one && one <= high;
  const cases = (one: string) => [one, one.toLowerCase(), one.toUpperCase()];
  if (!isPlain) return anything;
  return {
    maybe: (one) => !isAscii(one) || one === "-" || cases(one).some(isWithin),
    surely: (one) => isAscii(one) && isWithin(one),
  };
}

function ofClass(name: string): Members {
  const isOfClass = classTest(name);
  if (!isOfClass) return anything;
  return {
    maybe: (one) => !isAscii(one) || [one, one.toLowerCase(), one.toUpperCase()].some(isOfClass),
    surely: (one) => isAscii(one) && isOfClass(one),
  };
}
