/** Which words of a command may name files. */
import { isFlag } from "./options.ts";
import { systemName } from "./simple.ts";

/** Never counts as a path outside: reading and writing it touches no file. */
export function isHarmlessDevice(path: string): boolean {
  return /^\/dev\/(null|zero|stdin|stdout|stderr|tty|random|urandom|fd\/\d+)$/.test(path);
}

/** `~name` is the home folder of somebody, which is outside wherever it is. */
export function otherHome(word: string): string {
  return /^~[^/]/.test(word) ? `/${word}` : word;
}

/** Everything but flags, and the values inside of flags and assignments. */
export function pathWords(words: readonly string[]): string[] {
  const [program = "", ...rest] = words;
  const files = isPatternFirst(program, rest) ? withoutFirstPlain(rest) : withoutScripts(program, rest);
  const own = systemName(program).includes("/") ? [program] : [];
  return [...own, ...files.flatMap(filesIn), ...(program === "git" ? files.flatMap(storedFile) : [])];
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

/** `-e` is followed by a pattern or a script. */
function withoutScripts(program: string, rest: readonly string[]): readonly string[] {
  return searching.test(program) ? rest.filter((_, index) => rest[index - 1] !== "-e") : rest;
}

const searching = /^([ef]?grep|rg|ag|ack|sed|awk|jq)$/;

/** Searching programs: their first plain word is a pattern, which often looks like a path. */
function isPatternFirst(program: string, rest: readonly string[]): boolean {
  if (!searching.test(program)) return false;
  return !rest.some((word) => /^-[a-z]*[ef]/.test(word) || /^--(regexp|file|files|expression)\b/.test(word));
}

function withoutFirstPlain(words: readonly string[]): string[] {
  const at = words.findIndex((word) => !word.startsWith("-"));
  return words.filter((_, index) => index !== at);
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
