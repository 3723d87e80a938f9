/**
 * What commands print, as far as it is known before they run: patterns for the words that `$(…)`, `xargs` and `read` take
 * from them. Only to judge which files may be named: a wrong pattern would overlook one, so whatever is not listed here
 * prints anything.
 */
import type { SyntaxNode } from "./grammar.ts";
import { escaped, expandBraces, isWild, marks, unescaped } from "./pattern.ts";
import type { ShellState } from "./state.ts";
import { type KnownState, readWord, type ShellWord, UnsupportedSyntax } from "./word.ts";

type Shapes = readonly string[];

const anything: Shapes = [marks.any];

/** The node is a substitution `$(…)`. */
export function substitutedOutput(
  { children }: SyntaxNode,
  state: ShellState,
  known: KnownState,
): { values: ShellWord["values"]; shapes: Shapes } {
  const [only, ...others] = children.filter(({ named }) => named);
  if (!only || others.length > 0) return { values: undefined, shapes: anything };
  const isHere = only.text === "pwd" && state.folders?.length === 1 && state.folders[0] === "";
  if (isHere && !state.functions.has("pwd")) return { values: ["."], shapes: ["."] };
  return { values: undefined, shapes: outputOf(only, anything, state, known) };
}

/** `input`: patterns for the words that the statement reads. */
export function outputOf(node: SyntaxNode, input: Shapes, state: ShellState, known: KnownState): Shapes {
  const children = node.children.filter(({ named }) => named);
  switch (node.type) {
    case "pipeline":
      return children.reduce((shapes, part) => outputOf(part, shapes, state, known), input);
    case "redirected_statement": {
      // What goes elsewhere makes the output less, except if it comes from elsewhere.
      const [body, ...redirects] = children;
      const isOutput = redirects.every(({ type, text }) => type === "file_redirect" && text.includes(">"));
      return body && isOutput ? outputOf(body, input, state, known) : anything;
    }
    case "command":
      return commandOutput(children, input, state, known);
    default:
      return anything;
  }
}

function commandOutput(nodes: readonly SyntaxNode[], input: Shapes, state: ShellState, known: KnownState): Shapes {
  try {
    const words = nodes.map((node) =>
      readWord(node.type === "command_name" ? (node.children[0] ?? node) : node, known),
    );
    const [name = "", ...rest] = words.map(({ values, isGlob }) => (isGlob ? undefined : values?.[0]));
    if (state.functions.has(name) || !Object.hasOwn(printers, name)) return anything;
    return printers[name]?.({ words: rest, shapes: words.slice(1).map(({ shapes }) => shapes), input }) ?? anything;
  } catch (error) {
    if (error instanceof UnsupportedSyntax) return anything;
    throw error;
  }
}

interface Printer {
  /** The words after the name; undefined for those that are not known. */
  words: readonly (string | undefined)[];
  shapes: readonly Shapes[];
  input: Shapes;
}

const isOption = (word: string | undefined) => word?.startsWith("-") === true && word !== "-";
const has = ({ words }: Printer, option: RegExp) => words.some((word) => word !== undefined && option.test(word));

/** Prints whole lines of its input, or of named files. */
function filter(given: Printer): Shapes {
  // `head -n 5`, but `sort 5` reads a file; `head -c 5` prints parts of words.
  const isValue = (word: string, before = "") => /^\d+$/.test(word) && /^-\w$/.test(before);
  const isKnown = given.words.every(
    (word, index) => word !== undefined && (/^-(?!\w*c|-bytes)/.test(word) || isValue(word, given.words[index - 1])),
  );
  return isKnown ? given.input : anything;
}

