/**
 * Patterns of paths such as `src/**\/*.{ts,tsx}`, matched in linear time. The syntax is bash's with `globstar` and
 * `extglob`, as bash(1) has it under "Pattern Matching"; names that begin with a dot match like others. Pure.
 */
import { type CharacterSet, isCharacter, linearMatcher, type Term, type TermBuilder } from "./linear-pattern.ts";
import type { TextMatcher } from "./wildcard.ts";

const maxLength = 1000;
/** The time for a character grows with the wildcards, as each may begin at many places. */
const maxWildcards = 24;
/** In `!(…)`, which may begin at many places too, it also grows with the states of what it holds. */
const maxWildcardsInNot = 4;
const maxRange = 1000;

const slash = 47;
const withinName: CharacterSet = (character) => character !== slash;
const anyCharacter: CharacterSet = () => true;

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
  const matches = linearMatcher((terms) => new GlobParser(isInverted ? pattern.slice(1) : pattern, terms).parse());
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

class GlobParser {
  readonly #characters: readonly string[];
  readonly #terms: TermBuilder;
  /** Index of each opening brace or parenthesis, with that of its closing one. */
  readonly #ends: ReadonlyMap<number, number>;
  readonly #inName: Term;
  readonly #inPath: Term;
  #at = 0;
  #isInNot = false;

  constructor(pattern: string, terms: TermBuilder) {
    this.#characters = Array.from(pattern);
    this.#terms = terms;
    this.#ends = groupEnds(this.#characters);
    this.#inName = terms.repeated(terms.one(withinName));
    this.#inPath = terms.repeated(terms.one(anyCharacter));
  }

  parse(): Term {
    return this.#sequence("");
  }

  /** Reads up to one of the `stops`, or to the end: the empty text there is in each text. */
  #sequence(stops: string): Term {
    const pieces: Term[] = [];
    while (!stops.includes(this.#peek())) pieces.push(this.#piece());
    return this.#terms.sequence(pieces);
  }

  #peek(ahead = 0): string {
    return this.#characters[this.#at + ahead] ?? "";
  }

  #piece(): Term {
    const character = this.#peek();
    const isGroup = this.#peek(1) === "(" && this.#ends.has(this.#at + 1);
    if (isGroup && "@?*+!".includes(character)) return this.#group(character);
    switch (character) {
      case "*":
        return this.#stars();
      case "?":
        this.#at++;
        return this.#terms.one(withinName);
      case "[":
        return this.#bracket();
      case "{":
        return this.#braces();
      case "\\":
        if (this.#peek(1) !== "") this.#at++;
    }
    return this.#literal(this.#peek());
  }

