/** Finds the words of a command that may name files. */
import { likelyFolders } from "../../base/secret-places.ts";
import { looseWords } from "../text/loose-words.ts";
import { hasArgument, isFlag } from "./programs/arguments.ts";
import { programEntry } from "./programs/table.ts";
import { expandBraces, marks } from "./shell/pattern.ts";
import { systemName } from "./shell/simple-command.ts";

/** Whether reading and writing the path touches no file, so that it never counts as outside. */
export function isHarmlessDevice(path: string): boolean {
  return /^\/dev\/(null|zero|stdin|stdout|stderr|tty|random|urandom|fd\/\d+)$/.test(path);
}

/** Returns everything but flags, and the values inside of flags and assignments. */
export function pathWords(words: readonly string[]): string[] {
  const [program = ""] = words;
  const files = withoutPatterns(words);
  const own = systemName(program).includes("/") ? [program] : [];
  const stored = programEntry(program)?.usesRepository ? files.flatMap(storedFile) : [];
  return [...own, ...files.flatMap(filesIn), ...stored];
}

/**
 * Returns parts of words that programs may read as files, although most do not: `-d@.env`, `-F a=@x`, `-f.env`,
 * `host:x`, `-v ~/.ssh:/y`, `file:///x`. Only those that are protected count.
 */
export function guessedPaths(words: readonly string[]): string[] {
  return [...new Set(withoutPatterns(words).flatMap(guessesIn))].filter((part) => part.length > 1);
}

function guessesIn(word: string): string[] {
  if (/^\w+:\/\//.test(word)) return /^file:/i.test(word) ? [decoded(word.replace(/^file:\/\/[^/]*/i, ""))] : [];
  const glued = /^-\w./.test(word) ? [word.slice(2), word.replace(/^-\w+/, "")] : [];
  const parts = [word, ...glued].flatMap((part) => (/[@:,;=<>]/.test(part) ? part.split(/\\?[@:,;=<>]+/) : [part]));
  return parts.filter((part) => part !== word);
}

const decoded = (url: string) =>
  url.replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Returns a program's arguments but for a pattern to search for: the value of each `-e`, or the first plain word. */
function withoutPatterns([program = "", ...words]: readonly string[]): readonly string[] {
  const unless = programEntry(program)?.patternUnless;
  if (unless === undefined) return words;
  if (hasArgument(unless, words)) return words.filter((_, index) => words[index - 1] !== "-e");
  const at = words.findIndex((word) => !word.startsWith("-"));
  return words.filter((_, index) => index !== at);
}

/** Returns everything that looks like a path in a text that could not be parsed. */
export function likelyPaths(command: string): string[] {
  const text = command.replaceAll(/\$(HOME\b|\{HOME\})/g, "~");
  return [...new Set(looseWords(text, "=,{}").filter((token) => /^[/~.]|\//.test(token)))].slice(0, 100);
}

/** Returns patterns for the words of a text that could not be parsed, with marks for what a shell would insert. */
export function likelyPatterns(command: string): string[] {
  const usual = command.replace(/\$(?:(\w+)|\{(\w+)(?:[-:=?+%#][^{}]*)?\})/g, (all, plain: string, braced: string) => {
    return likelyFolders(plain ?? braced, process.env).at(-1) ?? all;
  });
  return [...new Set([command, usual].flatMap(patternsOfWords))].slice(0, 300);
}

function patternsOfWords(command: string): string[] {
  let text = command.replaceAll(/\$(HOME\b|\{HOME\})/g, "~");
  for (let depth = 0; depth < 4; depth++) text = text.replace(/\$\(\(?[^()]*\)?\)|`[^`]*`|\$\{[^{}]*\}/g, marks.any);
  text = text.replace(/\$(\w+|[@*#?])/g, marks.any).replace(/\\\n|["']/g, "");
  // A pattern may hold what would part words: `@(a|b)`.
  const words = [...looseWords(text, "", "|()`"), ...looseWords(text, "=,")];
  const all = words.slice(0, 1000).flatMap((word) => expandBraces(word) ?? [marks.any]);
  return [...new Set(all)].filter((word) => /\w/.test(word)).slice(0, 300);
}

/** Returns the files in words of git such as `HEAD:src/a.ts` and `:(top)src/a.ts`. */
function storedFile(word: string): string[] {
  const plain = word.replace(/^:(\([^)]*\)|[/!^]+)/, ":");
  const names = [...plain.matchAll(/:/g)].map(({ index }) => plain.slice(index + 1));
  return names.filter((name) => /^[^/~\s]/.test(name));
}

/** Returns the parts of a word that may be paths: `src/a.ts`, `--output=../x`, `-I../x`, `if=/dev/sda`. */
function filesIn(word: string): string[] {
  const value = word.includes("=") ? word.slice(word.indexOf("=") + 1) : "";
  const inFlag = /^-[A-Za-z]+?([/~.].*)$/.exec(word)?.[1] ?? "";
  const parts = [isFlag(word) ? "" : word, value, inFlag];
  return parts.filter((part) => !/^(-|\d*)$/.test(part));
}
