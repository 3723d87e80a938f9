/** Fuzzy search in names: which of them have the letters in this order, best first, and where the letters are. */
import uFuzzy from "@leeoniya/ufuzzy";
import type { MarkedSpan } from "../../chat/mention-search.ts";

/** Letters may be anywhere within a name: "cart" fits "CustomerArticle". */
const anywhere = { intraIns: Number.POSITIVE_INFINITY, intraChars: "." };
const latin = new uFuzzy(anywhere);
/** For letters beyond ASCII, which take about twice the time. */
let unicode: uFuzzy | undefined;

function searcherFor(words: string): uFuzzy {
  if (/^\p{ASCII}*$/u.test(words)) return latin;
  unicode ??= new uFuzzy({
    ...anywhere,
    unicode: true,
    interSplit: "[^\\p{L}\\d]+",
    intraSplit: "\\p{Ll}\\p{Lu}",
    interBound: "[^\\p{L}\\d]",
    intraBound: "\\p{L}\\d|\\d\\p{L}|\\p{Ll}\\p{Lu}",
    intraContr: "'\\p{L}{1,2}\\b",
  });
  return unicode;
}

/** Returns the indexes of the names that the words fit, in the order of the names; of `among` only, if it is given. */
export function fitting(names: string[], words: string, among?: number[]): number[] {
  return searcherFor(words).filter(names, words, among) ?? [];
}

/** How well a name fits, 0 is best: it is the words, begins with them, a word of it does, holds them, has their letters. */
export function fitOf(name: string, words: string): number {
  const text = name.toLowerCase();
  const at = text.indexOf(words);
  if (at < 0) return 5;
  if (at === 0) return text.length === words.length ? 0 : text[words.length] === "." ? 1 : 2;
  return isWordStart(name, at) ? 3 : 4;
}

function isWordStart(name: string, at: number): boolean {
  const [before = "", first = ""] = [name[at - 1], name[at]];
  return !/[\p{L}\d]/u.test(before) || (/\p{Lu}/u.test(first) && !/\p{Lu}/u.test(before));
}

/** Returns the parts of the name that the words fit: their letters in a row where they are, else one by one. */
export function marksOf(name: string, words: string): MarkedSpan[] {
  const at = name.toLowerCase().indexOf(words.toLowerCase());
  if (at >= 0 && words !== "") return [[at, at + words.length]];
  const searcher = searcherFor(words);
  const idxs = searcher.filter([name], words);
  const ranges = idxs && idxs.length > 0 ? (searcher.info(idxs, [name], words).ranges[0] ?? []) : [];
  const spans: MarkedSpan[] = [];
  for (let i = 0; i + 1 < ranges.length; i += 2) spans.push([ranges[i] ?? 0, ranges[i + 1] ?? 0]);
  return spans;
}
