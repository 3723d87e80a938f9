/**
 * Decides whether a rule that denies or asks applies to a part of a command (T8), however the part is written: by the
 * program's name without its folder, whatever options stand before a sub-command, by each name of a sub-command. Rules
 * that allow are not read like this: they match the text alone (loop/permissions/rules.ts). Pure.
 */

import { looseWords } from "../text/loose-words.ts";
import { type TextMatcher, wildcardMatcher, wildcardOverlaps } from "../text/wildcard.ts";
import type { Restriction } from "../tool.ts";
import { optionLengths } from "./programs/options.ts";
import type { Program } from "./programs/program.ts";
import {
  canonicalWords,
  innerFacts,
  isSameSubcommand,
  launchesWords,
  namesOfOption,
  programEntry,
  type SubcommandFacts,
} from "./programs/table.ts";

export interface PartOfCommand {
  /** The words of a program and its arguments, without quotes; undefined: unknown. None for a part that was not parsed. */
  words: Words;
  /** Whether it may run any other command. */
  runsAnything: boolean;
  /** The text that it reads, if it is written in the command. */
  input?: string | undefined;
}

type Words = readonly (string | undefined)[];

/** `pattern`: the text of the part. */
export function restrictionOf(rule: string, pattern: string, reading: PartOfCommand): Restriction {
  const { words, runsAnything } = reading;
  const parsed = parseRule(rule);
  const restrictions = readingsOf(words).map((each) => applies(parsed, each));
  if (restrictions.includes("yes")) return "yes";
  if (runsAnything && startsIn(tokensOf(pattern, reading)).some((each) => applies(parsed, each) === "yes"))
    return "yes";
  return runsAnything || restrictions.includes("maybe") ? "maybe" : "no";
}

interface ParsedRule {
  /** The program and the plain words after it, up to a wildcard or an option. Empty if a wildcard is in the first word. */
  head: readonly string[];
  /** The pattern after them. */
  rest: string;
  /** Options right after the head that the command must have, wherever they stand; undefined if there are none. */
  options: readonly string[] | undefined;
  afterOptions: string;
}

const parsedRules = new Map<string, ParsedRule>();

function parseRule(rule: string): ParsedRule {
  const before = parsedRules.get(rule);
  if (before) return before;
  if (parsedRules.size > 1000) parsedRules.clear();
  const tokens = canonicalWords(rule.split(/\s+/).filter((token) => token !== "")).map((token) => token ?? "");
  const isPlain = (token: string) => !/[*?]/.test(token) && !token.startsWith("-");
  const headEnd = tokens.findIndex((token) => !isPlain(token));
  const head = headEnd < 0 ? tokens : tokens.slice(0, headEnd);
  const others = tokens.slice(head.length);
  const optionEnd = others.findIndex((token) => !/^-[^*?]+$/.test(token));
  const options = optionEnd < 0 ? others : others.slice(0, optionEnd);
  const parsed: ParsedRule = {
    head,
    rest: others.join(" "),
    options: options.length > 0 ? options : undefined,
    afterOptions: others.slice(options.length).join(" "),
  };
  parsedRules.set(rule, parsed);
  return parsed;
}

/** Returns the words as they are, and those of each command that they run in turn: `python -m pip`, `sh a.sh`. */
function readingsOf(given: Words): Words[] {
  if (given.length === 0) return [];
  const words = canonicalWords(given);
  const [program = ""] = words;
  const entry = programEntry(program);
  if (launchesWords(given[0] ?? "")) return [given, words, ...startsIn(given.slice(1))];
  // `uv pip install x`, `yarn npm publish`
  const [, inner] = words;
  if (inner !== undefined && entry?.skippedWords?.split(" ").includes(inner) && programEntry(inner))
    return [given, words, canonicalWords(words.slice(1))];
  const module = entry?.runsFile ? words.indexOf("-m") + 1 : 0;
  const file = entry?.runsFile ? words.findIndex((word, index) => index > 0 && !word?.startsWith("-")) : 0;
  const start = module > 0 ? module : file;
  return start > 0 ? [given, words, canonicalWords(words.slice(start))] : [given, words];
}

/** Returns the words from each one on, since each may be a program. */
function startsIn(words: Words): Words[] {
  return words.flatMap((word, index) => (word === undefined ? [] : [canonicalWords(words.slice(index))]));
}

const maxTokens = 2000;
const tokens = new WeakMap<PartOfCommand, readonly string[]>();

/** Splits a text whose syntax is not known, such as code in another language. */
function tokensOf(text: string, reading: PartOfCommand): readonly string[] {
  const before = tokens.get(reading);
  if (before) return before;
  const all = [text, reading.input ?? "", ...reading.words.map((word) => word ?? "")].flatMap((each) =>
    looseWords(each.replaceAll("\\\n", ""), "{}=,![]$"),
  );
  const found = all.slice(0, maxTokens);
  tokens.set(reading, found);
  return found;
}

