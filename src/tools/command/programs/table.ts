/** Looks up the facts about a program, and derives its permissions from them. */
import { leadingOptions, requireOptions } from "../shell/leading-options.ts";
import type { Unwrap } from "../shell/visitor.ts";
import { UnsupportedSyntax, unknown } from "../shell/word.ts";
import { archivePrograms } from "./archives.ts";
import { hasArgument, namesSubcommands, optionValues, type ProgramArguments } from "./arguments.ts";
import { searchPrograms } from "./find-grep.ts";
import { gitPrograms } from "./git.ts";
import { interpreterPrograms, namesStream } from "./interpreters.ts";
import { networkPrograms } from "./network.ts";
import {
  allFiles,
  type ChangedPath,
  type CommandFacts,
  type Program,
  type Programs,
  type RecursiveRead,
} from "./program.ts";
import { projectPrograms } from "./project-tools.ts";
import { codePrograms } from "./sed-awk.ts";
import { systemPrograms } from "./system.ts";
import { textPrograms } from "./text.ts";
import { wrapperPrograms } from "./wrappers.ts";

/** The names of each entry, and the facts about these programs. */
export const programs: readonly (readonly [names: string, Program])[] = [
  ...[textPrograms, codePrograms, searchPrograms, systemPrograms, archivePrograms, gitPrograms],
  ...[projectPrograms, interpreterPrograms, wrapperPrograms, networkPrograms],
].flatMap((table: Programs) => Object.entries(table));

const programsByName = byName(programs);

/** The version in a program's name, as in `python3.11`. */
const nameVersion = /(?<=[^\d.])\d[\d.]*w?$/;

export function programEntry(name: string): Program | undefined {
  const versioned = programsByName.get(name.replace(nameVersion, ""));
  return programsByName.get(name) ?? (versioned?.isVersioned ? versioned : undefined);
}

/** For facts that narrow a rule: a program in a workspace folder may be the one that its name says. */
function entryOfPath(program: string): Program | undefined {
  return programEntry(program.slice(program.lastIndexOf("/") + 1).toLowerCase());
}

/**
 * What a program may do with some arguments: what a rule for it means, more than that, or run any other command. Only an
 * exact rule allows the last two.
 */
type Reach = "named" | "more" | "anything";

export function reachOf(program: string, words: ProgramArguments): Reach {
  const entry = entryOfPath(program);
  if (entry?.runsStreams && words.some(namesStream)) return "anything";
  return entry ? reachOfFacts(entry, words) : "named";
}

function reachOfFacts(facts: CommandFacts, words: ProgramArguments): Reach {
  const { harmlessOptions, unlisted, runsOtherCode, exceeds } = facts;
  const { options, subcommand, rest } = withoutOptions(facts, words);
  if (isMet(runsOtherCode, words, rest)) return "anything";
  const harmless = harmlessOptions?.split(" ");
  if (options && harmless && !options.every((option) => harmless.includes(option))) return "anything";
  const own = isMet(exceeds, words, rest) ? "more" : "named";
  const patterns = [runsOtherCode, exceeds].filter((condition) => typeof condition === "string");
  const judgesSubcommands = facts.options !== undefined || facts.subcommands || patterns.some(namesSubcommands);
  // An unknown option may hide the sub-command, and programs differ about `--`.
  if (judgesSubcommands && (options ? options.includes("--") : !subcommand)) return reachOfHidden(facts, words);
  if (subcommand) return widest(own, reachOfFacts(subcommand, rest.slice(1)));
  if (unlisted === undefined || rest.length === 0) return own;
  return unlisted === "alias" ? "anything" : "more";
}

/** Judges arguments with options before the sub-command that no rule overlooks. */
function reachOfHidden({ readOptions, options = "", ...facts }: CommandFacts, words: ProgramArguments): Reach {
  if (!facts.runsOtherCode && !facts.subcommands) return "more";
  if (readOptions === undefined || !leadingOptions(words, `${options} ${readOptions}`)) return "anything";
  return widest(
    "more",
    reachOfFacts(
      { ...facts, options: `${options} ${readOptions}` },
      words.filter((word) => word !== "--"),
    ),
  );
}

