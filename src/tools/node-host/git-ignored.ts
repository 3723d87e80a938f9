/**
 * Tells which files git and ripgrep surely ignore, without starting them. Only lines count that all programs read alike;
 * where others could change the result, nothing is sure.
 */
import path from "node:path";
import ignore, { type Ignore } from "ignore";
import { statsOf } from "../../base/node/stats.ts";
import { rulesText } from "./rondoignore.ts";

/** `undefined`: there is no such file. "unsure": an exception that programs may read differently. */
type FileRules = Ignore | "unsure" | undefined;

/** Whether a `.gitignore` file in the file's folder, or in one above up to that of the repository, names the file. */
export function isSurelyIgnored(file: string): boolean {
  // ripgrep's own files have precedence, at any height.
  if (foldersAbove(file).some((folder) => exists(folder, ".ignore") || exists(folder, ".rgignore"))) return false;
  for (const folder of foldersAbove(file)) {
    const rules = rulesOf(folder);
    if (rules === "unsure") return false;
    const found = rules?.test(path.relative(folder, file).replaceAll(path.sep, "/"));
    if (found?.ignored) return true;
    if (found?.unignored || exists(folder, ".git")) return false;
  }
  return false;
}

/** Nearest first. */
function foldersAbove(file: string): string[] {
  const folders: string[] = [];
  for (let at = path.dirname(file); folders.at(-1) !== at; at = path.dirname(at)) folders.push(at);
  return folders;
}

const exists = (folder: string, name: string) => statsOf(path.join(folder, name)) !== undefined;

function rulesOf(folder: string): FileRules {
  const file = path.join(folder, ".gitignore");
  const text = statsOf(file) && rulesText(file);
  if (text === undefined) return undefined;
  const lines = text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .map((line) => line.replace(/(?<! ) +$/, ""));
  const isPlain = (line: string) => /^!?[\w./*?@-]+$/.test(line) && !/[^/!]\*\*|\*\*[^/]/.test(line);
  if (lines.some((line) => line.startsWith("!") && !isPlain(line))) return "unsure";
  return ignore({ ignorecase: false }).add(lines.filter(isPlain));
}
