/** Finds text that the model quoted inexactly. Pure, and bounded in time. */
import { isSplit } from "../text/text.ts";
import { findAnchor, type MatchAnchor } from "./anchor.ts";
import { indentOf } from "./indentation.ts";
import { LineIndex } from "./line-index.ts";
import { isBlank, type LooseMatch, type MatchTolerance, matchesAt } from "./loose-matches.ts";
import { foldTypography } from "./typography.ts";
import { likelyWordings, type Wording } from "./wordings.ts";

export interface LooseMatches {
  places: [LooseMatch, ...LooseMatch[]];
  wording: Wording;
  note: string;
}

const spaces: readonly MatchTolerance["space"][] = ["same", "trailing", "indent"];
const notes: Record<MatchTolerance["space"], string> = {
  same: "",
  trailing: "old_string differed in trailing white space.",
  indent: "old_string differed in indentation; the replacement was re-indented.",
};
const foldedNote =
  "old_string differed in quotes, dashes, spaces or accents; changed lines were put as new_string has them.";

type MatchFilter = (place: LooseMatch, lines: LineIndex) => boolean;

/** Returns the places for the first kind of difference that has any. Line ends are `\n`. */
export function findLoose(
  text: string,
  from: string,
  to: string,
  accept: MatchFilter = () => true,
): LooseMatches | undefined {
  const lines = new LineIndex(text);
  const anchors = new Map<string, MatchAnchor | undefined>();
  for (const folded of [false, true]) {
    for (const wording of likelyWordings(text, from, to)) {
      const key = folded ? foldTypography(wording.from) : wording.from;
      if (!anchors.has(key)) anchors.set(key, findAnchor(text, key.split("\n")));
      const anchor = anchors.get(key);
      const found = anchor && findWording({ lines, wording, anchor, folded, accept });
      if (found) return found;
    }
  }
  return undefined;
}

interface WordingSearch {
  lines: LineIndex;
  wording: Wording;
  anchor: MatchAnchor;
  folded: boolean;
  accept: MatchFilter;
}

function findWording({ lines, wording, anchor, folded, accept }: WordingSearch): LooseMatches | undefined {
  const wanted = wording.from.split("\n");
  const others = wording.to.split("\n").map(indentOf);
  for (const space of spaces) {
    const all = matchesAt({ lines, wanted, others, anchor, mode: { space, folded } });
    const [first, ...more] = all.filter((place) => fitsWording(place, wording.at, lines) && accept(place, lines));
    const note = [wording.note, notes[space], folded ? foldedNote : ""].filter((one) => one !== "").join(" ");
    if (first) return { places: [first, ...more], wording, note };
  }
  return undefined;
}

function fitsWording(place: LooseMatch, at: Wording["at"], lines: LineIndex): boolean {
  if (splitsWord(lines.text, place.start) || splitsWord(lines.text, place.end)) return false;
  if (at === "end") return place.end === lines.text.length;
  return at === "anywhere" || isOnOwnLines(place, lines);
}

export function isOnOwnLines({ start, end }: LooseMatch, lines: LineIndex): boolean {
  const first = lines.lineOf(start);
  const last = lines.lineOf(end);
  return isBlank(lines.text.slice(lines.start(first), start)) && isBlank(lines.text.slice(end, lines.end(last)));
}

/** Rejects half characters, and parts of words: in an inexact match they are probably another word. */
function splitsWord(text: string, index: number): boolean {
  return isSplit(text, index) || /[\p{L}\p{N}_]{2}/u.test(text.slice(Math.max(0, index - 1), index + 1));
}
