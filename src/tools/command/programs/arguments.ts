/** Searches the arguments of a program. */
import { type TextMatcher, wildcardMatcher } from "../../text/wildcard.ts";

export type ProgramArguments = readonly string[];
/** Words of a command; undefined for unknown ones. */
export type GivenWords = readonly (string | undefined)[];

/**
 * Arguments, separated by spaces, of which one suffices: `-x` (also within `-vxn`), `--long` (also abbreviated),
 * `-word` (the whole word), a word with `*` for any characters, or the name of a sub-command.
 */
export type ArgumentPattern = string;

export function isFlag(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

export function plainWords(words: ProgramArguments): string[] {
  return words.filter((word) => !isFlag(word));
}

export function hasArgument(given: ArgumentPattern, words: ProgramArguments): boolean {
  const { letters, longs, subcommands, whole } = parsePattern(given);
  if (subcommands.has(words[0] ?? "")) return true;
  return words.some((word) => {
    if (!word.startsWith("-")) return whole(word);
    const hasLetter = isCluster(word) && letters.some((letter) => word.includes(letter));
    return hasLetter || isLong(word, longs) || whole(word);
  });
}

/** Whether a notation contains sub-commands. */
export function namesSubcommands(given: ArgumentPattern): boolean {
  return parsePattern(given).subcommands.size > 0;
}

/** Returns the values of options in their order: `-o x`, `-ox`, `--output x`, `--output=x`. */
export function optionValues(given: ArgumentPattern, words: ProgramArguments): string[] {
  const { letters, longs } = parsePattern(given);
  return words.flatMap((word, index) => {
    const next = words.slice(index + 1, index + 2);
    if (/^--[a-z]/.test(word)) {
      if (!isLong(word, longs)) return [];
      const at = word.indexOf("=");
      return at < 0 ? next : [word.slice(at + 1)];
    }
    if (!isCluster(word)) return [];
    return letters.flatMap((letter) => {
      const at = word.indexOf(letter, 1);
      if (at < 0) return [];
      return at === word.length - 1 ? next : [word.slice(at + 1)];
    });
  });
}

interface ParsedPattern {
  letters: readonly string[];
  longs: readonly string[];
  subcommands: ReadonlySet<string>;
  whole: TextMatcher;
}

const parsed = new Map<ArgumentPattern, ParsedPattern>();

function parsePattern(given: ArgumentPattern): ParsedPattern {
  const before = parsed.get(given);
  if (before) return before;
  const all = given.split(/\s+/).filter((one) => one !== "");
  const isShort = (one: string) => /^-[^-*]$/.test(one);
  const isWhole = (one: string) => one.includes("*") || /^-[^-].|^[+@]/.test(one);
  const parts: ParsedPattern = {
    letters: all.filter(isShort).map((one) => one.charAt(1)),
    longs: all.filter((one) => one.startsWith("--") && !isWhole(one)).map((one) => one.slice(2)),
    subcommands: new Set(all.filter((one) => /^\w/.test(one) && !isWhole(one))),
    whole: nameMatcher(all.filter(isWhole)),
  };
  parsed.set(given, parts);
  return parts;
}

/** Compiles names, of which one suffices; `*` in a name stands for any characters. */
export function nameMatcher(names: readonly string[]): TextMatcher {
  const isWild = (name: string) => name.includes("*");
  const exact = names.filter((name) => !isWild(name));
  const wild = names.filter(isWild).map(wildcardMatcher);
  return (word) => exact.includes(word) || wild.some((matches) => matches(word));
}

function isCluster(word: string): boolean {
  return /^-[A-Za-z0-9.]/.test(word);
}

/** GNU programs and git allow abbreviations. */
function isLong(word: string, longs: readonly string[]): boolean {
  const name = longs.length > 0 ? /^--([a-z-]+)/.exec(word)?.[1] : undefined;
  return name !== undefined && longs.some((long) => long.startsWith(name));
}
