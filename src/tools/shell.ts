/**
 * Takes commands apart, for permissions (T8). Conservative: what is not surely a list of simple commands made of plain
 * words is `opaque`, and only a rule for exactly that text allows it.
 */
import { runsOthers } from "./runners.ts";

interface SimpleCommand {
  /** As it was written. */
  text: string;
  /** With quotes taken away. */
  words: string[];
}

export type Taken = { type: "simple"; parts: SimpleCommand[] } | { type: "opaque"; why: string };

export function takeApart(command: string): Taken {
  const split = splitCommand(command.trim());
  if (typeof split === "string") return { type: "opaque", why: split };
  for (const part of split) {
    const why = checkWords(part.words);
    if (why) return { type: "opaque", why };
  }
  return { type: "simple", parts: split };
}

/**
 * Words that may name files: everything but flags, and the values inside of flags and assignments. For an opaque
 * command, what looks like an absolute path, a home folder or a way up.
 */
export function pathWords(command: string, taken: Taken): string[] {
  return (taken.type === "opaque" ? likelyPaths(command) : taken.parts.flatMap(filesOf)).map(otherHome);
}

function likelyPaths(command: string): string[] {
  const tokens = command.replaceAll(/\$(HOME\b|\{HOME\})/g, "~").split(/[\s;&|<>()`"'=,{}]+/);
  return tokens.filter((token) => /^[/~]|(^|\/)\.\.(\/|$)/.test(token));
}

function filesOf({ words }: SimpleCommand): string[] {
  const [program = "", ...rest] = words;
  const files = isPatternFirst(words) ? withoutFirstPlain(rest) : rest;
  return [...(isSystemProgram(program) ? [] : [program]), ...files.flatMap(filesIn)];
}

/** `~name` is the home folder of somebody, which is outside wherever it is. */
function otherHome(word: string): string {
  return /^~[^/]/.test(word) ? `/${word}` : word;
}

/** The pattern that "Always allow" would add: the program, its sub-command, and anything after. */
export function alwaysPattern(words: readonly string[]): string {
  const count = 1 + subCommands(words);
  const head = words.slice(0, count);
  const isModule = head[1] === "-m";
  if (head.length < count || (!isModule && head.some((word) => word.startsWith("-")))) return words.join(" ");
  return `${head.join(" ")} *`;
}

/** Never counts as a path outside: reading and writing it touches no file. */
export function isHarmlessDevice(path: string): boolean {
  return /^\/dev\/(null|zero|stdin|stdout|stderr|tty|random|urandom|fd\/\d+)$/.test(path);
}

const outsideQuotes = /[A-Za-z0-9_\-./:,+@%^~*?[\]=\u00a1-\u1fff\u2c00-\ud7ff\ue000-\ufdcf\ufdf0-\ufefe]/;

function splitCommand(command: string): SimpleCommand[] | string {
  const parts: SimpleCommand[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let start = 0;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endPart = (end: number): boolean => {
    endWord();
    if (words.length === 0) return false;
    parts.push({ text: command.slice(start, end).trim(), words });
    words = [];
    return true;
  };
  for (let at = 0; at < command.length; at++) {
    const c = command.charAt(at);
    if (c === " " || c === "\t") endWord();
    else if (c === "'" || c === '"') {
      const end = command.indexOf(c, at + 1);
      if (end < 0) return "a quote is not closed";
      const quoted = command.slice(at + 1, end);
      if (hasControl(quoted)) return "a quoted text goes over several lines";
      if (c === '"' && /[$`\\!]/.test(quoted)) return "it holds a variable, a substitution or an escape";
      word = (word ?? "") + quoted;
      at = end;
    } else if (c === ";" || c === "|" || c === "&") {
      const operator = command.slice(at).match(/^(&&|\|\||[;|])(?![;|&])/)?.[0];
      if (!operator) return "it holds an operator beyond && || ; and |";
      if (!endPart(at)) return "a command is empty";
      at += operator.length - 1;
      start = at + 1;
    } else if (outsideQuotes.test(c)) word = (word ?? "") + c;
    else return reasonFor(c);
  }
  return endPart(command.length) ? parts : "a command is empty";
}

function reasonFor(c: string): string {
  if (c === "$" || c === "`") return "it holds a variable or a substitution";
  if (c === "<" || c === ">") return "it redirects input or output";
  if (c === "\n" || c === "\r") return "it has several lines";
  if (c === "(" || c === ")" || c === "{" || c === "}") return "it holds a group or a brace expansion";
  return `it holds ${JSON.stringify(c)} outside of quotes`;
}

function hasControl(text: string): boolean {
  for (const c of text) if (c < " " || c === "\u007f") return true;
  return false;
}

const keywords = new Set(
  "if then else elif fi for while until do done case esac select function in coproc [[ ]] time".split(" "),
);

function checkWords(words: readonly string[]): string | undefined {
  const program = words[0] ?? "";
  if (!/^[\w./~+:-]+$/.test(program)) return "the name of a command is not plain";
  if (keywords.has(program)) return `"${program}" is a word of the shell's language`;
  return runsOthers(words);
}

/** How many words after the program say what it does. */
function subCommands(words: readonly string[]): number {
  const [program = "", first = ""] = words;
  const twoLevels = `${program} ${first}`;
  if (
    /^(npm|pnpm|yarn|bun|deno) (run|task)$|^(docker|podman) (compose|container|image|volume|network|buildx)$/.test(
      twoLevels,
    )
  )
    return 2;
  if (/^python[\d.]* -m$/.test(twoLevels)) return 2;
  return withSubCommand.has(program) ? 1 : 0;
}

/** Interpreters are here for the name of their script. */
const withSubCommand = new Set(
  `git npm pnpm yarn bun deno npx bunx uvx cargo go docker podman kubectl helm pip pip3 pipx poetry uv conda dotnet make just
  gradle mvn terraform gh glab apt apt-get brew rustup composer bundle rake mix swift flutter dart nx turbo systemctl service
  node python python3 ruby perl php tsx ts-node sh bash zsh`.split(/\s+/),
);

function isSystemProgram(program: string): boolean {
  return !program.includes("/") || /^(\/usr(\/local)?|\/opt\/homebrew)?\/s?bin\/[^/]+$/.test(program);
}

/** Searching programs: their first plain word is a pattern, which often looks like a path. */
function isPatternFirst([program = "", ...rest]: readonly string[]): boolean {
  if (!/^([ef]?grep|rg|ag)$/.test(program)) return false;
  return !rest.some((word) => /^-[a-z]*[ef]/i.test(word) || /^--(regexp|file|files)\b/.test(word));
}

function withoutFirstPlain(words: readonly string[]): string[] {
  const at = words.findIndex((word) => !word.startsWith("-"));
  return words.filter((_, index) => index !== at);
}

/** `src/a.ts`, `--output=../x`, `-I../x`, `if=/dev/sda`: the parts of a word that may be paths. */
function filesIn(word: string): string[] {
  const values: string[] = [];
  if (!word.startsWith("-")) values.push(word);
  const equals = word.indexOf("=");
  if (equals >= 0) values.push(word.slice(equals + 1));
  const inFlag = /^-[A-Za-z]+?([/~].*|\.\.(\/.*)?)$/.exec(word)?.[1];
  if (inFlag !== undefined) values.push(inFlag);
  return values.filter((value) => value !== "");
}