function widest(one: Reach, other: Reach): Reach {
  return one === "anything" || other === "named" ? one : other;
}

function isMet(condition: CommandFacts["exceeds"], words: ProgramArguments, rest: ProgramArguments): boolean {
  if (condition === undefined || condition === "always") return condition !== undefined;
  if (typeof condition === "function") return condition(words);
  return hasArgument(condition, words) || hasArgument(condition, rest);
}

/**
 * Takes the options before a sub-command away. `options`: their names; undefined when one of them is unknown.
 * `subcommand`: undefined when there is none, or nothing is known about it. `rest`: the words from the sub-command on.
 */
function withoutOptions(facts: CommandFacts, words: ProgramArguments) {
  const leading = leadingOptions(words, facts.options ?? "--version --help");
  const rest = words.slice(leading?.end ?? 0);
  return { options: leading?.given.map(({ name }) => name), subcommand: subcommandOf(facts, rest[0]), rest };
}

function subcommandOf(facts: CommandFacts, word: string | undefined): CommandFacts | undefined {
  if (word === undefined || !facts.subcommands) return undefined;
  const { known } = subcommandsOf(facts);
  const found = known.get(word);
  if (found || facts.unlisted !== "abbreviation") return found;
  const starting = [...known.keys()].filter((name) => name.startsWith(word));
  return starting.length === 1 ? known.get(starting[0] ?? "") : undefined;
}

interface Subcommands {
  known: ReadonlyMap<string, CommandFacts>;
  /** All names of each sub-command that has several. */
  aliases: ReadonlyMap<string, readonly string[]>;
}

const subcommandTables = new WeakMap<CommandFacts, Subcommands>();

function subcommandsOf(facts: CommandFacts): Subcommands {
  const before = subcommandTables.get(facts);
  if (before) return before;
  const { subcommands = {}, aliases = "" } = facts;
  const found = {
    known: byName(Object.entries(subcommands)),
    aliases: aliasesIn([...Object.keys(subcommands), aliases].join(" ")),
  };
  subcommandTables.set(facts, found);
  return found;
}

/** Returns all names of each thing that has several: `install|i|add test|t`. */
function aliasesIn(text: string): ReadonlyMap<string, readonly string[]> {
  const groups = text.split(/\s+/).map((group) => group.split("|"));
  return new Map(groups.flatMap((names) => (names.length > 1 ? names.map((name) => [name, names] as const) : [])));
}

/** Returns the entry of each name, aliases included. */
function byName<T>(entries: readonly (readonly [names: string, T])[]): ReadonlyMap<string, T> {
  return new Map(entries.flatMap(([names, entry]) => names.split(/[\s|]+/).map((name) => [name, entry])));
}

export type SubcommandFacts = CommandFacts | undefined;

/** For rules that deny or ask: the facts about the sub-command that a rule names. */
export function innerFacts(facts: SubcommandFacts, name: string): SubcommandFacts {
  return facts && subcommandOf(facts, name);
}

/** For rules that deny or ask: whether a word means the sub-command that a rule names. */
export function isSameSubcommand(levels: readonly SubcommandFacts[], word: string, name: string): boolean {
  if (word === name || word.startsWith(`${name}/`)) return true;
  return levels.some((facts) => {
    if (!facts) return false;
    const { aliases, known } = subcommandsOf(facts);
    const names = aliases.get(name) ?? [name];
    // `kubectl delete pod/x`, `svc,pod`, `deployments.apps`
    if (word.split(",").some((each) => names.includes(each.split(/[/.]/, 1)[0] ?? ""))) return true;
    if (!facts.abbreviates) return false;
    // npm also reads `distTag` as `dist-tag` (lib/utils/cmd-list.js).
    const plain = word.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return names.includes(plain) || (plain !== "" && !known.has(plain) && names.some((each) => each.startsWith(plain)));
  });
}

