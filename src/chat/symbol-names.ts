/** Symbols that an answer names in inline code, and the messages that look them up. */
import * as z from "zod/mini";

/** More names in one request would keep the language service busy. */
export const mostNames = 24;
/** Files of an answer in which its symbols are looked for first. */
export const mostFiles = 8;
const longestName = 120;

const SymbolQuery = {
  /** The files that the answer names, relative to the session's folder. */
  files: z.array(z.string().check(z.maxLength(4096))).check(z.maxLength(mostFiles)),
};
const Name = z.string().check(z.maxLength(longestName));

export const symbolRequests = [
  /** Asks which of these names are defined. Answered with `found-symbols`. */
  z.object({ type: z.literal("find-symbols"), ...SymbolQuery, names: z.array(Name).check(z.maxLength(mostNames)) }),
  /** Opens the definition of a symbol, or has the user choose one. */
  z.object({ type: z.literal("open-symbol"), ...SymbolQuery, name: Name }),
] as const;

/** A symbol that is defined. `path`, `line`: its first definition. */
export interface FoundSymbol {
  name: string;
  count: number;
  path: string;
  line: number;
}

/** `names`: those that were looked up. The others are still unknown: the language service was too slow. */
export interface FoundSymbols {
  files: string[];
  names: string[];
  found: FoundSymbol[];
}

/** A symbol as an answer writes it. */
export interface WrittenSymbol {
  /** The names that enclose it, outermost first. */
  containers: readonly string[];
  name: string;
  /** Whether it may be any word: it is looked for in files that the answer names, and nowhere else. */
  isPlain: boolean;
}

const identifier = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;
const symbol = new RegExp(
  String.raw`^(?<names>${identifier}(?:(?:\.|::|#)${identifier}){0,5})(?<call>\([^()]{0,60}\))?$`,
  "u",
);
const separator = /\.|::|#/;
/** `config.json` is a file. */
const fileEnding =
  /^(?:[cm]?[jt]sx?|json|jsonc|md|py|go|rs|java|kt|rb|php|cs|cpp|c|h|hpp|swift|css|scss|html|svelte|vue|yml|yaml|toml|txt|sh|lock|env|xml|svg|png)$/;

/** Returns the symbol that inline code names; undefined if it is something else. */
export function writtenSymbol(code: string): WrittenSymbol | undefined {
  if (code.length > longestName) return undefined;
  const { names, call } = symbol.exec(code)?.groups ?? {};
  const containers = names?.split(separator) ?? [];
  const name = containers.pop();
  if (name === undefined) return undefined;
  if (containers.length > 0 && call === undefined && fileEnding.test(name)) return undefined;
  const isPlain = containers.length === 0 && call === undefined && !/[\p{Lu}_$]/u.test(name);
  return { containers, name, isPlain };
}

/** `name`, `container`: as a language service tells them, such as `total(int)` in `shop.Cart`. */
export function isSymbol(written: WrittenSymbol, { name, container }: { name: string; container: string }): boolean {
  const names = (text: string) => {
    const [beforeTypes = ""] = text.split(/[(<]/, 1);
    return beforeTypes.split(separator).map((one) => one.trim());
  };
  const own = names(name);
  if (own.pop() !== written.name) return false;
  const around = [...names(container), ...own];
  return written.containers.every((one, at) => around.at(at - written.containers.length) === one);
}
