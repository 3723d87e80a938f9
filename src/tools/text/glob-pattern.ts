/**
 * Patterns of paths such as `src/**\/*.{ts,tsx}`, matched in linear time. The syntax is bash's with `globstar` and
 * `extglob`, as bash(1) has it under "Pattern Matching"; names that begin with a dot match like others. Pure.
 */
import { never } from "../../base/never.ts";
import { type CharacterSet, isCharacter, type Term, type TermBuilder } from "./linear-pattern.ts";
import {
  anyCharacter,
  type Bracket,
  type BracketItem,
  braceSequence,
  classTest,
  PatternReader,
  withinName,
} from "./pattern-reader.ts";
import type { TextMatcher } from "./wildcard.ts";

const maxLength = 1000;
/** The time for a character grows with the wildcards, as each may begin at many places. */
const maxWildcards = 24;
/** In `!(…)`, which may begin at many places too, it also grows with the states of what it holds. */
const maxWildcardsInNot = 4;
const maxRange = 1000;

/**
 * Compiles a pattern of whole paths with `/` between names. A `!` at its beginning inverts it.
 * @throws SyntaxError with a sentence for the model, if matching would take too long
 */
export function globMatcher(pattern: string): TextMatcher {
  if (pattern.length > maxLength || countWildcards(pattern) > maxWildcards) {
    throw new SyntaxError(
      `The pattern has more than ${maxLength} characters or ${maxWildcards} wildcards. Use several shorter ones.`,
    );
  }
  const isInverted = /^!(?!\()/.test(pattern);
  const matches = PatternReader.matcher(isInverted ? pattern.slice(1) : pattern, GlobReader);
  return isInverted ? (path) => !matches(path) : matches;
}

function countWildcards(pattern: string): number {
  return pattern.match(/\*+|[?[{]|[@+!]\(/g)?.length ?? 0;
}

/** Splits a pattern into the folder before its first wildcard ("" for none) and the rest ("" for a plain path). */
export function splitGlob(pattern: string): { base: string; rest: string } {
  const names = pattern.split("/");
  const at = names.findIndex((name) => /[*?[{]|[@+!]\(/.test(name));
  if (at < 0) return { base: pattern, rest: "" };
  const base = names.slice(0, at).join("/");
  return { base: base === "" && at > 0 ? "/" : base, rest: names.slice(at).join("/") };
}

class GlobReader extends PatternReader {
  readonly #inPath: Term;
  #isInNot = false;

  constructor(pattern: string, terms: TermBuilder) {
    super(pattern, terms, { hasBraces: true, doubtsEnds: false });
    this.#inPath = terms.repeated(terms.one(anyCharacter));
  }

  protected override literal(character: string): CharacterSet {
    return isCharacter(character);
  }

  protected override set({ isNegated, items }: Bracket): CharacterSet {
    const sets = items.map(setOf);
    return (character) => sets.some((isIn) => isIn(character)) !== isNegated;
  }

  protected override not(choice: Term): Term {
    return this.terms.not([choice], withinName);
  }

  protected override piece(): Term {
    return this.peek() === "{" ? this.#braces() : super.piece();
  }

  /** `**` stands for folders only as a whole name; elsewhere it is as good as `*`. */
  protected override star(): Term {
    const from = this.at;
    while (this.peek() === "*" && !(this.at > from && this.peek(1) === "(")) this.at++;
    const isName = this.#isNameStart(from) && this.#isNameEnd(this.at);
    if (this.at - from !== 2 || !isName) return this.inName;
    if (this.peek() !== "/") return this.#inPath;
    this.at++;
    const separator = this.terms.literal("/");
    return this.terms.repeated(this.terms.sequence([this.terms.one(withinName), this.inName, separator]));
  }

  #isNameStart(at: number): boolean {
    return "/{(,|".includes(this.characters[at - 1] ?? "");
  }

  #isNameEnd(at: number): boolean {
    return "/}),|".includes(this.characters[at] ?? "");
  }

  protected override group(kind: string, end: number): Term {
    if (kind !== "!") return super.group(kind, end);
    this.#checkNot(end);
    this.#isInNot = true;
    const group = super.group(kind, end);
    this.#isInNot = false;
    return group;
  }

  #checkNot(end: number): void {
    const held = countWildcards(this.characters.slice(this.at + 2, end).join(""));
    if (this.#isInNot || held > maxWildcardsInNot) {
      throw new SyntaxError(
        `Matching \`!(…)\` would take too long: use at most ${maxWildcardsInNot} wildcards and no other \`!(…)\` in it.`,
      );
    }
  }

  #braces(): Term {
    const from = this.at;
    const end = this.ends.get(from);
    if (end === undefined) return this.itself();
    const range = rangeOf(this.characters.slice(from + 1, end).join(""));
    if (range) {
      this.at = end + 1;
      return this.terms.either(range.map((text) => this.terms.literal(text)));
    }
    this.at++;
    const first = this.sequence(",", end);
    if (this.at++ < end) return this.terms.either([first, this.options(",", end)]);
    return this.terms.sequence([this.terms.literal("{"), first, this.terms.literal("}")]);
  }
}

function setOf(item: BracketItem): CharacterSet {
  switch (item.type) {
    case "character":
      return isCharacter(item.text);
    case "range": {
      const [least, most] = [item.low, item.high].map((end) => end.codePointAt(0));
      if (least === undefined || most === undefined) return () => false;
      return (character) => character >= least && character <= most;
    }
    case "class": {
      const isOfClass = classTest(item.name);
      return (character) => isOfClass?.(String.fromCodePoint(character)) ?? false;
    }
    case "equivalents":
    case "symbol":
      // The longer names of symbols, such as `[.hyphen.]`, name no file that is searched for.
      return Array.from(item.name).length === 1 ? isCharacter(item.name) : () => false;
    default:
      return never(item);
  }
}

/** Returns the texts that `1..3` or `a..c` stands for. */
function rangeOf(text: string): string[] | undefined {
  const sequence = braceSequence(text);
  if (!sequence || sequence.count > maxRange) return undefined;
  const { isNumeric, from, by, count, width } = sequence;
  const values = Array.from({ length: count }, (_, index) => from + index * by);
  return values.map((value) => (isNumeric ? padded(value, width) : String.fromCharCode(value)));
}

function padded(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
}
