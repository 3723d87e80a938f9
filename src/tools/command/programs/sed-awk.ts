/** Programs whose arguments are code in their own language: recognizes code that only prints. */
import { hasArgument, type ProgramArguments, plainWords } from "./arguments.ts";
import { eachOperand } from "./changes.ts";
import type { Programs } from "./program.ts";

export const codePrograms: Programs = {
  "awk gawk mawk nawk": {
    files: "read",
    runsOtherCode: (words) => !isHarmlessAwk(words),
    changes: (words) => (words.includes("inplace") ? eachOperand("-F= -v= -f= -i=")(words) : []),
    patternUnless: "-e -f --file",
    allowed: ["awk '{print $1}' a.ts", "awk -F: 'NR == 1' a.ts", "awk 'length > 80' a.ts"],
    asks: [
      "awk 'BEGIN{system(\"rm x\")}'",
      "awk 'BEGIN{print > \"x\"}'",
      "awk '{print | \"sh\"}' a.ts",
      "awk 'BEGIN{\"rm x\" | getline}'",
      "awk -f a.ts",
    ],
  },
  "sed gsed": {
    files: "read",
    runsOtherCode: (words) => !isHarmlessSed(words),
    patternUnless: "-e -f --file --expression",
    writes: (words) =>
      hasArgument("-i --in-place", words) ? plainWords(words).slice(hasArgument("-e -f", words) ? 0 : 1) : [],
    allowed: ["sed -n '1,20p' a.ts", "sed -e 's/a/b/' -e '/^$/d' a.ts"],
    asks: ["sed -i s/a/b/ a.ts", "sed -n '1w x' a.ts", "sed 's/a/b/e' a.ts", "sed 'r /etc/passwd' a.ts", "sed -f a.ts"],
  },
  jq: {
    files: "read",
    runsOtherCode: (words) => hasArgument("-f -L --library-path --from-file", words) || words.some(loadsFiles),
    patternUnless: "-e -f --file --from-file",
    allowed: ["jq .name package.json"],
    asks: ["jq -L . x", "jq -n 'import \"a\" as $x; $x'"],
  },
  yq: {
    files: "read",
    runsOtherCode: (words) =>
      hasArgument("-i -s -f -L --inplace --in-place --from-file --split-exp --split-exp-file --library-path", words) ||
      words.some(loadsFiles),
    allowed: ["yq .name package.json"],
    asks: ["yq -i .a=1 package.json", "yq -n 'load(\".env\")'"],
  },
};

function loadsFiles(word: string): boolean {
  return /\bload|\b(import|include)\s*"/.test(word);
}

/** Whether it runs no commands, writes no files, uses no network, and does not change its list of files. */
function isHarmlessAwk(words: ProgramArguments): boolean {
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? "";
    if (/^-[Fv]$/.test(word)) at++;
    else if (!/^-[Fv]./.test(word)) break;
  }
  const program = words[at];
  if (program === undefined || program.startsWith("-")) return false;
  const code = program.replaceAll("||", "");
  const print = code.indexOf("print");
  // `>` writes files only after `print`; elsewhere it compares.
  const writes = print >= 0 && code.includes(">", print);
  return !writes && !/[|@]|\\\n|system|getline|ARG[VC]|ENVIRON/.test(code);
}

const regexp = String.raw`(?:[^/\\\n[]|\\.|\[\^?[^\]/\n]+\])*`;
const address = String.raw`(?:\d+(?:~\d+)?|\$|\/${regexp}\/I?)`;
const command = String.raw`(?:[pdqDPhHgGxnN=l]|q\d*|s([/|,#:@!%])(?:(?!\1)[^\\\n[]|\\.|\[\^?[^\]\n/|,#:@!%]+\])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpIi\d]*|y\/${regexp}\/${regexp}\/)`;
const script = new RegExp(String.raw`^\s*(?:${address}(?:,(?:${address}|[+~]\d+))?\s*(?:!\s*)?)?${command}\s*$`);

/** Whether its scripts only print, skip and substitute, in place or not. */
function isHarmlessSed(words: ProgramArguments): boolean {
  const known = /^(-[nErsuz]+|-[nEr]*i(\.\w+)?|--(quiet|silent|regexp-extended|in-place|posix|null-data))$/;
  const scripts: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "-e" || word === "--expression") scripts.push(words[++at] ?? "");
    else if (word.startsWith("--expression=")) scripts.push(word.slice("--expression=".length));
    else if (/^-/.test(word) && !known.test(word)) return false;
  }
  if (scripts.length === 0) scripts.push(words.find((word) => !word.startsWith("-")) ?? "e");
  return scripts.every((text) => statements(text).every((statement) => script.test(statement)));
}

/** Splits a script at semicolons outside of delimiters. If that is uncertain, it stays whole and is refused. */
function statements(text: string): string[] {
  return script.test(text) ? [text] : text.split(/;|\n/).filter((part) => part.trim() !== "");
}