/** For rules that deny or ask: all names of an option. */
export function namesOfOption(levels: readonly SubcommandFacts[], option: string): readonly string[] {
  const all = levels.map((facts) => facts?.optionNames ?? "").join(" ");
  return aliasesIn(all).get(option) ?? [option];
}

/** Programs that are another one, or a sub-command of it. */
const sameAs: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    ...{ npx: "npm exec", bunx: "bun x", pnpx: "pnpm dlx", yarnpkg: "yarn", nodejs: "node", gmake: "make" },
    ...{ "docker-compose": "docker compose", batcat: "bat", fdfind: "fd", gsed: "sed" },
  }).map(([name, words]) => [name, words.split(" ")]),
);

/** For rules that deny or ask: whether the words of a program name another one, which it runs. */
export function launchesWords(program: string): boolean {
  return programEntry(baseName(program))?.launches === true;
}

function baseName(program: string): string {
  const name = /(?<![^/\\])[^/\\]+$/.exec(program)?.[0] ?? program;
  return name.toLowerCase().replace(/(?<=.)\.(exe|cmd|bat|com|ps1)$/, "");
}

/** For rules that deny or ask: names a program without its folder, as `npm exec` for `/usr/bin/npx.cmd`. */
export function canonicalWords(words: readonly (string | undefined)[]): readonly (string | undefined)[] {
  const [program, ...rest] = words;
  if (program === undefined || /[*?]/.test(program)) return words;
  const name = baseName(program);
  const dashed = /^git-(.+)$/.exec(name)?.[1];
  if (dashed !== undefined) return ["git", dashed, ...rest];
  const same = sameAs.get(name);
  if (same) return [...same, ...rest];
  const plain = name.replace(nameVersion, "");
  const usual = plain !== name && programEntry(plain)?.isVersioned ? plain : name;
  return [usual, ...(longForms.get(usual)?.(rest) ?? rest)];
}

type SomeWords = readonly (string | undefined)[];

/** Short forms of sub-commands, which become the long ones. */
const longForms: ReadonlyMap<string, (words: SomeWords) => SomeWords> = new Map([
  // npm 11: lib/commands/{get,set}.js
  ["npm", withConfig],
  ["pnpm", withConfig],
  // docker(1) 28.2: the commands for images and containers that need no group
  ["docker", withGroup],
  ["podman", withGroup],
  ["python", withModule],
]);

/** python(1): `-mpip` */
function withModule(words: SomeWords): SomeWords {
  const [first, ...rest] = words;
  return first !== undefined && /^-m./.test(first) ? ["-m", first.slice(2), ...rest] : words;
}

function withConfig(words: SomeWords): SomeWords {
  const at = words.findIndex((word) => !word?.startsWith("-"));
  return /^[gs]et$/.test(words[at] ?? "") ? [...words.slice(0, at), "config", ...words.slice(at)] : words;
}

function withGroup(words: SomeWords): SomeWords {
  const [first, ...rest] = words;
  if (first === "rmi") return ["image", "rm", ...rest];
  if (first === "images") return ["image", "ls", ...rest];
  const isContainer = first === "container" && rest[0] !== undefined && /^[a-z]/.test(rest[0]);
  return isContainer ? rest : words;
}

/** Returns the files that it writes, although a rule for it may be meant for reading. */
export function outputFiles(program: string, words: ProgramArguments): string[] {
  const { writes = "" } = entryOfPath(program) ?? {};
  return typeof writes === "function" ? writes(words) : optionValues(writes, words);
}

/** Returns what it certainly changes; undefined if nothing is known about that. */
export function changesOf(program: string, words: ProgramArguments): ChangedPath[] | undefined {
  return entryOfPath(program)?.changes?.(words);
}

/** Whether it runs a program on this machine that its words name. */
export function launchesLocally(name: string): boolean {
  const entry = programEntry(name);
  return entry !== undefined && launchers.has(entry) && (entry.launches || entry.runsOtherCode === "always");
}

