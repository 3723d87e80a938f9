/** The few places of a text at which it pays to look for another. Pure. */
import { occurrences } from "../text/text.ts";

/** A word of the wanted text that is the same however it is written, and where the file has it. */
export interface MatchAnchor {
  /** Of the wanted lines, from 0. */
  line: number;
  column: number;
  /** Where the word stands in the file, ascending. */
  places: number[];
}

/** Words that are there more often are looked at only when all of them are. */
const fewPlaces = 50;
/** Looking at so many places takes less time than another search for a word. */
const fewEnough = 3;
const mostPlaces = 20_000;
const tried = 8;

/**
 * The word of the wanted lines (folded ones, where that is how they are compared) that the text has least often.
 * Undefined: a word of them is not there at all, or all are there too often, or they have no words.
 */
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

/** Without what typography or white space may change; other scripts only where there is nothing else. */
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
