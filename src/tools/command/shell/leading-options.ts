/** Options between a program's name and its first other word. */
import { possibleValue, type ShellWord, UnsupportedSyntax } from "./word.ts";

interface LeadingOptions {
  given: { name: string; value: string }[];
  end: number;
}

/**
 * Reads the options as programs do: `-v`, `-vx`, `-n5`, `-n 5`, `-vn5`, `--name=5`, `--name 5`. Words that are unknown
 * before the command runs are undefined.
 * @param known options separated by spaces; `-n=` takes a value, `-n=?` only one in the same word; `-#` is any number
 * @returns undefined where an option, or the value of one, is unknown
 */
export function leadingOptions(words: readonly (string | undefined)[], known: string): LeadingOptions | undefined {
  const arity = aritiesOf(known);
  const given: LeadingOptions["given"] = [];
  let at = 0;
  const take = (name: string, glued: string | undefined): boolean => {
    const takes = arity.get(name);
    if (takes === undefined || (takes === "none" && glued !== undefined)) return false;
    const value = takes === "value" && glued === undefined ? words[++at] : (glued ?? "");
    if (value === undefined) return false;
    given.push({ name, value });
    return true;
  };
  for (; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) return undefined;
    if (!word.startsWith("-")) break;
    if (word === "--") return { given: [...given, { name: word, value: "" }], end: at + 1 };
    const [name = word, glued] = word.split(/=(.*)/s);
    if (arity.has(name) ? !take(name, glued) : !takeCluster(word, arity, take)) return undefined;
  }
  return { given, end: at };
}

/** Like `leadingOptions`. @throws UnsupportedSyntax where that returns undefined */
export function requireOptions(words: readonly ShellWord[], known: string): LeadingOptions {
  const leading = leadingOptions(words.map(possibleValue), known);
  if (!leading) throw new UnsupportedSyntax();
  return leading;
}

export type OptionArity = "none" | "value" | "optional value";

/** Splits `-vxn5`; the first letter with a value ends the cluster. */
function takeCluster(
  word: string,
  arity: ReadonlyMap<string, OptionArity>,
  take: (name: string, glued: string | undefined) => boolean,
): boolean {
  if (word.startsWith("--") || word === "-") return false;
  if (arity.has("-#") && /^-\d+$/.test(word)) return true;
  for (let at = 1; at < word.length; at++) {
    const name = `-${word.charAt(at)}`;
    if (arity.get(name) !== "none") return take(name, word.slice(at + 1) || undefined);
    take(name, undefined);
  }
  return true;
}

const arities = new Map<string, ReadonlyMap<string, OptionArity>>();

export function aritiesOf(known: string): ReadonlyMap<string, OptionArity> {
  const before = arities.get(known);
  if (before) return before;
  const arity = new Map(
    known.split(/\s+/).map((option): [string, OptionArity] => {
      if (option.endsWith("=?")) return [option.slice(0, -2), "optional value"];
      return option.endsWith("=") ? [option.slice(0, -1), "value"] : [option, "none"];
    }),
  );
  arities.set(known, arity);
  return arity;
}
