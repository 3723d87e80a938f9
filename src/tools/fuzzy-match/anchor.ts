/** Finds a rare word of the wanted text, to compare only at its few places. Pure. */
import { occurrences } from "../text/text.ts";

/** A word that typography does not change. */
export interface MatchAnchor {
  /** From 0. */
  line: number;
  column: number;
  /** In the file, ascending. */
  places: number[];
}

/** More frequent words are used only if there is no rarer one. */
const fewPlaces = 50;
/** Comparing at this many places is faster than searching another word. */
const fewEnough = 3;
const mostPlaces = 20_000;
const tried = 8;

/** Returns the rarest word; undefined if a word is missing or all are too frequent. Folds like the comparison. */
export function findAnchor(text: string, wanted: readonly string[]): MatchAnchor | undefined {
  const words = longestWords(wanted);
  for (const most of [fewPlaces, mostPlaces]) {
    let best: MatchAnchor | undefined;
    for (const { word, line, column } of words) {
      const limit = best?.places.length ?? most;
      const places = occurrences(text, word, 1, limit + 1);
      if (places.length === 0) return undefined;
      if (places.length <= limit) best = { line, column, places };
      if (best && best.places.length <= fewEnough) break;
    }
    if (best) return best;
  }
  return undefined;
}

interface AnchorWord {
  word: string;
  line: number;
  column: number;
}

/** Returns the longest words that typography does not affect; non-ASCII words only if there are no others. */
function longestWords(wanted: readonly string[]): AnchorWord[] {
  const plain = wordsMatching(wanted, /[!#-&(-,/-~]+(?!\p{M})/gu);
  const words = plain.length > 0 ? plain : wordsMatching(wanted, /[^\s'"\-.]+/gu);
  const unique = new Map(words.map((one) => [one.word, one]));
  return [...unique.values()].sort((a, b) => b.word.length - a.word.length).slice(0, tried);
}

function wordsMatching(lines: readonly string[], pattern: RegExp): AnchorWord[] {
  return lines.flatMap((text, line) =>
    [...text.matchAll(pattern)].map(({ 0: word, index }) => ({ word, line, column: index })),
  );
}
