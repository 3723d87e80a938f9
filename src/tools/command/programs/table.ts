/** Looks up the facts about a program, and derives its permissions from them. */
import { leadingOptions, requireOptions } from "../shell/leading-options.ts";
import type { Unwrap } from "../shell/visitor.ts";
import { UnsupportedSyntax } from "../shell/word.ts";
import { archivePrograms } from "./archives.ts";
import { hasArgument, namesSubcommands, optionValues, type ProgramArguments } from "./arguments.ts";
import { searchPrograms } from "./find-grep.ts";
import { gitPrograms } from "./git.ts";
import { interpreterPrograms } from "./interpreters.ts";
import { networkPrograms } from "./network.ts";
import { allFiles, type CommandFacts, type Program, type Programs, type RecursiveRead } from "./program.ts";
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

export function programEntry(name: string): Program | undefined {
  const versioned = programsByName.get(name.replace(/\d[\d.]*w?$/, ""));
  return programsByName.get(name) ?? (versioned?.isVersioned ? versioned : undefined);
}

/** For facts that narrow a rule: a program in a workspace folder may be the one that its name says. */
function entryOfPath(program: string): Program | undefined {
  return programEntry(program.slice(program.lastIndexOf("/") + 1).toLowerCase());
}

/** Whether it runs other code or does more than a rule for it means, so that only an exact rule allows it. */
export function runsOtherCode(program: string, words: ProgramArguments): boolean {
  const entry = entryOfPath(program);
  return entry !== undefined && factsRunOtherCode(entry, words);
}

function factsRunOtherCode(facts: CommandFacts, words: ProgramArguments): boolean {
  const { runsOtherCode: condition = "", harmlessOptions, unlisted } = facts;
  if (condition === "always" || (typeof condition === "function" && condition(words))) return true;
  const pattern = typeof condition === "string" ? condition : "";
  const { options, subcommand, rest } = withoutOptions(facts, words);
  if (hasArgument(pattern, words) || hasArgument(pattern, rest)) return true;
  const harmless = harmlessOptions?.split(" ");
  if (options && harmless && !options.every((option) => harmless.includes(option))) return true;
  const judgesSubcommands = facts.options !== undefined || facts.subcommands || namesSubcommands(pattern);
  // An unknown option may hide the sub-command, and programs differ about `--`.
  if (judgesSubcommands && (options ? options.includes("--") : !subcommand)) return true;
  if (subcommand) return factsRunOtherCode(subcommand, rest.slice(1));
  return unlisted !== undefined && rest.length > 0;
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

function subcommandOf({ subcommands, unlisted }: CommandFacts, word: string | undefined): CommandFacts | undefined {
  if (word === undefined || !subcommands) return undefined;
  const all = subcommandTables.get(subcommands) ?? byName(Object.entries(subcommands));
  subcommandTables.set(subcommands, all);
  const known = all.get(word);
  if (known || unlisted !== "abbreviation") return known;
  const starting = [...all.keys()].filter((name) => name.startsWith(word));
  return starting.length === 1 ? all.get(starting[0] ?? "") : undefined;
}

const subcommandTables = new Map<object, ReadonlyMap<string, CommandFacts>>();

/** Returns the entry of each name, aliases included. */
function byName<T>(entries: readonly (readonly [names: string, T])[]): ReadonlyMap<string, T> {
  return new Map(entries.flatMap(([names, entry]) => names.split(/[\s|]+/).map((name) => [name, entry])));
}

/** Returns the files that it writes, although a rule for it may be meant for reading. */
export function outputFiles(program: string, words: ProgramArguments): string[] {
  const { writes = "" } = entryOfPath(program) ?? {};
  return typeof writes === "function" ? writes(words) : optionValues(writes, words);
}

/** Whether no words can make it run, write, read or send anything. */
export function isPure(name: string): boolean {
  return programEntry(name)?.files === "ignored";
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
export function suggestedPattern(words: readonly string[]): string {
  const [program = "", ...rest] = words;
  const count = 1 + subcommandDepth(entryOfPath(program), rest);
  const head = words.slice(0, count);
  const isNamed = head.every((word, index) => !word.startsWith("-") || (index > 0 && word === "-m"));
  return isNamed && head.length === count ? `${head.join(" ")} *` : words.join(" ");
}

function subcommandDepth(facts: CommandFacts | undefined, [word, ...rest]: ProgramArguments): number {
  if (!facts?.hasSubcommands && !facts?.subcommands && facts?.options === undefined) return 0;
  return 1 + subcommandDepth(subcommandOf(facts, word), rest);
}

/** Returns the command that the program launches instead of, or in addition to, itself; undefined for none. */
export const unwrap: Unwrap = (name, words, input, inputShapes) => {
  const wraps = programEntry(name)?.wraps;
  if (!wraps || typeof wraps === "function") return wraps?.(words, input, inputShapes);
  const rest = words.slice(1);
  const end = requireOptions(rest, wraps.options).end + (wraps.operands ?? 0);
  // An unknown word may become several.
  if (rest.slice(0, end).some(({ values, isGlob }) => !values || isGlob)) throw new UnsupportedSyntax();
  return [end < rest.length ? { type: "command", words: rest.slice(end) } : { type: "itself", words }];
};
