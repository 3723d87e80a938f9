/** Replaces text by text (T10, T12), never by a pattern. Pure. */
import { commonHead, commonTail, isSplit, lineAt, occurrences, withLineFeeds } from "../text/text.ts";
import { findLoose } from "./find-loose.ts";
import type { LooseMatch } from "./loose-matches.ts";
import { applySplices, linesWithEnds, splicesFor, type TextSplice } from "./splices.ts";

export type TextReplacement =
  /** `note`: how the text found differs from the wanted one, for the model; empty if it does not. */
  | { type: "replaced"; text: string; count: number; note: string }
  | { type: "not-found" }
  /** Found `count` times; `lines` are those of the first few. */
  | { type: "ambiguous"; count: number; lines: number[]; exact: boolean }
  | { type: "same" }
  /** The text found already equals the replacement; `note` says how it differs from the wanted one. */
  | { type: "done"; note: string };

const shownPlaces = 10;
const mark = "\ufeff";

/** `\n` matches `\r\n`, too. Writes only what differs, with the file's line ends. Tolerates mistakes of models. */
export function replaceText(text: string, wanted: string, by: string, all: boolean): TextReplacement {
  const { lf, indexIn } = withLineFeeds(text);
  const hasMark = wanted.startsWith(mark) && wanted !== mark && !text.includes(mark);
  const plain = (part: string) => (hasMark && part.startsWith(mark) ? part.slice(1) : part).replaceAll("\r\n", "\n");
  const from = plain(wanted);
  const to = plain(by);
  if (from === to) return { type: "same" };
  const found = findExact(lf, from, to, all) ?? findSimilar(lf, from, to, all);
  if (!found) return { type: "not-found" };
  const { starts, note } = found;
  if (starts.length > 1 && !all) {
    const lines = starts.slice(0, shownPlaces).map((place) => lineAt(lf, place));
    return { type: "ambiguous", count: starts.length, lines, exact: note === "" };
  }
  const result = applySplices(text, indexIn, found.splices());
  if (result === text) return { type: "done", note };
  // Only an exact match may empty a file.
  if (note !== "" && result.trim() === "") return { type: "not-found" };
  return { type: "replaced", text: result, count: starts.length, note };
}

interface TextMatches {
  starts: number[];
  note: string;
  splices(): TextSplice[];
}

function findExact(lf: string, from: string, to: string, all: boolean): TextMatches | undefined {
  // Overlapping matches are ambiguous, too, but cannot all be replaced.
  const starts = occurrences(lf, from, all ? from.length : 1).filter(
    // A match must not split a surrogate pair.
    (start) => !isSplit(lf, start) && !isSplit(lf, start + from.length),
  );
  if (starts.length === 0) return undefined;
  const head = commonHead(from, to);
  const tail = commonTail(from, to, head);
  const text = to.slice(head, to.length - tail);
  const splice = (start: number) => ({ start: start + head, end: start + from.length - tail, text });
  return { starts, note: "", splices: () => starts.map(splice) };
}

function findSimilar(lf: string, from: string, to: string, all: boolean): TextMatches | undefined {
  const found = findLoose(lf, from, to);
  if (!found) return undefined;
  const { wording, note } = found;
  const places = all ? withoutOverlaps(found.places) : found.places;
  const there = places.map(({ start, end }) => lf.slice(start, end)).join("\n");
  const isProse = /\p{L}\u2019\p{L}/u.test(there) && !/\p{L}'\p{L}/u.test(there);
  const splices = () =>
    places
      .flatMap((place) => splicesFor(place, linesWithEnds(wording.from), linesWithEnds(wording.to)))
      // Typographic apostrophes only between letters, where they cannot be quotation marks of code.
      .map((splice) =>
        isProse ? { ...splice, text: splice.text.replace(/(?<=\p{L})'(?=\p{L})/gu, "\u2019") } : splice,
      );
  return { starts: places.map(({ start }) => start), note, splices };
}

function withoutOverlaps(places: readonly LooseMatch[]): LooseMatch[] {
  const kept: LooseMatch[] = [];
  for (const place of places) if (place.start >= (kept.at(-1)?.end ?? 0)) kept.push(place);
  return kept;
}