const launchers: ReadonlySet<Program> = new Set(Object.values(wrapperPrograms));

/** Whether its first plain word is a program that it runs. */
export function runsScript(name: string): boolean {
  return programEntry(name)?.runsFile === true;
}

/** Whether no words can make it run, write, read or send anything. */
export function isPure(name: string): boolean {
  return programEntry(name)?.files === "ignored";
}

/** Whether it does nothing but read the files that these arguments name. */
export function readsNamedFiles(name: string, words: ProgramArguments): boolean {
  return programEntry(name)?.files === "read" && reachOf(name, words) === "named";
}

/** Whether no arguments make it run other code, and no file in its folder does. */
export function runsOnlyItself(program: string): boolean {
  const entry = entryOfPath(program);
  if (!entry || entry.runsOtherCode || entry.usesRepository) return false;
  return entry.files !== undefined || entry.isSelfContained === true;
}

/** Whether it may treat a file name that begins with a dash, from a wildcard, as an option. */
export function globsCanBeOptions(name: string): boolean {
  const entry = programEntry(name);
  return entry?.files === undefined || entry.globsCanBeOptions === true;
}

export function onlyReads(name: string, words: ProgramArguments): boolean {
  const entry = programEntry(name);
  return entry !== undefined && (entry.files ?? withoutOptions(entry, words).subcommand?.files) !== undefined;
}

export function readsRecursively(name: string, words: ProgramArguments): RecursiveRead | undefined {
  const { readsRecursively: condition = "" } = programEntry(name) ?? {};
  if (typeof condition === "function") return condition(words);
  return hasArgument(condition, words) ? allFiles : undefined;
}

/** Returns its effect, for the permission card; empty if its name says it or nothing is known. */
export function effectOf(program: string, words: ProgramArguments): string {
  const entry = entryOfPath(program);
  return (entry && withoutOptions(entry, words).subcommand?.effect) ?? entry?.effect ?? "";
}

/** Returns the pattern that "Always allow" suggests: the program, its sub-command, and any further words. */
export function suggestedPattern(words: readonly string[]): string | undefined {
  const [program = "", ...rest] = words;
  const count = 1 + subcommandDepth(entryOfPath(program), rest);
  const head = words.slice(0, count);
  const isNamed = head.every((word, index) => !word.startsWith("-") || (index > 0 && word === "-m"));
  const named = isNamed && head.length === count ? head : words;
  // Wildcards of the command would be wildcards of the rule.
  if (named.some((word) => /[*?]/.test(word))) return undefined;
  return named === head ? `${head.join(" ")} *` : words.join(" ");
}

function subcommandDepth(facts: CommandFacts | undefined, [word, ...rest]: ProgramArguments): number {
  if (!facts?.hasSubcommands && !facts?.subcommands && facts?.options === undefined) return 0;
  return 1 + subcommandDepth(subcommandOf(facts, word), rest);
}

/** Returns the command that the program launches instead of, or in addition to, itself; undefined for none. */
export const unwrap: Unwrap = (name, words, input, inputShapes) => {
  const { wraps, readsNamesFrom } = programEntry(name) ?? {};
  const source = readsNamesFrom?.(words.slice(1).map(({ values }) => values?.[0] ?? ""));
  // Names that it reads are judged like one word that may be any of them.
  if (source)
    return [{ type: "itself", words: [...words, unknown("…", source === "input" ? inputShapes : undefined)] }];
  if (!wraps || typeof wraps === "function") return wraps?.(words, input, inputShapes);
  const rest = words.slice(1);
  const end = requireOptions(rest, wraps.options).end + (wraps.operands ?? 0);
  // An unknown word may become several.
  if (rest.slice(0, end).some(({ values, isGlob }) => !values || isGlob)) throw new UnsupportedSyntax();
  return [end < rest.length ? { type: "command", words: rest.slice(end) } : { type: "itself", words }];
};
