/** Simple commands: shell builtins and programs. */
import { never } from "../../../base/never.ts";
import { isNumeral } from "./expressions.ts";
import { requireOptions } from "./leading-options.ts";
import { partlyKnownCode } from "./partly-known-code.ts";
import {
  type ExitStates,
  type Folders,
  type ShellState,
  sameExits,
  unknownState,
  withoutParameters,
  withVariable,
} from "./state.ts";
import { isAssignable } from "./variables.ts";
import type { LaunchedCommand, ShellVisitor } from "./visitor.ts";
import { holdsCode, literal, onlyValue, type ShellWord, UnsupportedSyntax } from "./word.ts";

interface SimpleCommand {
  words: readonly ShellWord[];
  /** Standard input; undefined: unknown before the command runs. */
  input: string | undefined;
  /** The text of a here-document as it is written. */
  data: string | undefined;
  /** Whether it reads from anything else than the shell does. */
  changesInput: boolean;
  state: ShellState;
  visitor: ShellVisitor;
}

/** @throws UnsupportedSyntax when it cannot be determined what the command runs */
export function simpleCommand(given: SimpleCommand): ExitStates {
  const { words, input, state, visitor } = given;
  const [first, ...rest] = words;
  if (!first) return sameExits(state);
  const program = onlyValue(first);
  if (!/^[\w./~+:-]+$|^\[$/.test(program) || keywords.has(program)) throw new UnsupportedSyntax();
  const body = state.functions.get(program);
  if (body) return sameExits(visitor.call(body, withArguments(state, rest)));
  const name = systemName(program);
  const run = Object.hasOwn(builtins, name) ? builtins[name] : undefined;
  if (run) return run({ ...given, words: rest }, words);
  const launches = visitor.unwrap(name, words, input, state.input);
  if (!launches) return emitCommand(words, given);
  for (const launch of launches) runLaunch(launch, given);
  return sameExits(state);
}

/** Returns the name of a program given by name or by its path in a system folder; other paths are unchanged. */
export function systemName(program: string): string {
  return /^(?:(?:\/usr(?:\/local)?|\/opt\/homebrew)?\/s?bin\/)?([^/]+)$/.exec(program)?.[1] ?? program;
}

type Builtin = (given: SimpleCommand, words: readonly ShellWord[]) => ExitStates;

const keywords = new Set(
  "if then else elif fi for while until do done case esac select function in coproc { } ! [[ ]]".split(" "),
);

/** Each argument may be any of the function's words, as `shift` moves them. */
function withArguments(state: ShellState, words: readonly ShellWord[]): ShellState {
  const shapes = [...new Set(words.flatMap((word) => word.shapes))];
  return ["1", "2", "3", "4", "5", "6", "7", "8", "9", "@", "*"].reduce(
    (current, name) => withVariable(current, name, undefined, shapes),
    state,
  );
}

function emitCommand(words: readonly ShellWord[], { state, visitor, data }: SimpleCommand): ExitStates {
  visitor.emit({ type: "command", words: [...words], folders: state.folders, data });
  return sameExits(state);
}

function runLaunch(launch: LaunchedCommand, given: SimpleCommand): void {
  const { state, visitor } = given;
  switch (launch.type) {
    case "itself":
      emitCommand(launch.words, given);
      return;
    case "code": {
      const { text, parameters = [] } = launch;
      const start: ShellState = { ...unknownState, folders: state.folders };
      const withParameter = (before: ShellState, { values, isGlob }: ShellWord, index: number) =>
        withVariable(before, `${index}`, isGlob ? undefined : values);
      visitor.code(text, parameters.reduce(withParameter, start));
      return;
    }
    case "partly known code":
      for (const shape of launch.shapes) visitPartly(shape, state, visitor);
      throw new UnsupportedSyntax();
    case "command": {
      const { words, unknown = [] } = launch;
      const input = unknown.includes("input") ? undefined : given.input;
      let folders = unknown.includes("folder") ? undefined : state.folders;
      for (const target of launch.folders ?? []) {
        visitor.emit({ type: "mention", words: [target], folders });
        folders = foldersIn(folders, target);
      }
      // Programs do not know the shell's functions and cannot change its folder.
      simpleCommand({ ...given, words, input, state: { ...state, folders, functions: new Map() } });
      return;
    }
    default:
      never(launch);
  }
}

function visitPartly(shape: string, { folders }: ShellState, visitor: ShellVisitor): void {
  const { text, variables } = partlyKnownCode(shape);
  const start = [...variables].reduce<ShellState>(
    (state, [name, value]) => withVariable(state, name, undefined, [value]),
    { ...unknownState, folders },
  );
  try {
    visitor.code(text, start);
  } catch (error) {
    if (!(error instanceof UnsupportedSyntax)) throw error;
  }
}

/** Visits the command after the options of a builtin such as `exec`; without one, the builtin counts as a program. */
function innerCommand(options: string, given: SimpleCommand, all: readonly ShellWord[]): ExitStates {
  const { state } = given;
  const words = given.words.slice(requireOptions(given.words, options).end);
  if (words.length === 0) return emitCommand(all, given);
  const { yes, no } = simpleCommand({ ...given, words, state: { ...state, functions: new Map() } });
  // A builtin such as `cd` changes this shell.
  const kept = (after: ShellState) => (after.isUnknown ? after : { ...after, functions: state.functions });
  return { yes: kept(yes), no: kept(no) };
}

/** Whether a word is a plain number, which runs no code when the shell evaluates it. */
function isCount({ text, values }: ShellWord): boolean {
  return /^"?\$[?#]"?$/.test(text) || (values?.every((value) => /^-?[\d.]+$/.test(value)) ?? false);
}

const unsupported: Builtin = () => {
  throw new UnsupportedSyntax();
};

function builtinsNamed(names: string, builtin: Builtin): Record<string, Builtin> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, builtin]));
}

