/** Replacing text by text (T10, T12), never by a pattern. Pure. */
import { commonHead, commonTail, endingAround, lineAt, withLineFeeds } from "./text.ts";

export type Replacement =
  | { type: "replaced"; text: string; count: number }
  | { type: "not-found" }
  /** Found `count` times; the lines on which the first of them begin. */
  | { type: "ambiguous"; count: number; lines: number[] }
  | { type: "same" };

const shownPlaces = 10;

/**
 * `\n` in `wanted` matches `\r\n`, too. Only what differs between `wanted` and `by` is touched, and new line ends are those
 * that the place has.
 */
export function replace(text: string, wanted: string, by: string, all: boolean): Replacement {
  const { lf, indexIn } = withLineFeeds(text);
  const from = wanted.replaceAll("\r\n", "\n");
  const to = by.replaceAll("\r\n", "\n");
  if (from === to) return { type: "same" };
  // Overlapping places are ambiguous, too; but they cannot all be replaced.
  const places = findAll(lf, from, all ? from.length : 1);
  if (places.length === 0) return { type: "not-found" };
  if (places.length > 1 && !all) {
    const lines = places.slice(0, shownPlaces).map((place) => lineAt(lf, place));
    return { type: "ambiguous", count: places.length, lines };
  }

  const head = commonHead(from, to);
  const tail = commonTail(from, to, head);
  const core = to.slice(head, to.length - tail);
  const coreCrlf = core.replaceAll("\n", "\r\n");
  const pieces: string[] = [];
  let done = 0;
  for (const place of places) {
    const start = indexIn(place + head);
    pieces.push(text.slice(done, start), endingAround(text, start) === "\r\n" ? coreCrlf : core);
    done = indexIn(place + from.length - tail);
  }
  pieces.push(text.slice(done));
  return { type: "replaced", text: pieces.join(""), count: places.length };
}

function findAll(text: string, wanted: string, step: number): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + step)) places.push(at);
  return places;
}
