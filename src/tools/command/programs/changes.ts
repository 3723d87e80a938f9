/** What programs create, change or delete, for rules about changing files. Pure. */
import { hasArgument, isFlag, optionValues, type ProgramArguments } from "./arguments.ts";
import { optionLengths } from "./options.ts";
import type { ChangedPath } from "./program.ts";

/** `valued`: options with a value, in the notation of `leadingOptions`. */
export function operandsOf(words: ProgramArguments, valued = ""): string[] {
  const found: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") return [...found, ...words.slice(at + 1)];
    if (!isFlag(word)) found.push(word);
    else {
      const { isKnown, all } = optionLengths(word, [{ options: valued }]);
      if (isKnown) at += (all[0] ?? 1) - 1;
    }
  }
  return found;
}

const changed = (paths: readonly string[]): ChangedPath[] => paths.map((path) => ({ path }));

/** Returns a function for programs that change each file that they are given. */
export function eachOperand(valued = ""): (words: ProgramArguments) => ChangedPath[] {
  return (words) => changed(operandsOf(words, valued));
}

/** The first operand is a mode, an owner or an expression, unless an option gives it: `chmod -x a.ts`. */
export function eachAfterFirst(unless = "--reference -r -w -x -X -s -t"): (words: ProgramArguments) => ChangedPath[] {
  return (words) => changed(operandsOf(words).slice(hasArgument(unless, words) ? 0 : 1));
}

const baseName = (path: string) => /(?<![^/])([^/]+)\/*$/.exec(path)?.[1] ?? path;

/** Returns what copies to the last operand, or to the value of `-t`, change (cp(1), install(1), ln(1), coreutils 9.1). */
export function target(words: ProgramArguments): ChangedPath[] {
  const folders = optionValues("-t --target-directory", words);
  const operands = operandsOf(words, "-t= --target-directory= -S= --suffix= -m= --mode= -o= --owner= -g= --group=");
  const sources = folders.length > 0 ? operands : operands.slice(0, -1);
  const to = folders.length > 0 ? folders : operands.slice(-1);
  const names = sources.map(baseName);
  return to.map((path) => (hasArgument("-T --no-target-directory", words) ? { path } : { path, names }));
}

/** Also what is moved away. */
export function sourcesAndTarget(words: ProgramArguments): ChangedPath[] {
  const operands = operandsOf(words, "-t= --target-directory= -S= --suffix=");
  const sources = hasArgument("-t --target-directory", words) ? operands : operands.slice(0, -1);
  return [...changed(sources), ...target(words)];
}

/** With one operand, the link gets its name in the current folder. A link leads writers to its target. */
export function linksAndTargets(words: ProgramArguments): ChangedPath[] {
  const operands = operandsOf(words, "-t= --target-directory= -S= --suffix=");
  return operands.length === 1 ? changed(operands.map(baseName)) : sourcesAndTarget(words);
}

/** Returns the last operand, unless it is on another host. */
export function localTarget(words: ProgramArguments): ChangedPath[] {
  const valued = "-e= --rsh= -f= --filter= -i= -o= -P= -F= -S= -c= -l= -J=";
  return changed(operandsOf(words, valued).slice(-1)).filter(({ path }) => !/^[^/]*:/.test(path));
}

/** Returns the folder that an option gives, or else the current one. */
export function folderOf(option: string, words: ProgramArguments): ChangedPath[] {
  const folders = optionValues(option, words);
  return changed(folders.length > 0 ? folders : ["."]);
}

/** git(1) 2.51: what commands change in the files that they name. Not: other commits, which have files of any name. */
export function changedByGit([verb = "", ...words]: ProgramArguments): ChangedPath[] | undefined {
  const operands = operandsOf(words, "-s= --source= --pathspec-from-file= -e= --exclude= -b= -B= -m= -o= -n=");
  switch (verb) {
    case "rm":
    case "restore":
    case "checkout":
    case "checkout-index":
      return changed(operands);
    case "mv":
      return sourcesAndTarget(words);
    case "clean":
      return changed(operands.length > 0 ? operands : ["."]);
    case "apply":
    case "am":
      return hasArgument("--check --stat --numstat --summary --cached", words) ? [] : changed(["."]);
    case "reset":
      return hasArgument("--hard --merge --keep", words) ? changed(["."]) : [];
    case "stash":
      return changed(operands.slice(1));
    case "clone":
      return changed(operands.slice(1));
    case "init":
      return changed(operands);
    case "worktree":
      return operands[0] === "list" ? [] : changed(operands.slice(1, 2));
    case "submodule":
      return operands[0] === "add" ? changed(operands.slice(2)) : [];
    default:
      return undefined;
  }
}