const printers: Readonly<Record<string, (given: Printer) => Shapes>> = {
  ...named("head tail sort uniq shuf cat", filter),
  grep: (given) => {
    if (has(given, /^-(?=[^l]*l)\w+$|^--files-with-matches$/)) return below(given);
    const operands = given.words.filter((word) => !isOption(word));
    const isFilter = given.words.every((word) => !isOption(word) || /^-[ivwxEFPsa]+$/.test(word ?? ""));
    return operands.length === 1 && isFilter ? given.input : anything;
  },
  find: (given) => (has(given, /^-(exec|ok|printf|fprint|fls|ls|files0)/) ? anything : foundPaths(given)),
  git: (given) => {
    const [verb] = given.words;
    if (verb === "rev-parse" && has(given, /^--(git-path|git-dir|git-common-dir|absolute-git-dir)/)) {
      const last = given.shapes.at(-1) ?? [];
      return [`${marks.any}.git`, ...last.map((shape) => `${marks.any}.git/${shape}`)];
    }
    if (verb === "rev-parse" && has(given, /^--show-(toplevel|cdup)$/)) return anything;
    if (has(given, /^--(format|pretty|dirty|broken|line-prefix)/)) return anything;
    // It also prints the names of files that it is given.
    if (verb === "rev-parse") return [marks.name, marks.tracked, ...given.shapes.slice(1).flat()];
    if (/^(rev-list|branch|merge-base|describe)$/.test(verb ?? "")) return [marks.name, marks.tracked];
    // `git log --name-only` prints messages as well.
    const isList =
      verb === "ls-files" || (/^(diff|diff-\w+|grep|stash)$/.test(verb ?? "") && has(given, /^--name-only$/));
    return isList && !has(given, /^-\w*[oi]|^--(others|ignored|no-index)/) ? trackedNames(given) : anything;
  },
  rg: (given) => {
    const isList = has(given, /^(-l|--files|--files-with-matches)$/);
    if (!isList || has(given, /^-\w*[uL.]|^--(hidden|no-ignore|unrestricted|follow)/)) return anything;
    return [marks.tracked, ...globbedNames(given)];
  },
  ...named("fd fdfind", (given) =>
    has(given, /^-\w*[uHIxXL]|^--(hidden|no-ignore|unrestricted|exec|follow)/) ? anything : [marks.tracked],
  ),
  ls: (given) => {
    if (has(given, /^-\w*[RldgnoisZ]|^--/)) return anything;
    const operands = given.shapes.filter((_, index) => !isOption(given.words[index])).flat();
    // Names with an extension are rarely folders, whose content it would print.
    if (operands.length > 0 && operands.every((operand) => /[^/]\.\w+$/.test(operand))) return operands;
    return [has(given, /^-\w*[aAf]/) ? marks.name : `[!.]${marks.name}`, ...operands];
  },
  echo: ({ shapes }) => shapes.flat().flatMap(split),
  printf: ({ words: [format], shapes: [, ...shapes] }) =>
    /^(%s(\\n|\\0| )?)+$/.test(format ?? "") ? shapes.flat().flatMap(split) : anything,
  basename: () => [marks.name],
  // A format may be any text, and `wc` prints the names that it is given.
  ...named("seq nproc", ({ words }) =>
    words.every((word) => word !== undefined && /^-?[\d.]+$/.test(word)) ? [marks.number] : anything,
  ),
  ...named("date wc id whoami uname arch", ({ words }) =>
    words.every((word) => word !== undefined && /^(?:-\w*|\d+|\+[\w%:-]*)$/.test(word))
      ? [marks.number, `[!.]${marks.name}`]
      : anything,
  ),
  mktemp: ({ words }) => (words.every((word) => word === "-d") ? [`/tmp/tmp.${marks.name}`] : anything),
  which: () => [`/${marks.below}bin/${marks.name}`],
};

function named(names: string, printer: (given: Printer) => Shapes): Record<string, (given: Printer) => Shapes> {
  return Object.fromEntries(names.split(" ").map((name) => [name, printer]));
}

/** Splits what is printed at blanks, as far as it is known. */
function split(shape: string): string[] {
  return isWild(shape) ? [shape] : wordsOfText(unescaped(shape));
}

/**
 * Returns patterns for the words of a text that `xargs` or `read` takes apart. No operators part words there, only blanks
 * and ends of lines (xargs(1), findutils 4.9; bash(1), `read` and "Word Splitting").
 */
