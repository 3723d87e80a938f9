/** Marks matches in the page by highlights of CSS, which change no element and may cross them. */

import { rangesOf, readText } from "../text/read-text.ts";
import type { MatchPlace } from "./match-index.ts";
import type { QueryMatcher } from "./query-matcher.ts";

/** Names in the styles of FindBar.svelte. */
const names = { all: "find-match", current: "find-current" };
/** The browser moves each with each change of the page. */
const mostMarks = 2000;

/** Marks the matches that are in the page, in place of those before. Returns the range of the current one. */
export function markMatches(
  log: HTMLElement,
  matcher: QueryMatcher,
  current: MatchPlace | undefined,
): Range | undefined {
  const all = new Highlight();
  let found: Range | undefined;
  for (const element of log.querySelectorAll<HTMLElement>("[data-piece]")) {
    const read = readText(element);
    const starts = matcher.starts(read.text);
    if (current && element.dataset["piece"] === current.key) {
      const start = starts[currentNumber(current, starts.length)];
      found ??= start === undefined ? undefined : rangesOf(read, [start], matcher.length)[0];
    }
    for (const range of rangesOf(read, starts.slice(0, mostMarks - all.size), matcher.length)) all.add(range);
  }
  CSS.highlights.set(names.all, all);
  const marked = new Highlight(...(found ? [found] : []));
  marked.priority = 1;
  CSS.highlights.set(names.current, marked);
  return found;
}

/** An element that shows less than its piece, for a moment, has the match nearest to its end. */
function currentNumber({ at, of }: MatchPlace, count: number): number {
  return count === of ? at : Math.min(at, count - 1);
}

export function clearMarks(): void {
  for (const name of Object.values(names)) CSS.highlights.delete(name);
}

/** Scrolls what is inside of the log so that the range is in its view: code, outputs, and lines that are cut. */
export function scrollInside(range: Range, log: HTMLElement): void {
  for (let element = range.startContainer.parentElement; element && element !== log; element = element.parentElement) {
    const box = element.getBoundingClientRect();
    const rect = firstRect(range);
    if (element.scrollHeight > element.clientHeight && (rect.top < box.top || rect.bottom > box.bottom)) {
      element.scrollTop += rect.top - box.top - element.clientHeight / 3;
    }
    if (element.scrollWidth > element.clientWidth && (rect.left < box.left || rect.right > box.right)) {
      element.scrollLeft += rect.left - box.left - element.clientWidth / 3;
    }
  }
}

/** Returns the place of the beginning of the range. */
export function firstRect(range: Range): DOMRect {
  return range.getClientRects()[0] ?? range.getBoundingClientRect();
}