  #literal(character: string): Term {
    this.#at++;
    return this.#terms.literal(character);
  }

  /** `**` stands for folders only as a whole name; elsewhere it is as good as `*`. */
  #stars(): Term {
    const from = this.#at;
    while (this.#peek() === "*" && !(this.#at > from && this.#peek(1) === "(")) this.#at++;
    const isName = this.#isNameStart(from) && this.#isNameEnd(this.#at);
    if (this.#at - from !== 2 || !isName) return this.#inName;
    if (this.#peek() !== "/") return this.#inPath;
    this.#at++;
    const separator = this.#terms.literal("/");
    return this.#terms.repeated(this.#terms.sequence([this.#terms.one(withinName), this.#inName, separator]));
  }

  #isNameStart(at: number): boolean {
    return "/{(,|".includes(this.#characters[at - 1] ?? "");
  }

  #isNameEnd(at: number): boolean {
    return "/}),|".includes(this.#characters[at] ?? "");
  }

  /** `@(a|b)` once, `?(…)` at most once, `*(…)` any number, `+(…)` at least once, `!(…)` anything else in the name. */
  #group(kind: string): Term {
    const end = this.#ends.get(this.#at + 1) ?? 0;
    if (kind === "!") this.#checkNot(end);
    this.#at += 2;
    const wasInNot = this.#isInNot;
    this.#isInNot ||= kind === "!";
    const choice = this.#options("|)", end);
    this.#isInNot = wasInNot;
    if (kind === "!") return this.#terms.not([choice], withinName);
    if (kind === "@") return choice;
    if (kind === "?") return this.#terms.optional(choice);
    const repeated = this.#terms.repeated(choice);
    return kind === "*" ? repeated : this.#terms.sequence([choice, repeated]);
  }

  #checkNot(end: number): void {
    const held = countWildcards(this.#characters.slice(this.#at + 2, end).join(""));
    if (this.#isInNot || held > maxWildcardsInNot) {
      throw new SyntaxError(
        `Matching \`!(…)\` would take too long: use at most ${maxWildcardsInNot} wildcards and no other \`!(…)\` in it.`,
      );
    }
  }

  /** Reads the options of a group to behind its end. */
  #options(stops: string, end: number): Term {
    const options: Term[] = [];
    do {
      options.push(this.#sequence(stops));
      this.#at++;
    } while (this.#at <= end);
    return this.#terms.either(options);
  }

  #braces(): Term {
    const from = this.#at;
    const end = this.#ends.get(from);
    if (end === undefined) return this.#literal("{");
    const range = rangeOf(this.#characters.slice(from + 1, end).join(""));
    if (range) {
      this.#at = end + 1;
      return this.#terms.either(range.map((text) => this.#terms.literal(text)));
    }
    this.#at++;
    const first = this.#sequence(",}");
    if (this.#at < end) {
      this.#at++;
      return this.#terms.either([first, this.#options(",}", end)]);
    }
    this.#at++;
    return this.#terms.sequence([this.#terms.literal("{"), first, this.#terms.literal("}")]);
  }

  #bracket(): Term {
    const end = bracketEnd(this.#characters, this.#at);
    if (end === undefined) return this.#literal("[");
    const isInverted = "!^".includes(this.#peek(1));
    const isMember = membersOf(this.#characters.slice(this.#at + (isInverted ? 2 : 1), end));
    this.#at = end + 1;
    return this.#terms.one((character) => character !== slash && isMember(character) !== isInverted);
  }
}

function groupEnds(characters: readonly string[]): Map<number, number> {
  const ends = new Map<number, number>();
  const open: { at: number; close: string }[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    if (character === "\\") at++;
    else if (character === "[") at = bracketEnd(characters, at) ?? at;
    else if (character === "{") open.push({ at, close: "}" });
    else if (character === "(" && /[@?*+!]/.test(characters[at - 1] ?? "")) open.push({ at, close: ")" });
    else {
      const index = open.findLastIndex(({ close }) => close === character);
      const opened = open[index];
      if (!opened) continue;
      ends.set(opened.at, at);
      open.length = index;
    }
  }
  return ends;
}

/** Returns the index of the `]` that ends the set at `from`; a `]` at its beginning belongs to it. */
function bracketEnd(characters: readonly string[], from: number): number | undefined {
  let at = from + 1;
  if ("!^".includes(characters[at] ?? " ")) at++;
  for (const first = at; at < characters.length && characters[at] !== "/"; at++) {
    if (characters[at] === "\\") at++;
    else if (characters[at] === "[" && characters[at + 1] === ":") at = Math.max(at, characters.indexOf("]", at));
    else if (characters[at] === "]" && at > first) return at;
  }
  return undefined;
}

/** The classes of POSIX, as far as programs name files with them. */
const classes: Record<string, RegExp> = {
  alnum: /[\p{L}\p{Nd}]/u,
  alpha: /\p{L}/u,
  blank: /[ \t]/,
  cntrl: /\p{Cc}/u,
  digit: /\d/,
  graph: /[^\s\p{Cc}]/u,
  lower: /\p{Ll}/u,
  print: /\P{Cc}/u,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /\p{Lu}/u,
  word: /\w/,
  xdigit: /[\da-f]/i,
};

function membersOf(characters: readonly string[]): CharacterSet {
  const sets: CharacterSet[] = [];
  for (let at = 0; at < characters.length; at++) {
    const named = /^\[:(\w+):\]/.exec(characters.slice(at, at + 12).join(""));
    const known = named && classes[named[1] ?? ""];
    if (known) {
      sets.push((character) => known.test(String.fromCodePoint(character)));
      at += named[0].length - 1;
      continue;
    }
    if (characters[at] === "\\") at++;
    const from = characters[at] ?? "";
    if (characters[at + 1] === "-" && at + 2 < characters.length) {
      at += characters[at + 2] === "\\" ? 3 : 2;
      const [least, most] = [from.codePointAt(0) ?? 0, characters[at]?.codePointAt(0) ?? 0];
      sets.push((character) => character >= least && character <= most);
    } else sets.push(isCharacter(from));
  }
  return (character) => sets.some((isIn) => isIn(character));
}

/** Returns the texts that `1..3` or `a..c` stands for. */
function rangeOf(text: string): string[] | undefined {
  const [, from = "", to = ""] = /^(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])$/.exec(text) ?? [];
  const isNumeric = /\d/.test(from);
  if (from === "" || isNumeric !== /\d/.test(to)) return undefined;
  const [a, b] = isNumeric ? [Number(from), Number(to)] : [from.charCodeAt(0), to.charCodeAt(0)];
  const [least, most] = [Math.min(a, b), Math.max(a, b)];
  if (most - least >= maxRange) return undefined;
  // bash fills up with zeros if one of the ends does.
  const width = [from, to].some((end) => /^-?0\d/.test(end)) ? Math.max(from.length, to.length) : 0;
  return Array.from({ length: most - least + 1 }, (_, index) =>
    isNumeric ? padded(least + index, width) : String.fromCharCode(least + index),
  );
}

function padded(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
}
