/** Finding what was meant where it is not there to the letter. Pure, and bounded in time. */
import { isSplit } from "../text/text.ts";
import { type Anchor, anchorOf } from "./anchor.ts";
import { indentOf } from "./indentation.ts";
import { Lines } from "./line-index.ts";
import { isBlank, type Mode, type Place, placesOf } from "./loose-matches.ts";
import { fold } from "./typography.ts";
import { type Wording, wordings } from "./wordings.ts";

export interface Found {
  places: [Place, ...Place[]];
  wording: Wording;
  /** What differed, in sentences for the model. */
  note: string;
}

const spaces: readonly Mode["space"][] = ["same", "trailing", "indent"];
const notes: Record<Mode["space"], string> = {
  same: "",
  trailing: "old_string differed in trailing white space.",
  indent: "old_string differed in indentation; the replacement was re-indented.",
};
const foldedNote =
  "old_string differed in quotes, dashes, spaces or accents; changed lines were put as new_string has them.";

/** Whether a place may be meant. */
type Accept = (place: Place, lines: Lines) => boolean;

/**
 * The places that are meant by `from`, when `text` has it not to the letter: of the first kind of difference under which
 * there is any. Line ends are `\n`.
 */
export function findLoose(text: string, from: string, to: string, accept: Accept = () => true): Found | undefined {
  const lines = new Lines(text);
  const anchors = new Map<string, Anchor | undefined>();
  for (const folded of [false, true]) {
    for (const wording of wordings(text, from, to)) {
      const key = folded ? fold(wording.from) : wording.from;
      if (!anchors.has(key)) anchors.set(key, anchorOf(text, key.split("\n")));
      const anchor = anchors.get(key);
      const found = anchor && find(lines, wording, anchor, folded, accept);
      if (found) return found;
    }
  }
  return undefined;
}

function find(lines: Lines, wording: Wording, anchor: Anchor, folded: boolean, accept: Accept): Found | undefined {
  const wanted = wording.from.split("\n");
  const others = wording.to.split("\n").map(indentOf);
  for (const space of spaces) {
    const all = placesOf(lines, wanted, others, anchor, { space, folded });
    const [first, ...more] = all.filter((place) => fits(place, wording.at, lines) && accept(place, lines));
    const note = [wording.note, notes[space], folded ? foldedNote : ""].filter((one) => one !== "").join(" ");
    if (first) return { places: [first, ...more], wording, note };
  }
  return undefined;
}

function fits(place: Place, at: Wording["at"], lines: Lines): boolean {
  if (splitsWord(lines.text, place.start) || splitsWord(lines.text, place.end)) return false;
  if (at === "end") return place.end === lines.text.length;
  return at === "anywhere" || onOwnLines(place, lines);
}

export function onOwnLines({ start, end }: Place, lines: Lines): boolean {
  const first = lines.lineOf(start);
  const last = lines.lineOf(end);
  return isBlank(lines.text.slice(lines.start(first), start)) && isBlank(lines.text.slice(end, lines.end(last)));
}

/** Half a character is no place. To the letter, part of a word may be meant; where something differs it is more likely another word. */
function splitsWord(text: string, index: number): boolean {
  return isSplit(text, index) || /^[\p{L}\p{N}_]{2}/u.test(text.slice(Math.max(0, index - 1), index + 1));
}
