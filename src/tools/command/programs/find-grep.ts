/** Programs that search files and folders. */

import { foundPaths } from "../shell/outputs.ts";
import { escaped } from "../shell/pattern.ts";
import type { LaunchedCommand } from "../shell/visitor.ts";
import { type ShellWord, UnsupportedSyntax, unknown } from "../shell/word.ts";
import { hasArgument, type ProgramArguments } from "./arguments.ts";
import { allFiles, type Programs, type RecursiveRead } from "./program.ts";

export const searchPrograms: Programs = {
  "grep egrep fgrep zgrep": {
    files: "read",
    // Links are followed wherever they lead.
    exceeds: "-R --dereference-recursive",
    patternUnless: "-e -f --regexp --file",
    readsRecursively: "-r -R -d --recursive --dereference-recursive --directories",
    allowed: ["grep -rn 'a b' src", "grep -E '^/(a|b)+$' a.ts"],
    asks: ["grep -R x src", "grep -r KEY", "grep -d recurse KEY .", "grep x .env"],
  },
  rg: {
    files: "read",
    globsCanBeOptions: true,
    runsOtherCode: "--pre --hostname-bin",
    exceeds: "-L --follow",
    patternUnless: "-e -f --regexp --file --files",
    readsRecursively: searchedFiles,
    allowed: ["rg 'a|b' -g '*.ts' src", "rg --files"],
    asks: ["rg --pre ./x foo", "rg -L foo src", "rg -uu foo"],
  },
  ag: {
    files: "read",
    runsOtherCode: "--pager",
    patternUnless: "-e -f",
    readsRecursively: searchedFiles,
    asks: ["ag --pager ./x foo"],
  },
  ack: {
    files: "read",
    runsOtherCode: "--pager --ackrc --output",
    patternUnless: "-e -f",
    readsRecursively: searchedFiles,
    asks: ["ack --ackrc=x foo"],
  },
  find: {
    files: "read",
    globsCanBeOptions: true,
    runsOtherCode: "-exec* -ok*",
    exceeds: "-delete -fprint* -fls -files0-from -L -H -follow",
    wraps: unwrapFind,
    allowed: ["find . -name '*.ts' -not -path './node_modules/*'", "find . -exec echo {} \\;"],
    asks: [
      "find . -delete",
      "find . -fprint x",
      "find -L . -name x",
      "find . -exec rm {} +",
      "find . -exec cat {} \\;",
    ],
  },
  "fd|fdfind": {
    files: "read",
    runsOtherCode: "-x -X --exec --exec-batch",
    exceeds: "-L --follow",
    allowed: ["fd -e ts . src"],
    asks: ["fd -x rm", "fd . -X rm", "fd --exec rm", "fd -L x"],
  },
  tree: {
    files: "read",
    globsCanBeOptions: true,
    exceeds: "-l --fromfile --infofile",
    writes: "-o --output",
    allowed: ["tree -L 2 src"],
    asks: ["tree -o x", "tree -l"],
  },
};

function searchedFiles(words: ProgramArguments): RecursiveRead | undefined {
  if (hasArgument("--files --type-list --version --help", words)) return undefined;
  const isVisible = (path: string) => !/(^|\/)\./.test(path);
  return hasArgument("-u -. --hidden --unrestricted", words) ? allFiles : { ...allFiles, isRead: isVisible };
}

/** Returns the commands of `-exec` and similar options, then find without them. */
function unwrapFind(words: readonly ShellWord[]): LaunchedCommand[] {
  const launches: LaunchedCommand[] = [];
  const own: ShellWord[] = [];
  const values = words.slice(1).map((word) => word.values?.[0]);
  const found = foundPaths({ words: values, shapes: words.slice(1).map(({ shapes }) => shapes) });
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const option = word?.values?.[0] ?? "";
    if (!/^-(exec|ok)(dir)?$/.test(option)) {
      if (word) own.push(word);
      continue;
    }
    const length = words.slice(at + 1).findIndex(({ values }) => /^[;+]$/.test(values?.[0] ?? ""));
    if (length <= 0) throw new UnsupportedSyntax();
    const command = words.slice(at + 1, at + 1 + length).map((one) => replaced(one, "{}", found));
    launches.push({
      type: "command",
      words: command,
      unknown: option.endsWith("dir") ? ["input", "folder"] : ["input"],
    });
    at += length + 1;
  }
  return [...launches, { type: "itself", words: own }];
}

/** The word after a program replaces `placeholder` by what matches one of the patterns. */
export function replaced(word: ShellWord, placeholder: string, shapes: readonly string[]): ShellWord {
  if (word.values?.every((value) => !value.includes(placeholder))) return word;
  const [value] = word.values ?? [];
  if (value === undefined) return unknown(word.text);
  return unknown(
    word.text,
    shapes.map((shape) => value.split(placeholder).map(escaped).join(shape)),
  );
}
