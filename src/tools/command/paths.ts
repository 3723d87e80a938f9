/** Which words of a command may name files. */
import { isFlag, isGiven } from "./programs/arguments.ts";
import { programEntry } from "./programs/table.ts";
import { systemName } from "./shell/simple-command.ts";

/** Never counts as a path outside: reading and writing it touches no file. */
export function isHarmlessDevice(path: string): boolean {
  return /^\/dev\/(null|zero|stdin|stdout|stderr|tty|random|urandom|fd\/\d+)$/.test(path);
}

/** `~name` is the home folder of somebody, which is outside wherever it is. */
export function otherHome(word: string): string {
  return /^~[^/]/.test(word) ? `/${word}` : word;
}

/** Returns everything but flags, and the values inside of flags and assignments. */
export function pathWords(words: readonly string[]): string[] {
  const [program = "", ...rest] = words;
  const entry = programEntry(program);
  const files = entry?.patternUnless === undefined ? rest : withoutPatterns(rest, entry.patternUnless);
  const own = systemName(program).includes("/") ? [program] : [];
  return [...own, ...files.flatMap(filesIn), ...(entry?.usesRepository ? files.flatMap(storedFile) : [])];
}

/** The pattern is the value of each `-e`, or the first plain word. */
function withoutPatterns(words: readonly string[], unless: string): readonly string[] {
  if (isGiven(unless, words)) return words.filter((_, index) => words[index - 1] !== "-e");
  const at = words.findIndex((word) => !word.startsWith("-"));
  return words.filter((_, index) => index !== at);
}

/** In a text that could not be taken apart: what looks like the path of a file. */
export function likelyPaths(command: string): string[] {
  const tokens = command.replaceAll(/\$(HOME\b|\{HOME\})/g, "~").split(/[\s;&|<>()`"'=,{}]+/);
  return [...new Set(tokens.filter((token) => /^[/~.]|\//.test(token)))].slice(0, 100);
}

/** `HEAD:src/a.ts`, `:(top)src/a.ts`: a file as it was, or wherever git runs. */
function storedFile(word: string): string[] {
  const plain = word.replace(/^:(\([^)]*\)|[/!^]+)/, ":");
  const names = [...plain.matchAll(/:/g)].map(({ index }) => plain.slice(index + 1));
  return names.filter((name) => name !== "" && !/^[/~\s]/.test(name));
}

/** `src/a.ts`, `--output=../x`, `-I../x`, `if=/dev/sda`: the parts of a word that may be paths. */
function filesIn(word: string): string[] {
  const values: string[] = [];
  if (!isFlag(word)) values.push(word);
  const equals = word.indexOf("=");
  if (equals >= 0) values.push(word.slice(equals + 1));
  const inFlag = /^-[A-Za-z]+?([/~.].*)$/.exec(word)?.[1];
  if (inFlag !== undefined) values.push(inFlag);
  return values.filter((value) => !/^(-|\d*)$/.test(value) && !value.includes("\0"));
}
