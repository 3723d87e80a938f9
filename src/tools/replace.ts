/** Replacing text by text (T10, T12), never by a pattern. Pure. */
import { endingAround, lineAt, withLineFeeds } from "./text.ts";

export type Replacement =
  | { type: "replaced"; text: string; count: number }
  | { type: "not-found" }
  /** Found more than once; the lines on which each begins. */
  | { type: "ambiguous"; lines: number[] }
  | { type: "same" };

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
  if (places.length > 1 && !all) return { type: "ambiguous", lines: places.map((place) => lineAt(lf, place)) };

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

function commonHead(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let count = 0;
  while (count < end && a[count] === b[count]) count++;
  return count;
}

function commonTail(a: string, b: string, head: number): number {
  const end = Math.min(a.length, b.length) - head;
  let count = 0;
  while (count < end && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return count;
}
