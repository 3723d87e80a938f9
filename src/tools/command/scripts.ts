/** The little languages that stand in the arguments of awk and sed: which programs in them surely only print. */
import type { Words } from "./options.ts";

/** Without commands, files, network, and without changing which files are read. */
export function isHarmlessAwk(rest: Words): boolean {
  let at = 0;
  for (; at < rest.length; at++) {
    const word = rest[at] ?? "";
    if (/^-[Fv]$/.test(word)) at++;
    else if (!/^-[Fv]./.test(word)) break;
  }
  const program = rest[at];
  if (program === undefined || program.startsWith("-")) return false;
  const code = program.replaceAll("||", "");
  // Only what is printed goes to files: elsewhere `>` compares.
  return !/[|@]|\\\n|system|getline|ARG[VC]|ENVIRON|print.*>/s.test(code);
}

const regexp = String.raw`(?:[^/\\\n[]|\\.|\[\^?[^\]/\n]+\])*`;
const address = String.raw`(?:\d+(?:~\d+)?|\$|\/${regexp}\/I?)`;
const command = String.raw`(?:[pdqDPhHgGxnN=l]|\d*q\d*|s([/|,#:@!%])(?:(?!\1)[^\\\n[]|\\.|\[\^?[^\]\n/|,#:@!%]+\])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpIi\d]*|y\/${regexp}\/${regexp}\/)`;
const script = new RegExp(String.raw`^\s*(?:${address}(?:,(?:${address}|[+~]\d+))?\s*!?\s*)?${command}\s*$`);

/** Only commands that print, skip and substitute; in place or not. */
export function isHarmlessSed(rest: Words): boolean {
  const scripts: string[] = [];
  let isNamed = false;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? "";
    if (word === "-e" || word === "--expression") {
      isNamed = true;
      scripts.push(rest[++at] ?? "");
    } else if (word.startsWith("--expression=")) {
      isNamed = true;
      scripts.push(word.slice("--expression=".length));
    } else if (
      /^-/.test(word) &&
      !/^(-[nErsuz]+|-[nEr]*i(\.\w+)?|--(quiet|silent|regexp-extended|in-place|posix|null-data))$/.test(word)
    ) {
      return false;
    }
  }
  if (!isNamed) scripts.push(rest.find((word) => !word.startsWith("-")) ?? "e");
  return scripts.every((text) => parts(text).every((part) => script.test(part)));
}

/** At semicolons outside of what a delimiter encloses; where that is not sure, the script is one part, and refused. */
function parts(text: string): string[] {
  return script.test(text) ? [text] : text.split(/;|\n/).filter((part) => part.trim() !== "");
}