const builtins: Readonly<Record<string, Builtin>> = {
  ...builtinsNamed("true false : wait", ({ state }) => sameExits(state)),
  ...builtinsNamed("exit return break continue shift logout", ({ words, state, visitor }) => {
    if (visitor.evaluatesArithmetic && !words.every(isCount)) throw new UnsupportedSyntax();
    return sameExits(withoutParameters(state));
  }),
  ...builtinsNamed("cd chdir", changeFolder),
  ...builtinsNamed("[ test", testCommand),
  ...builtinsNamed(
    `alias unalias enable hash fc bind complete compopt mapfile readarray let shopt getopts declare typeset export local
    readonly unset popd history jobs disown suspend caller umask ulimit setopt unsetopt emulate zmodload autoload functions
    vared zle sched noglob nocorrect repeat foreach always
    integer float private nameref print`,
    unsupported,
  ),
  ...builtinsNamed("source .", (given, words) => {
    const [file] = given.words;
    // The text of the statement names a file that is known.
    if (file && (!file.values || file.isGlob))
      given.visitor.emit({ type: "redirect", access: "read", target: file, folders: given.state.folders });
    return unsupported(given, words);
  }),
  pushd: (given) => {
    const { yes, no } = changeFolder(given);
    return { yes: { ...yes, before: undefined }, no };
  },
  read: readLine,
  set: ({ words, state }) => {
    const flags = words.map(onlyValue);
    const isHarmless = flags.every((flag, index) => {
      if (/^-[efux]*o$/.test(flags[index - 1] ?? "")) return /^(pipefail|errexit|nounset|xtrace)$/.test(flag);
      return flag === "-o" || /^[-+][efux]+o?$/.test(flag);
    });
    if (!isHarmless || flags.length === 0) throw new UnsupportedSyntax();
    return sameExits(state);
  },
  eval: ({ words, state, visitor }) => sameExits(visitor.code(words.map(onlyValue).join(" "), state)),
  trap: ({ words, state, visitor }) => {
    const [action, ...signals] = words.map(onlyValue);
    if (action === undefined || signals.length === 0 || (action.startsWith("-") && action !== "-"))
      throw new UnsupportedSyntax();
    // Anything may have changed by then.
    if (action !== "-" && action !== "") visitor.code(action, unknownState);
    return sameExits(state);
  },
  // Not `-a`: programs such as busybox choose their function by that name.
  exec: (given, all) => {
    if (given.words.length > 0) return innerCommand("-c -l", given, all);
    // From here on, the shell itself reads from there.
    if (given.changesInput) throw new UnsupportedSyntax();
    return sameExits(given.state);
  },
  time: (given) => simpleCommand({ ...given, words: given.words.slice(requireOptions(given.words, "-p").end) }),
  command: (given, all) => {
    const [flag] = given.words;
    if (flag && /^-[vV]$/.test(flag.text)) return sameExits(given.state);
    return innerCommand("-p", given, all);
  },
  builtin: (given, all) => innerCommand("", given, all),
  printf: (given, all) => {
    const { words, visitor } = given;
    const [format = literal(""), ...values] = words;
    if (/^-/.test(onlyValue(format))) throw new UnsupportedSyntax();
    // `%d` and widths are evaluated as numbers.
    const isText = /^(?:[^%]|%-?\d*(?:\.\d+)?[sbqc%])*$/s.test(onlyValue(format));
    if (visitor.evaluatesArithmetic && !isText && !values.every(isCount)) throw new UnsupportedSyntax();
    return emitCommand(all, given);
  },
};

