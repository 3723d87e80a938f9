/**
 * What commands print, as far as it is known before they run: patterns for the words that `$(…)`, `xargs` and `read` take
 * from them. Only to judge which files may be named: a wrong pattern would overlook one, so whatever is not listed here
 * prints anything.
 */
import type { SyntaxNode } from "./grammar.ts";
import { escaped, isWild, marks } from "./pattern.ts";
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

/** Prints lines of its input, or of named files. */
function filter(given: Printer): Shapes {
  const operands = given.words.filter((word) => word === undefined || !/^-|^\d+$/.test(word));
  return operands.length === 0 ? given.input : anything;
}

const printers: Readonly<Record<string, (given: Printer) => Shapes>> = {
  ...named("head tail sort uniq tac shuf cat", filter),
  grep: (given) => {
    if (has(given, /^-\w*l\w*$|^--files-with-matches$/)) return below(given);
    const operands = given.words.filter((word) => !isOption(word));
    const isFilter = given.words.every((word) => !isOption(word) || /^-[ivwxEFPsa]+$/.test(word ?? ""));
    return operands.length === 1 && isFilter ? given.input : anything;
  },
  find: (given) => (has(given, /^-(exec|ok|printf|fprint|fls|ls)/) ? anything : foundPaths(given)),
  git: (given) => {
    const [verb] = given.words;
    if (verb === "rev-parse" && has(given, /^--(git-path|git-dir|git-common-dir|absolute-git-dir)/)) {
      const last = given.shapes.at(-1) ?? [];
      return [`${marks.any}.git`, ...last.map((shape) => `${marks.any}.git/${shape}`)];
    }
    if (verb === "rev-parse" && has(given, /^--show-(toplevel|cdup)$/)) return anything;
    if (/^(rev-parse|rev-list|branch|merge-base|describe)$/.test(verb ?? "")) return [marks.name, marks.tracked];
    const isList = verb === "ls-files" || has(given, /^--name-only$/);
    return isList && !has(given, /^-\w*[oi]|^--(others|ignored|no-index)/) ? trackedNames(given) : anything;
  },
  rg: (given) => {
    const isList = has(given, /^(-l|--files|--files-with-matches)$/);
    return isList && !has(given, /^-\w*[uL.]|^--(hidden|no-ignore|unrestricted|follow)/) ? [marks.tracked] : anything;
  },
  ...named("fd fdfind", (given) =>
    has(given, /^-\w*[uHIxXL]|^--(hidden|no-ignore|unrestricted|exec|follow)/) ? anything : [marks.tracked],
  ),
  ls: (given) => {
    if (has(given, /^-\w*[RldgnoisZ]|^--/)) return anything;
    const operands = given.shapes.filter((_, index) => !isOption(given.words[index])).flat();
    // Names with an extension are rarely folders, whose content it would print.
    if (operands.length > 0 && operands.every((operand) => /\*?\.\w+$/.test(operand))) return operands;
    return [has(given, /^-\w*[aAf]/) ? marks.name : `[!.]${marks.name}`, ...operands];
  },
  echo: ({ shapes }) => shapes.flat().flatMap(split),
  printf: ({ words: [format], shapes: [, ...shapes] }) =>
    /^(%s(\\n|\\0| )?)+$/.test(format ?? "") ? shapes.flat().flatMap(split) : anything,
  basename: () => [marks.name],
  ...named("date seq wc nproc id whoami uname arch", () => [marks.number, `[!.]${marks.name}`]),
  mktemp: ({ words }) => (words.every((word) => word === "-d") ? [`/tmp/tmp.${marks.name}`] : anything),
  which: () => [`/${marks.below}bin/${marks.name}`],
};

function named(names: string, printer: (given: Printer) => Shapes): Record<string, (given: Printer) => Shapes> {
  return Object.fromEntries(names.split(" ").map((name) => [name, printer]));
}

/** Splits what is printed at blanks, as far as it is known. */
function split(shape: string): string[] {
  return isWild(shape) ? [shape] : shape.split(/\s+/).filter((part) => part !== "");
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
  const first = words.findIndex((word) => word === undefined || /^[-(!]/.test(word));
  const from = first < 0 ? count : first;
  const names = foundNames(words.slice(0, count), shapes, from);
  const starts = shapes.slice(0, from).flat();
  return (starts.length > 0 ? starts : ["."]).flatMap((start) => names.map((name) => inside(start, name)));
}

const inside = (folder: string, name: string) => `${folder.replace(/\/+$/, "")}/${marks.below}${name}`;

/** What lies below the operands after the pattern, or in the current folder. */
function below({ words, shapes }: Printer): string[] {
  const operands = shapes
    .filter((_, index) => !isOption(words[index]))
    .slice(1)
    .flat();
  const includes = words.flatMap((word) => /^--include=(\*[^/]*)$/.exec(word ?? "")?.[1] ?? []);
  const ends = includes.length > 0 ? includes : [""];
  const starts = operands.length > 0 ? operands : ["."];
  return starts.flatMap((start) => [start, ...ends.map((end) => inside(start, end))]);
}

function trackedNames({ words }: Printer): string[] {
  const endings = words.slice(1).flatMap((word) => (word !== undefined && isOption(word) ? [] : [word]));
  const isKnown = endings.length > 0 && endings.every((word) => word !== undefined && /^\*\.[\w.]+$/.test(word));
  return isKnown ? endings.map((word) => `${marks.tracked}${escaped(word?.slice(1) ?? "")}`) : [marks.tracked];
}
