/**
 * Takes a command of PowerShell or cmd apart into words, for shells whose grammar is not at hand. More words may come out
 * than the shell sees, never fewer. PowerShell: about_Parsing, about_Quoting_Rules, about_Special_Characters. cmd: `cmd /?`,
 * `set /?`, `for /?`.
 */

import { programFolderVariables } from "../../../base/secret-places.ts";
import { marks } from "../shell/pattern.ts";

export type WindowsShell = "powershell" | "cmd";

/** `shell`: its name, as the terminal gives it. Undefined for all others. */
export function windowsShellOf(shell: string): WindowsShell | undefined {
  const name = shell.replace(/\.exe$/i, "").toLowerCase();
  if (name === "cmd") return "cmd";
  return name === "pwsh" || name === "powershell" ? "powershell" : undefined;
}

/** Code within quotes, as in `cmd /c "type .env"`, is taken apart too, down to this depth. */
const maxDepth = 4;

/** Returns the words without quotes and escapes, `marks.any` for each unknown piece. */
export function windowsWords(command: string, shell: WindowsShell, depth = 0): string[] {
  const words: string[] = [];
  const reader = new CommandReader(command);
  let word: string | undefined;
  const end = () => {
    if (word !== undefined && word !== "") words.push(word);
    word = undefined;
  };
  while (!reader.isAtEnd) {
    const piece = shell === "cmd" ? cmdPiece(reader) : powershellPiece(reader);
    if (piece === separator) {
      end();
      continue;
    }
    word = `${word ?? ""}${piece.text}`;
    const isCode = piece.isQuoted && depth < maxDepth && /[\s;|&(){}'"]/.test(piece.text);
    if (isCode) words.push(...windowsWords(piece.text, shell, depth + 1));
  }
  end();
  return words;
}

interface Piece {
  text: string;
  isQuoted: boolean;
}

const separator = Symbol("separator");

class CommandReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Takes what the sticky pattern matches here. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  /** Takes a PowerShell here-string and returns its lines. */
  takeHereString(): string | undefined {
    const [start, quote] = /@(['"])[^\S\n]*\n/y.exec(this.#text.slice(this.#at, this.#at + 100)) ?? [];
    if (start === undefined) return undefined;
    const from = this.#at + start.length;
    const end = this.#text.indexOf(`\n${quote}@`, from - 1);
    this.#at = end < 0 ? this.#text.length : end + 3;
    return this.#text.slice(from, end < 0 ? undefined : end);
  }

  next(): string {
    const character = this.#text[this.#at] ?? "";
    this.#at += 1;
    return character;
  }
}

const plain = (text: string): Piece => ({ text, isQuoted: false });
const quoted = (text: string): Piece => ({ text, isQuoted: true });

/** PowerShell takes typographic quotes for quotes. */
const single = "'‘’‚‛";
const double = '"“”„';
const singleQuoted = new RegExp(`[${single}](?:[^${single}]|[${single}]{2})*(?:[${single}]|$)`, "uy");
const doubleQuoted = new RegExp(`[${double}](?:[^${double}\`]|\`[\\s\\S]|[${double}]{2})*(?:[${double}]|$)`, "uy");
/** `'.e'+'nv'` is one text. */
const joined = new RegExp(`\\s*\\+\\s*(?=[${single}${double}$])`, "uy");
const variable = /\$(?:\{[^}]*\}|[\w:?^$]+)/y;
const home = /^\$\{?(?:HOME|env:USERPROFILE|env:HOME)\}?$/i;
const workingFolder = /^\$\{?(?:PWD|env:PWD)\}?$/i;

function powershellPiece(reader: CommandReader): Piece | typeof separator {
  const here = reader.takeHereString();
  if (here !== undefined) return quoted(here);
  const literal = reader.take(singleQuoted);
  if (literal !== undefined) return string(reader, unquoted(literal, single));
  const expandable = reader.take(doubleQuoted);
  if (expandable !== undefined) return string(reader, expanded(unquoted(expandable, double)));
  const escaped = reader.take(/`\r?\n|`[\s\S]?/y);
  if (escaped !== undefined) return plain(escaped.endsWith("\n") ? "" : escaped.slice(1));
  const name = reader.take(variable);
  if (name !== undefined) return plain(variableValue(name));
  // The code inside is read as further words.
  if (reader.take(/\$\(/y)) return plain(marks.any);
  if (reader.take(/[\s;|&(){},<>@]/y)) return separator;
  return plain(reader.next());
}

function string(reader: CommandReader, text: string): Piece {
  reader.take(joined);
  return quoted(text);
}

function unquoted(text: string, quotes: string): string {
  const inner = text.length > 1 && quotes.includes(text.at(-1) ?? "") ? text.slice(1, -1) : text.slice(1);
  return inner.replace(new RegExp(`([${quotes}])[${quotes}]`, "gu"), "$1");
}

function expanded(text: string): string {
  return text
    .replace(/`([\s\S])/g, "$1")
    .replace(/\$\((?:pwd|get-location|gl)\)/gi, ".")
    .replace(/\$\([^()]*\)/g, marks.any)
    .replace(/\$(?:\{[^}]*\}?|[\w:?^$]+)/g, variableValue);
}

function variableValue(name: string): string {
  if (home.test(name)) return "~";
  const folder = programFolder(/^\$\{?env:(\w+)\}?$/i.exec(name)?.[1]);
  if (folder !== undefined) return folder;
  return workingFolder.test(name) ? "." : marks.any;
}

function cmdPiece(reader: CommandReader): Piece | typeof separator {
  const string = reader.take(/"[^"\n]*"?/y);
  if (string !== undefined) return quoted(cmdValues(string.replaceAll('"', "")));
  const escaped = reader.take(/\^\r?\n|\^[\s\S]?/y);
  if (escaped !== undefined) return plain(escaped.endsWith("\n") ? "" : escaped.slice(1));
  const name = reader.take(/%[^%\s]+%|![^!\s]+!|%%?~?\w+/y);
  if (name !== undefined) return plain(cmdValues(name));
  if (reader.take(/[\s;,=&|()<>+@]/y)) return separator;
  return plain(reader.next());
}

function cmdValues(text: string): string {
  return text.replace(/%[^%\s]+%|![^!\s]+!|%%?~?\w+/g, (name) => {
    if (/^[%!](?:USERPROFILE|HOME|HOMEDRIVE%%HOMEPATH)[%!]$/i.test(name)) return "~";
    const folder = programFolder(/^[%!](\w+)[%!]$/.exec(name)?.[1]);
    if (folder !== undefined) return folder;
    return /^[%!]CD[%!]$/i.test(name) ? "." : marks.any;
  });
}

/** Where `%APPDATA%` and the like lead. */
function programFolder(variable = ""): string | undefined {
  const folder = programFolderVariables[variable.toUpperCase()];
  return folder === undefined ? undefined : `~/${folder}`;
}
