/** Simple commands: what the shell does itself, and programs that run what stands in their arguments. */
import { mayBeSet, mayPrecede } from "./environment.ts";
import { isNumeral } from "./expressions.ts";
import { both, type Flow, lostState, type ShellState, withVariable } from "./state.ts";
import type { Walking } from "./walk.ts";
import { holdsCode, literal, Unclear, unknown, type Word } from "./word.ts";
import { splitWrapper, wrappers } from "./wrappers.ts";

interface Given {
  words: readonly Word[];
  /** Its standard input, where it is known before it runs. */
  input: string | undefined;
  state: ShellState;
  walking: Walking;
}

/** @throws Unclear when it cannot be told what it runs */
export function simpleCommand(given: Given): Flow {
  const { words, state, walking } = given;
  const [first, ...rest] = words;
  if (!first) return both(state);
  const program = known(first);
  if (!/^[\w./~+:-]+$|^\[$/.test(program) || keywords.has(program)) throw new Unclear();
  const body = state.functions.get(program);
  if (body) return both(walking.call(body, state));
  const name = systemName(program);
  const run = own(builtins, name) ?? own(runners, name);
  if (run) return run({ ...given, words: rest }, words);
  if (name in wrappers) return inner(splitWrapper(name, rest), given, words);
  return ordinary(words, state, walking);
}

/** The name of a program of the system, be it given with its folder; else the path. */
export function systemName(program: string): string {
  return /^(?:(?:\/usr(?:\/local)?|\/opt\/homebrew)?\/s?bin\/)?([^/]+)$/.exec(program)?.[1] ?? program;
}

type Run = (given: Given, words: readonly Word[]) => Flow;

const keywords = new Set(
  "if then else elif fi for while until do done case esac select function in coproc { } ! [[ ]]".split(" "),
);

function own(table: Readonly<Record<string, Run>>, name: string): Run | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The one value of a word. @throws Unclear when it may have others */
function known({ values, isGlob }: Word): string {
  const [value, ...others] = values ?? [];
  if (value === undefined || others.length > 0 || isGlob) throw new Unclear();
  return value;
}

function ordinary(words: readonly Word[], { folders, ...state }: ShellState, walking: Walking): Flow {
  walking.emit({ type: "command", words: [...words], folders });
  return both({ folders, ...state });
}

/** The command that a program runs; without one, the program is what it is. */
function inner(words: readonly Word[], given: Given, all: readonly Word[]): Flow {
  const { state, walking } = given;
  if (words.length === 0) return ordinary(all, state, walking);
  // Programs know nothing of the shell's functions, nor can they move it.
  const flow = simpleCommand({ ...given, words, state: { ...state, functions: new Map() } });
  return flow.yes.lost ? both(lostState) : both(state);
}

/** What cannot be taken for a computation. */
function isCount({ text, values }: Word): boolean {
  return /^"?\$[?#]"?$/.test(text) || (values?.every((value) => /^-?[\d.]+$/.test(value)) ?? false);
}

function counted({ words, state, walking }: Given): Flow {
  if (walking.computes && !words.every(isCount)) throw new Unclear();
  return both(state);
}

const nothing: Run = ({ state }) => both(state);

const unclear: Run = () => {
  throw new Unclear();
};

/** What the shell does itself, and what changes what it knows. */
const builtins: Readonly<Record<string, Run>> = {
  ...Object.fromEntries("true false : wait".split(" ").map((name) => [name, nothing])),
  ...Object.fromEntries("exit return break continue shift logout".split(" ").map((name) => [name, counted])),
  ...Object.fromEntries(
    `source . alias unalias enable hash fc bind complete compopt mapfile readarray let shopt getopts declare typeset export local
    readonly unset popd history jobs disown suspend caller umask ulimit setopt unsetopt emulate zmodload autoload functions
    vared zle sched noglob nocorrect repeat foreach always
    integer float private nameref print`
      .split(/\s+/)
      .map((name) => [name, unclear]),
  ),
  cd: move,
  chdir: move,
  pushd: (given) => {
    const { yes, no } = move(given);
    return { yes: { ...yes, before: undefined }, no };
  },
  "[": test,
  test,
  read: readLine,
  set: ({ words, state }) => {
    const flags = words.map(known);
    const isHarmless = flags.every((flag, index) => {
      if (/^-[efux]*o$/.test(flags[index - 1] ?? "")) return /^(pipefail|errexit|nounset|xtrace)$/.test(flag);
      return flag === "-o" || /^[-+][efux]+o?$/.test(flag);
    });
    if (!isHarmless || flags.length === 0) throw new Unclear();
    return both(state);
  },
  eval: ({ words, state, walking }) => both(walking.code(words.map(known).join(" "), state)),
  trap: ({ words, state, walking }) => {
    const [action, ...signals] = words.map(known);
    if (action === undefined || signals.length === 0 || (action.startsWith("-") && action !== "-")) throw new Unclear();
    // Whenever it runs, much may have changed.
    if (action !== "-" && action !== "") walking.code(action, lostState);
    return both(state);
  },
  exec: (given, all) => {
    if (given.words.length === 0) return both(given.state);
    return inner(splitWrapper("exec", given.words), given, all);
  },
  time: (given) => simpleCommand({ ...given, words: splitWrapper("time", given.words) }),
  command: (given, all) => {
    const [flag] = given.words;
    if (flag && /^-[vV]$/.test(flag.text)) return both(given.state);
    return inner(splitWrapper("command", given.words), given, all);
  },
  builtin: (given, all) => inner(splitWrapper("builtin", given.words), given, all),
  printf: ({ words, state, walking }, all) => {
    const [format = literal(""), ...values] = words;
    if (/^-/.test(known(format))) throw new Unclear();
    // `%d` and widths are numbers.
    const isText = /^(?:[^%]|%-?\d*(?:\.\d+)?[sbqc%])*$/s.test(known(format));
    if (walking.computes && !isText && !values.every(isCount)) throw new Unclear();
    return ordinary(all, state, walking);
  },
};

/** `cd` goes where it was told, or fails and stays. By the letters of the path, or by the links in it. */
function move({ words, state, walking }: Given): Flow {
  const [target = literal("~"), ...others] = words.filter(({ text }) => text !== "--");
  walking.emit({ type: "mention", words: [target], folders: state.folders });
  const values = target.isGlob ? undefined : target.values;
  const { folders, before } = state;
  if (target.text === "-" && others.length === 0)
    return { yes: { ...state, folders: before, before: folders }, no: state };
  if (others.length > 0 || !values || !folders || values.some((value) => /^[-+]|^$/.test(value))) {
    return both({ ...state, folders: undefined, before: undefined });
  }
  const reached = values.flatMap((value) => folders.flatMap((folder) => below(folder, value)));
  return { yes: { ...state, folders: [...new Set(reached)].slice(0, 8), before: folders }, no: state };
}

function below(folder: string, path: string): string[] {
  const full = from(folder, path);
  return /(^|\/)\.\.(\/|$)/.test(path) ? [full, withoutUps(full)] : [full];
}

/** The path as seen from where the command began. */
export function from(folder: string, path: string): string {
  return folder === "" || /^[/~]/.test(path) ? path : `${folder}/${path}`;
}

function withoutUps(path: string): string {
  const kept: string[] = [];
  for (const name of path.split("/")) {
    const last = kept.at(-1);
    if (name === ".." && last !== undefined && !/^(\.\.|~.*|)$/.test(last)) kept.pop();
    else if (name !== ".") kept.push(name);
  }
  return kept.join("/") || ".";
}

function test({ words, state, walking }: Given): Flow {
  const texts = words.map(({ text }) => text);
  if (texts.some((text) => /^-[vR]$/.test(text))) throw new Unclear();
  const isPlain = texts.some((text) => /^(-[a-z]|!?=|==|-[a-z]{2})$/i.test(text));
  if (!isPlain && words.some(({ values }) => !values)) throw new Unclear();
  const isNumbers = texts.every((text, index) => /^-[a-z]+$|^!$/.test(text) || isCount(words[index] ?? literal("")));
  if (walking.computes && texts.some(isNumeral) && !isNumbers) throw new Unclear();
  walking.emit({ type: "mention", words: [...words], folders: state.folders });
  return both(state);
}

function readLine({ words, state }: Given): Flow {
  const names: string[] = [];
  let skip = false;
  for (const value of words.map(known)) {
    // Some shells compute the time that `-t` gives.
    if (skip && holdsCode(value)) throw new Unclear();
    if (skip) skip = false;
    else if (/^-[rs]*[dnNptu]$/.test(value)) skip = true;
    else if (!/^-[rse]+$/.test(value)) names.push(value);
  }
  if (!names.every(mayBeSet)) throw new Unclear();
  return both(names.reduce((current, name) => withVariable(current, name, undefined), state));
}

/** Programs that run a command which is put together from their arguments. */
const runners: Readonly<Record<string, Run>> = {
  env: (given, all) => {
    const { words } = given;
    let at = 0;
    for (; at < words.length; at++) {
      const [word, next] = words.slice(at);
      const value = word ? known(word) : "";
      const name = /^([A-Za-z_]\w*)=/.exec(value)?.[1];
      if (name !== undefined) {
        if (!mayPrecede(name)) throw new Unclear();
      } else if (value === "-u" && next && mayBeSet(known(next))) at++;
      else if (!/^(-|-i|--ignore-environment)$/.test(value)) break;
    }
    const command = words.slice(at);
    if (command[0]?.text.startsWith("-")) throw new Unclear();
    return inner(command, given, all);
  },
  xargs: (given, all) => {
    const place = /^-I(.*)$/;
    const values = given.words.map(({ values }) => values?.[0] ?? "");
    const at = values.findIndex((value) => place.test(value));
    const command = splitWrapper("xargs", given.words);
    const isOwn = at >= 0 && at < given.words.length - command.length;
    const name = isOwn ? place.exec(values[at] ?? "")?.[1] || values[at + 1] || "" : undefined;
    const first = command.length === 0 ? [literal("echo")] : command;
    const full =
      name === undefined
        ? [...first, unknown("…")]
        : first.map((word) => (word.values?.every((value) => !value.includes(name)) ? word : unknown(word.text)));
    return inner(full, { ...given, input: undefined }, all);
  },
  find: (given, all) => {
    const kept: Word[] = [];
    for (let at = 0; at < all.length; at++) {
      const word = all[at] ?? literal("");
      if (!/^-(exec|execdir|ok|okdir)$/.test(word.values?.[0] ?? "")) {
        kept.push(word);
        continue;
      }
      const length = all.slice(at + 1).findIndex(({ values }) => /^[;+]$/.test(values?.[0] ?? ""));
      if (length <= 0) throw new Unclear();
      const words = all.slice(at + 1, at + 1 + length);
      const run = words.map((one) => (one.values?.every((value) => !value.includes("{}")) ? one : unknown(one.text)));
      const folders = word.text.endsWith("dir") ? undefined : given.state.folders;
      inner(run, { ...given, input: undefined, state: { ...given.state, folders } }, run);
      at += length + 1;
    }
    return ordinary(kept, given.state, given.walking);
  },
  // Others understand the same text in another way.
  ...Object.fromEntries("sh bash dash".split(" ").map((name) => [name, shell])),
};

function shell({ words, input, state, walking }: Given, all: readonly Word[]): Flow {
  const fresh = { ...lostState, folders: state.folders };
  let isCode = false;
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at];
    const flag = word ? known(word) : "";
    if (/^(--version|--help)$/.test(flag) && words.length === 1) return ordinary(all, state, walking);
    if (flag === "-o" && words[at + 1]?.text === "pipefail") at++;
    else if (/^-[efhluxi]*c[efhluxi]*$/.test(flag)) isCode = true;
    else if (!/^[-+][efhluxi]+$|^--(login|norc|noprofile|posix)$/.test(flag)) break;
  }
  const script = words[at];
  if (isCode) walking.code(known(script ?? unknown("")), fresh);
  else if (script) {
    if (/^[-+]/.test(known(script))) throw new Unclear();
    return ordinary(all, state, walking);
  } else if (input === undefined) throw new Unclear();
  else walking.code(input, fresh);
  return both(state);
}