/** Visits `cd`, which may fail. Depending on the shell, `..` is resolved before or after symbolic links. */
function changeFolder({ words, state, visitor }: SimpleCommand): ExitStates {
  const [target = literal("~"), ...others] = words.filter(({ text }) => text !== "--");
  visitor.emit({ type: "mention", words: [target], folders: state.folders });
  const { folders, before } = state;
  if (target.text === "-" && others.length === 0)
    return { yes: { ...state, folders: before, before: folders }, no: state };
  const reached = others.length > 0 ? undefined : foldersIn(folders, target);
  if (!reached) return sameExits({ ...state, folders: undefined, before: undefined });
  return { yes: { ...state, folders: reached, before: folders }, no: state };
}

/** A command in more folders counts as one in an unknown folder. */
const maxFolders = 8;

/** Returns the folders that a path may lead to. */
function foldersIn(folders: Folders, { values, isGlob }: ShellWord): Folders {
  if (isGlob || !values || !folders || values.some((value) => /^[-+]|^$/.test(value))) return undefined;
  const reached = values.flatMap((value) => {
    const paths = folders.map((folder) => pathFrom(folder, value));
    return /(^|\/)\.\.(\/|$)/.test(value) ? paths.flatMap((path) => [path, withoutUps(path)]) : paths;
  });
  const all = [...new Set(reached)];
  return all.length > maxFolders ? undefined : all;
}

/** Returns the path relative to the folder where the command began. */
export function pathFrom(folder: string, path: string): string {
  return folder === "" || /^[/~]/.test(path) ? path : `${folder}/${path}`;
}

function withoutUps(path: string): string {
  const kept: string[] = [];
  for (const name of path.split("/")) {
    const last = kept.at(-1);
    if (name === ".." && last !== undefined && !/^(\.\.|~.*|)$/.test(last)) kept.pop();
    else if (name !== ".") kept.push(name);
  }
  return kept.join("/") || (path.startsWith("/") ? "/" : ".");
}

function testCommand({ words, state, visitor }: SimpleCommand): ExitStates {
  const texts = words.map(({ text }) => text);
  if (texts.some((text) => /^-[vR]$/.test(text))) throw new UnsupportedSyntax();
  const isPlain = texts.some((text) => /^(-[a-z]|!?=|==|-[a-z]{2})$/i.test(text));
  if (!isPlain && words.some(({ values }) => !values)) throw new UnsupportedSyntax();
  const isNumbers = texts.every((text, index) => /^-[a-z]+$|^!$/.test(text) || isCount(words[index] ?? literal("")));
  if (visitor.evaluatesArithmetic && texts.some(isNumeral) && !isNumbers) throw new UnsupportedSyntax();
  visitor.emit({ type: "mention", words: [...words], folders: state.folders });
  return sameExits(state);
}

function readLine({ words, state }: SimpleCommand): ExitStates {
  const names: string[] = [];
  let skip = false;
  for (const value of words.map(onlyValue)) {
    // Some shells evaluate the number after `-t`.
    if (skip && holdsCode(value)) throw new UnsupportedSyntax();
    if (skip) skip = false;
    else if (/^-[rs]*[dnNptu]$/.test(value)) skip = true;
    else if (!/^-[rse]+$/.test(value)) names.push(value);
  }
  if (!names.every(isAssignable)) throw new UnsupportedSyntax();
  return sameExits(names.reduce((current, name) => withVariable(current, name, undefined, state.input), state));
}
