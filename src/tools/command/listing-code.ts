/** Finds the files that code opens after it has listed them. Pure. */
import { escaped, marks } from "./shell/pattern.ts";

const opens =
  /\b(?:open|openSync|openAsBlob|read_?(?:text|bytes|lines|csv|json)|read(?:Text)?File(?:Sync)?|createReadStream|binread|foreach|(?:File|IO)\.(?:read\w*|open|new)|file_get_contents|f?open|readfile|file|fileinput|show_source|slurp|copy\w*|cp(?:Sync)?|move|rename\w*|cat|head|base64|curl|tar|zip\w*|Bun\.file|make_archive)\b|@ARGV|<>/i;

/** A call that lists a folder, up to its argument; or a program that prints names. */
const lists =
  /(?:\b(?:listdir|scandir|iterdir|readdir(?:Sync)?|readDir(?:Sync)?|opendir(?:Sync)?|os\.f?walk|Path\.walk|Dir\.(?:entries|children|each_child|foreach|each|new|open)|Find\.find|(?:Recursive)?DirectoryIterator)\s*\(?\s*(?:[rbuf]?(["'`])((?:(?!\1).)*)\1|(\)))?)|["'`]ls\b/g;

/** A call whose first argument is a pattern: `glob('.*')`, `Dir['*']`, `Path('.').rglob('*')`, `<*>`. */
const globs =
  /\b([ri]?)glob(?:Sync|\.sync)?\s*\(\s*(?:[rbuf]?(["'`])((?:(?!\2).){0,300})\2)?|\bDir(?:\.glob\b[\s(]*|\[\s*)(["'])((?:(?!\4).){0,300})\4|<([\w./]*\*[\w./*]*)>/g;

/** Returns patterns for the files in the folders that the code lists, if it also opens files. */
export function filesListedIn(code: string): string[] {
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
