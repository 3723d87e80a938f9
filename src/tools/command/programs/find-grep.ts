/** Programs that search files and folders. */

import { findStarts, foundPaths } from "../shell/outputs.ts";
import { escaped, marks } from "../shell/pattern.ts";
import type { LaunchedCommand } from "../shell/visitor.ts";
import { literal, type ShellWord, UnsupportedSyntax, unknown } from "../shell/word.ts";
import { hasArgument, optionValues, type ProgramArguments, plainWords } from "./arguments.ts";
import { allFiles, type ChangedPath, type Programs, type RecursiveRead } from "./program.ts";

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
    // What is deleted below is not looked at, as with `rm -r`.
    writes: (words) => (words.includes("-delete") ? startsOf(words) : []),
    changes: deleted,
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
    wraps: unwrapFd,
    allowed: ["fd -e ts . src", "fd -Htf foo src -X echo {/}"],
    asks: ["fd -x rm", "fd . -X rm", "fd --exec rm", "fd -L x", "fd -Hxrm", "fd -x echo \\; -x rm", "fd -u . -x cat"],
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

function startsOf(words: ProgramArguments): string[] {
  const { from, to } = findStarts(words);
  return words.slice(from, to);
}

function deleted(words: ProgramArguments): ChangedPath[] {
  if (!words.includes("-delete")) return [];
  const paths = foundPaths({ words, shapes: words.map((word) => [word]) });
  return paths.map((path) => ({ path }));
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

/** Options of fd that do without a value, then the one that takes a command: `-Hx`, `-xcat`, `--exec=cat`. */
const fdCommand = /^(?:(-[^-dEteSocjCxX]*)[xX]|--exec(?:-batch)?(?:=|$))(.*)$/s;
const fdValues =
  /^(?:-[^-dEteSocjCxX]*[dEteSocjC]|--(?:and|(?:max-|min-|exact-)?depth|exclude|type|extension|size|owner|color|threads|format|max-results|batch-size|ignore-file|path-separator|changed-(?:within|before|after)|change-(?:newer|older)-than|newer|older))$/;

/** Returns the commands of fd's `-x` and `-X`, then fd without them. Source: `fd --help`, 8.6. */
function unwrapFd(words: readonly ShellWord[]): LaunchedCommand[] {
  const commands: ShellWord[][] = [];
  const own: ShellWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const [, before = "", glued = ""] = fdCommand.exec(word?.values?.[0] ?? "") ?? [];
    const isCommand = word !== undefined && fdCommand.test(word.values?.[0] ?? "");
    if (!isCommand || word.values?.length !== 1) {
      if (word) own.push(word);
      continue;
    }
    if (before.length > 1) own.push(literal(before));
    const end = words.findIndex(({ values }, index) => index > at && values?.[0] === ";");
    const rest = words.slice(at + 1, end < 0 ? words.length : end);
    commands.push(glued === "" ? rest : [literal(glued), ...rest]);
    at += rest.length + 1;
  }
  const values = own.slice(1).map((word) => (word.isGlob ? undefined : word.values?.[0]));
  const inFolder = values.some((value) => value === undefined || /^(-C|--base-dir|--search-path)/.test(value));
  const found = inFolder ? [marks.any] : foundByFd(values.flatMap((value) => value ?? []));
  const launches = commands.map((command): LaunchedCommand => {
    if (command.length === 0) throw new UnsupportedSyntax();
    return { type: "command", words: withFound(command, found), unknown: inFolder ? ["input", "folder"] : ["input"] };
  });
  return [...launches, { type: "itself", words: own }];
}

/** Returns patterns for the paths that fd finds. */
function foundByFd(words: ProgramArguments): string[] {
  const showsAll = hasArgument("-u --unrestricted", words);
  const isHidden = showsAll || hasArgument("-H --hidden", words);
  if (!isHidden && !showsAll && !hasArgument("-I --no-ignore --no-ignore-vcs --no-ignore-parent", words))
    return [marks.tracked];
  const operands = plainWords(words.filter((_, index) => !fdValues.test(words[index - 1] ?? "")));
  const [pattern = "", ...folders] = operands;
  const extensions = optionValues("-e --extension", words).map((one) => `*.${escaped(one.replace(/^\./, ""))}`);
  const name = hasArgument("-p --full-path", words) ? "" : nameOfFd(pattern, words);
  const names = extensions.length > 0 ? extensions : [isHidden ? name : `[!.]${name || "*"}`];
  const starts =
    folders.length > 0 ? folders.map((folder) => `${escaped(folder.replace(/(?<!\/)\/+$/, ""))}/`) : ["./"];
  return starts.flatMap((start) => names.map((each) => `${start}${marks.below}${each}`));
}

/** Turns simple regular expressions into patterns for names; any other matches every name. */
function nameOfFd(pattern: string, words: ProgramArguments): string {
  if (hasArgument("-g --glob", words)) return pattern;
  const [, start, text, end] = /^(\^?)((?:[\w-]|\\\.)+)(\$?)$/.exec(pattern) ?? [];
  if (text === undefined) return "";
  return `${start ? "" : "*"}${text.replaceAll("\\", "")}${end ? "" : "*"}`;
}

/** Replaces fd's placeholders; without any, what it finds stands at the end. */
export function withFound(command: readonly ShellWord[], found: readonly string[]): ShellWord[] {
  const holds = (word: ShellWord) => word.values?.some((value) => /\{\/{0,2}\.?\}/.test(value)) ?? false;
  if (!command.some(holds)) return [...command, unknown("{}", found)];
  const names = found.map((shape) =>
    shape.includes(marks.any)
      ? shape
      : `${marks.name}${/(?<=\/)[^/]*$/.exec(shape)?.[0].replace(marks.below, "") ?? ""}`,
  );
  return command.map((word) => {
    const [kind, ...others] = new Set(word.values?.flatMap((value) => value.match(/\{\/{0,2}\.?\}/g) ?? []));
    if (kind === undefined) return word;
    if (others.length > 0) return unknown(word.text);
    if (kind === "{}") return replaced(word, kind, found);
    return replaced(word, kind, kind === "{/}" ? names : kind === "{/.}" ? [marks.name] : found.map(parentOf));
  });
}

/** The parent of what is found, or the same without its extension. */
const parentOf = (shape: string) =>
  shape.includes(marks.below) ? `${shape.slice(0, shape.indexOf(marks.below))}${marks.below}` : shape;

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