export function wordsOfText(text: string): string[] {
  // They take quotes and backslashes away, and so does `echo` in some shells.
  const words = text.split(/\s+/).filter((word) => word !== "");
  return words.map((word) => (/['"\\]/.test(word) ? marks.any : escaped(word)));
}

/** Returns patterns for the ends of the paths that `find` prints. */
function foundNames(words: Printer["words"], shapes: Printer["shapes"], from: number): string[] {
  const names: string[] = [];
  let branch = 0;
  for (let at = from; at < words.length; at++) {
    const word = words[at];
    if (word === undefined || word === ",") return [""];
    if (/^-(o|or)$/.test(word)) {
      if (branch === 0) return [""];
      branch = 0;
    }
    if (!/^-i?name$/.test(word)) continue;
    at++;
    const isNegated = /^(!|-not)$/.test(words[at - 2] ?? "");
    // It matches against the text, which the shell does not expand when it is quoted.
    const value = words[at];
    if (!isNegated) names.push(...(value === undefined ? (shapes[at] ?? []) : [value]));
    if (!isNegated) branch++;
  }
  return branch === 0 || names.length === 0 ? [""] : names;
}

/** Returns patterns for what `find` finds. */
export function foundPaths({ words, shapes }: Pick<Printer, "words" | "shapes">): string[] {
  const end = words.findIndex((word) => /^-(exec|ok)/.test(word ?? ""));
  const count = end < 0 ? words.length : end;
  const { from, to } = findStarts(words.slice(0, count));
  const names = foundNames(words.slice(0, count), shapes, to);
  const starts = shapes.slice(from, to).flat();
  return (starts.length > 0 ? starts : ["."]).flatMap((start) => names.map((name) => inside(start, name)));
}

/**
 * Returns the range of find's starting points, which may be empty: they stand after the first options and before the
 * first expression. Source: find(1), findutils 4.9; with the options of macOS and FreeBSD, whose `-f` stands before a starting point.
 */
export function findStarts(words: readonly (string | undefined)[]): { from: number; to: number } {
  let from = 0;
  for (let word = words[from]; word !== undefined; word = words[from]) {
    if (word === "-D") from++;
    else if (!/^-(?:[HLPEXdfsx]{1,7}|O\d?|-)$/.test(word)) break;
    from++;
  }
  const first = words.findIndex((word, at) => at >= from && word !== undefined && /^[-(!]/.test(word));
  return { from, to: first < 0 ? words.length : first };
}

const inside = (folder: string, name: string) => `${folder.replace(/(?<!\/)\/+$/, "")}/${marks.below}${name}`;

/** What lies below the operands after the pattern, or in the current folder. */
function below({ words, shapes }: Printer): string[] {
  const hasPattern = words.some((word) => word !== undefined && /^-\w*[ef]|^--(regexp|file)/.test(word));
  const operands = shapes
    .filter((_, index) => !isOption(words[index]))
    .slice(hasPattern ? 0 : 1)
    .flat();
  const includes = words.flatMap((word) => /^--include=(\*[^/]*)$/.exec(word ?? "")?.[1] ?? []);
  const ends = includes.length > 0 ? includes : [""];
  const starts = operands.length > 0 ? operands : ["."];
  return starts.flatMap((start) => [start, ...ends.map((end) => inside(start, end))]);
}

/** Patterns for what `rg` finds with `-g`, which includes hidden files and those that git ignores. */
function globbedNames({ words }: Printer): string[] {
  const globs = words.flatMap((word, index) => {
    const glued = /^(?:-\w*?g|--i?glob(?:=|$))(.*)/s.exec(word ?? "")?.[1];
    return glued === undefined ? [] : [glued === "" ? words[index + 1] : glued];
  });
  const names = globs.map((glob) => (glob?.startsWith("!") ? [] : expandBraces(glob?.split("/").at(-1) ?? "")));
  return names.flatMap((each) => each ?? [""]).map((name) => inside(".", name));
}

function trackedNames({ words }: Printer): string[] {
  const endings = words.slice(1).flatMap((word) => (word !== undefined && isOption(word) ? [] : [word]));
  const isKnown = endings.length > 0 && endings.every((word) => word !== undefined && /^\*\.[\w.]+$/.test(word));
  return isKnown ? endings.map((word) => `${marks.tracked}${escaped(word?.slice(1) ?? "")}`) : [marks.tracked];
}
