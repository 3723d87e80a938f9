/** Finds the files that code in the arguments of a command may name. Pure. */
import { looseWords } from "../text/loose-words.ts";
import { escaped, holdsMark, isWild, marks } from "./shell/pattern.ts";
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
  const processes = isCode && [...code, data ?? ""].some(namesProcess) ? ["/proc/1/environ"] : [];
  const found = code.flatMap((text) => filesIn(text, isCode));
  return unique([...processes, ...found, ...(isCode && data !== undefined ? filesIn(data, true) : [])]);
}

/** Returns patterns for what code finds in folders, and may open. */
export function filesListedInCode(program: string, words: readonly string[], data: string | undefined): string[] {
  if (!isInterpreter(program)) return [];
  const code = words.filter((word) => /[([<]/.test(word));
  return [...code, ...(data === undefined ? [] : [data])].flatMap(filesListedIn);
}

/** Returns everything in a text that may be the name of a file: quoted texts, and words that look like paths. */
function filesIn(code: string, alsoBare: boolean): string[] {
  const quoted = quotedTexts(code, !alsoBare && /\bgetline\b|\bARGV\b/.test(code)).map(decoded);
  const inside = quoted.flatMap((text) => [text, ...looseWords(text, ",=@")]);
  const bare = alsoBare ? [...code.matchAll(/(?:^|[^\w)\]?$./~'"`-])((?:~|\.{1,2})?\/?[\w.~*/[\]?-]+)/g)] : [];
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

/** Whether code may join the path of what `/proc` shows of another process: `"/proc/" + pid + "/environ"`. */
export const namesProcess = (code: string) =>
  /\/proc\b/.test(code) && /\b(environ|auxv|mem|kcore|fd|root|cwd|map_files)\b(?!\s*[[(])/.test(code);

const quotes: Readonly<Record<string, RegExp>> = {
  '"': /"((?:[^"\\]|\\.)*)"/sy,
  "'": /'((?:[^'\\]|\\.)*)'/sy,
  "`": /`((?:[^`\\]|\\.)*)`/sy,
};

/** Code joins texts: 'a' + 'b', "a" . "b", 'a' 'b'. */
const joints: ReadonlySet<string> = new Set(["", "+", ".", ".."]);
/** Code of awk also joins them with variables: `"." v "nv"`. */
const variable = /^\s*\$?\w+\s*$/;

/** `withVariables`: joins texts also with variables between and after them, as code of awk does. */
function quotedTexts(code: string, withVariables: boolean): string[] {
  const found: string[] = [];
  /** The texts that are joined so far. */
  let joined = "";
  // A quote without an end means that the later ones of its kind have none either: all that follow are escaped.
  const endless = new Set<string>();
  let end = 0;
  for (const { 0: quote, index } of code.matchAll(/["'`]/g)) {
    const pattern = quotes[quote];
    if (!pattern || index < end || endless.has(quote)) continue;
    pattern.lastIndex = index;
    const text = pattern.exec(code)?.[1];
    if (text === undefined) {
      endless.add(quote);
      continue;
    }
    const between = code.slice(end, index);
    const isInserted = withVariables && variable.test(between);
    if (end > 0 && (isInserted || joints.has(between.trim()))) joined += `${isInserted ? marks.any : ""}${text}`;
    else {
      found.push(joined);
      joined = text;
    }
    found.push(text);
    end = pattern.lastIndex;
    if (withVariables && /^\s*\$?\w/.test(code.slice(end, end + 10))) found.push(joined + marks.any);
  }
  found.push(joined);
  return found;
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

// Finds the files that code opens after it has listed them. Pure.

const opens =
  /\b(?:open|openSync|openAsBlob|read_?(?:text|bytes|lines|csv|json)|read(?:Text)?File(?:Sync)?|createReadStream|binread|foreach|(?:File|IO)\.(?:read\w*|open|new)|file_get_contents|f?open|readfile|file|fileinput|show_source|slurp|copy\w*|cp(?:Sync)?|move|rename\w*|cat|head|base64|curl|tar|zip\w*|Bun\.file|make_archive)\b|@ARGV|<>/i;

