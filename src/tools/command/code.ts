/** Finds the files that code in the arguments of a command may name. Pure. */
import { holdsMark, isWild, marks } from "./shell/pattern.ts";
import { systemName } from "./shell/simple-command.ts";

/** Programs whose arguments or input can be code, or another command as one word. */
const interpreters =
  /^(node|nodejs|deno|bun|tsx|ts-node|python[\d.]*w?|pypy[\d.]*|ipython|perl[\d.]*|ruby[\d.]*|irb|pry|php[\d.]*|lua[\d.]*|luajit|rscript|r|julia|groovy|scala|jshell|elixir|iex|erl|guile|tclsh|expect|osascript|ghci|runghc|octave|clojure|raku|sqlite3|psql|mysql|mariadb|duckdb|mongosh|redis-cli|vim?|nvim|view|ed|ex|emacs|gdb|lldb|m4|dc|bc|(z|k|mk|c|tc|fi|ba|da|a)?sh|pwsh|powershell|nu|xonsh|elvish|cmd|ssh|sudo|doas|su|docker|podman|kubectl|make|nix|nix-shell|watch|parallel|script|npx|bunx|uv|flock|entr|nodemon|concurrently|tmux|screen|at|batch|find|xargs|env)(\.exe)?$/i;

/** Programs with code of their own, in which only quoted texts name files. */
const quoting = /^([gmn]?awk|jq|yq)$/;

/** Returns whether the program reads code from its standard input when no file is named. */
export const isInterpreter = (program: string) => interpreters.test(baseName(program));

const baseName = (program: string) => systemName(program).split("/").at(-1) ?? "";

/** Returns names and patterns. `data`: the text that the program reads from a here-document. */
export function filesInCode(program: string, words: readonly string[], data: string | undefined): string[] {
  const name = baseName(program);
  const isCode = interpreters.test(name);
  if (!isCode && !quoting.test(name)) {
    return /^g?sed$/.test(name) ? words.flatMap(filesInSed) : [];
  }
  const code = words.filter((word) => /[\s'"`()[\]{}<>;]/.test(word));
  const found = code.flatMap((text) => filesIn(text, isCode));
  return unique([...found, ...(isCode && data !== undefined ? filesIn(data, true) : [])]);
}

/** Returns everything in a text that may be the name of a file: quoted texts, and words that look like paths. */
function filesIn(code: string, alsoBare: boolean): string[] {
  // Code joins texts: 'a' + 'b', "a" . "b", 'a' 'b'.
  const joined = code.replace(/(["'])\s*(?:\+|\.{1,2}|)\s*\1/g, (whole) => (whole.length === 2 ? whole : ""));
  const quoted = [...joined.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`/gs)].map(
    ([, one, two, three]) => decoded(one ?? two ?? three ?? ""),
  );
  const inside = quoted.flatMap((text) => [text, ...text.split(/[\s<>|;&()'"`,=@]+/)]);
  const bare = alsoBare ? [...joined.matchAll(/(?:^|[^\w)\]?$./~'"`-])((?:~|\.{1,2})?\/?[\w.~*/[\]?-]+)/g)] : [];
  const paths = bare.flatMap(([, path = ""]) => (/^[~./]|\//.test(path) ? [path] : []));
  // A text of code is rarely a wildcard without any name: `.*`.
  const isPattern = (text: string) => /^[\w./~*?[\]-]+$/.test(text) || holdsMark(text);
  const isName = (text: string) =>
    text.length > 1 &&
    text.length < 300 &&
    /\w/.test(text) &&
    !text.includes("\n") &&
    (!isWild(text) || isPattern(text));
  return unique([...inside, ...paths].filter(isName)).slice(0, 200);
}

/** sed's commands that read and write files. */
function filesInSed(script: string): string[] {
  return [...script.matchAll(/(?:^|[\s;{}\d$/,!])[rRwW]\s*([^\s;}]+)/g)].flatMap(([, name = ""]) => [name]);
}

/** Decodes escapes, and marks what the language would insert: `${x}`, `#{x}`, `{x}`. */
function decoded(text: string): string {
  const plain = text
    .replace(/[$#]\{[^{}]*\}/g, marks.any)
    .replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]+)\}|([0-7]{3}))/gi, (whole, two, four, many, octal) => {
      const code = octal ? Number.parseInt(octal, 8) : Number.parseInt(two ?? four ?? many, 16);
      return code > 31 && code < 0x110000 ? String.fromCodePoint(code) : whole;
    });
  return isWild(plain) ? plain : plain.replace(/\\(.)/gs, "$1");
}

const unique = (texts: readonly string[]) => [...new Set(texts)];