function applies(rule: ParsedRule, words: Words): Restriction {
  const { head, rest } = rule;
  if (head.length === 0) return textApplies(rest, words);
  const [program] = words;
  if (program === undefined) return "maybe";
  if (program !== head[0]) return "no";
  const search = new HeadSearch(words, programEntry(program));
  const ends = search.after(head.slice(1));
  const restrictions = ends.map((end) => restApplies(rule, words.slice(end), search.levels));
  if (restrictions.includes("yes")) return "yes";
  return search.isUncertain || restrictions.includes("maybe") ? "maybe" : "no";
}

/** Finds the words of a rule in those of a command, skipping options and their values. */
class HeadSearch {
  /** Whether unknown words or options may stand for others. */
  isUncertain = false;
  readonly #words: Words;
  readonly #program: Program | undefined;
  /** Facts about the last sub-command that was found. */
  #facts: SubcommandFacts;

  constructor(words: Words, program: Program | undefined) {
    this.#words = words;
    this.#program = program;
    this.#facts = program;
  }

  get levels(): readonly SubcommandFacts[] {
    return [this.#facts, this.#program];
  }

  /** Returns the positions after the given words. */
  after(head: readonly string[]): number[] {
    let ends = [1];
    for (const token of head) {
      ends = this.#withoutOptions(ends).flatMap((at) => (this.#isSame(this.#words[at], token) ? [at + 1] : []));
      this.#facts = innerFacts(this.#facts, token);
    }
    return this.#withoutOptions(ends);
  }

  #isSame(word: string | undefined, token: string): boolean {
    return word !== undefined && isSameSubcommand(this.levels, word, token);
  }

  /** Returns all positions that are reached from the given ones by skipping options. */
  #withoutOptions(starts: readonly number[]): number[] {
    const reached = new Set(starts);
    for (const at of reached) {
      if (at >= this.#words.length) continue;
      const word = this.#words[at];
      if (word === undefined) {
        this.isUncertain = true;
        reached.add(at + 1);
      } else if (/^[-+]./.test(word)) {
        const lengths = optionLengths(word, this.levels);
        if (!lengths.isKnown) this.isUncertain = true;
        for (const length of lengths.all) reached.add(at + length);
      } else if (this.#isSkipped(word)) reached.add(at + 1);
    }
    return [...reached].filter((at) => at <= this.#words.length);
  }

  #isSkipped(word: string): boolean {
    const { takesTargets, skippedWords = "" } = this.#program ?? {};
    return takesTargets === true || skippedWords.split(" ").includes(word);
  }
}

function restApplies(
  { rest, options, afterOptions }: ParsedRule,
  words: Words,
  levels: readonly SubcommandFacts[],
): Restriction {
  const byText = textApplies(rest, words);
  if (byText === "yes" || !options?.every((option) => hasOption(words, option, levels))) return byText;
  const plain = words.filter((word) => word === undefined || !word.startsWith("-"));
  return textApplies(afterOptions, plain);
}

/** Whether words hold an option of a rule: `-f -r` and `-fr` hold `-rf`, and `--forc` is short for `--force`. */
function hasOption(words: Words, option: string, levels: readonly SubcommandFacts[]): boolean {
  const isGiven = (name: string) => words.some((word) => word !== undefined && isOption(word, name));
  if (isGiven(option)) return true;
  const letters = /^-([A-Za-z]+)$/.exec(option)?.[1] ?? "";
  const parts = letters === "" ? [option] : [...letters].map((letter) => `-${letter}`);
  return parts.every((part) => namesOfOption(levels, part).some(isGiven));
}

function isOption(word: string, name: string): boolean {
  if (word === name) return true;
  if (/^-[A-Za-z]$/.test(name)) return /^-[A-Za-z]/.test(word) && word.includes(name.charAt(1));
  const long = /^--[^=]{2,}/.exec(word)?.[0];
  return long !== undefined && name.startsWith(long);
}

const matchers = new Map<string, TextMatcher>();

function textApplies(pattern: string, words: Words): Restriction {
  if (pattern === "*") return "yes";
  if (!words.includes(undefined)) return matcher(pattern)(words.join(" ")) ? "yes" : "no";
  // An unknown word may be several words, or none.
  const text = words
    .map((word) => word ?? hole)
    .join(" ")
    .replace(/ ?\0(?: ?\0)* ?/g, hole);
  if (matcher(pattern)(text)) return "yes";
  const begun = pattern.endsWith(" *") ? [pattern, pattern.slice(0, -2)] : [pattern];
  return begun.some((each) => wildcardOverlaps(each, text, { any: hole })) ? "maybe" : "no";
}

function matcher(pattern: string): TextMatcher {
  const before = matchers.get(pattern);
  if (before) return before;
  if (matchers.size > 1000) matchers.clear();
  const compiled = wildcardMatcher(pattern);
  matchers.set(pattern, compiled);
  return compiled;
}

/** Any text. No word of a command can contain it. */
const hole = "\0";