/** A call that lists a folder, up to its argument; or a program that prints names. */
const lists =
  /(?:\b(?:listdir|scandir|iterdir|readdir(?:Sync)?|readDir(?:Sync)?|opendir(?:Sync)?|os\.f?walk|Path\.walk|Dir\.(?:entries|children|each_child|foreach|each|new|open)|Find\.find|(?:Recursive)?DirectoryIterator)\s*\(?\s*(?:[rbuf]?(["'`])((?:(?!\1).)*)\1|(\)))?)|["'`]ls\b/g;

/** A call whose first argument is a pattern: `glob('.*')`, `Dir['*']`, `Path('.').rglob('*')`, `<*>`. */
const globs =
  /\b([ri]?)glob(?:Sync|\.sync)?\s*\(\s*(?:[rbuf]?(["'`])((?:(?!\2).){0,300})\2)?|\bDir(?:\.glob\b[\s(]*|\[\s*)(["'])((?:(?!\4).){0,300})\4|<([\w./]*\*[\w./*]*)>/g;

/** Returns patterns for the files in the folders that the code lists, if it also opens files. */
function filesListedIn(code: string): string[] {
  if (!opens.test(code)) return [];
  const patterns = [...code.matchAll(globs)].flatMap((call) => {
    const [, kind, , text, , ofRuby, ofPerl] = call;
    const glob = text ?? ofRuby ?? ofPerl;
    const folder = receiver(code.slice(0, call.index));
    // Paths of Python also find hidden names.
    if (kind === "r" || folder !== undefined) return [`${folder ?? "."}/${marks.below}${lastName(glob ?? "*")}`];
    return glob === undefined ? below(code) : [glob];
  });
  const folders = [...code.matchAll(lists)].flatMap((call) => {
    const [, , named, ends] = call;
    if (named !== undefined) return [named === "" ? "." : named];
    return ends === undefined ? foldersNamedIn(code) : [receiver(code.slice(0, call.index)) ?? "."];
  });
  const ends = endingsIn(code);
  return [...new Set([...patterns, ...folders.flatMap((folder) => ends.map((end) => inside(folder, end)))])].slice(
    0,
    50,
  );
}

const inside = (folder: string, end: string) =>
  `${escaped(folder).replace(/(?<!\/)\/+$/, "") || "."}/${marks.below}${end}`;

const below = (code: string) => foldersNamedIn(code).map((folder) => inside(folder, ""));

const lastName = (glob: string) => glob.slice(glob.lastIndexOf("/") + 1).replace(/^\*+$/, "");

/** Returns the folder of `Path('data').`, at the end of the text. */
function receiver(before: string): string | undefined {
  const end = before.slice(-200);
  const argument = /\bPath\(([^()]*)\)\s*\.\s*$/.exec(end)?.[1];
  if (argument === undefined) return /\.(?:cwd|home)\(\)\s*\.\s*$/.test(end) ? "." : undefined;
  const named = /^\s*(["'])([^"']*)\1/.exec(argument)?.[2] ?? "";
  return named === "" ? "." : escaped(named);
}

/** A list of a folder whose name is a variable: it may be any that the code names, or else the current one. */
function foldersNamedIn(code: string): string[] {
  const texts = [...code.matchAll(/(["'`])([\w./~-]+)\1/g)].map(([, , text = ""]) => text);
  const isFolder = (text: string) =>
    /^\.{1,2}$|\w/.test(text) && !/^(?:node:|[rwabx]+\+?$|utf-?\d+|latin-?1|ascii|fs|os|path|ls|-|\.\w+$)/i.test(text);
  const named = texts.filter(isFolder);
  return named.length === 0 || /\b(?:get)?cwd\b|\bargv\b|__dirname|\bpwd\b/i.test(code) ? [...named, "."] : named;
}

/** Returns the ends of the names that the code picks: `f.endswith('.py')`. */
function endingsIn(code: string): string[] {
  if (/(?:\bnot\s+|!\s*)[\w.()]*\.?(?:ends_?with|extname)/i.test(code)) return [""];
  const picked = [
    ...code.matchAll(/(?:\bends_?with\??\s*\(\s*|extname\([^()]*\)\s*={2,3}\s*|\.suffix\s*==\s*)(["'`])(\.\w+)\1/gi),
  ];
  const ends = picked.map(([, , end = ""]) => `*${end}`);
  return ends.length > 0 ? ends : [""];
}
