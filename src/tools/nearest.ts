/** Where in a text something like the wanted text stands, for the words of an error. Pure, and bounded in time. */
import { splitLines } from "./text.ts";

export interface Near {
  /** Line numbers, from 1, both included. */
  first: number;
  last: number;
  /** Whether the lines are the wanted ones but for white space. */
  onlyWhiteSpace: boolean;
}

interface Line {
  number: number;
  /** Its text without white space. */
  key: string;
}

export function nearest(text: string, wanted: string): Near | undefined {
  const lines = keyed(text);
  const sought = keyed(wanted);
  if (sought.length === 0) return undefined;
  return sameButForSpace(lines, sought) ?? sharingMost(lines, sought) ?? mostAlike(lines, sought);
}

/** Whether each line begins with a number and a tab, as `read` shows them. */
export function hasLineNumbers(wanted: string): boolean {
  const lines = splitLines(wanted);
  return lines.length > 0 && lines.every((line) => /^ *\d+\t/.test(line));
}

function keyed(text: string): Line[] {
  return splitLines(text)
    .map((line, index) => ({ number: index + 1, key: line.replace(/\s+/g, "") }))
    .filter((line) => line.key !== "");
}

/** The first of the wanted lines may begin within a line, and the last may end within one. */
function sameButForSpace(lines: readonly Line[], sought: readonly Line[]): Near | undefined {
  const count = sought.length;
  const fits = (at: number) =>
    sought.every(({ key }, index) => {
      const there = lines[at + index]?.key ?? "";
      if (count === 1) return there.includes(key);
      if (index === 0) return there.endsWith(key);
      return index === count - 1 ? there.startsWith(key) : there === key;
    });
  const at = lines.findIndex((_, index) => index + count <= lines.length && fits(index));
  const first = lines[at];
  const last = lines[at + count - 1];
  return first && last && { first: first.number, last: last.number, onlyWhiteSpace: true };
}

/** The place at which the most of the wanted lines stand where they should; long lines count more. */
function sharingMost(lines: readonly Line[], sought: readonly Line[]): Near | undefined {
  const placesOf = new Map<string, number[]>();
  for (const [index, { key }] of lines.entries()) {
    const places = placesOf.get(key);
    if (!places) placesOf.set(key, [index]);
    else if (places.length < 50) places.push(index);
  }
  const votes = new Map<number, number>();
  for (const [index, { key }] of sought.slice(0, 1_000).entries()) {
    if (key.length < 3) continue;
    for (const place of placesOf.get(key) ?? []) {
      const start = place - index;
      votes.set(start, (votes.get(start) ?? 0) + Math.min(key.length, 80));
    }
  }
  let best: number | undefined;
  for (const [start, score] of votes) if (score > (votes.get(best ?? Number.NaN) ?? 0)) best = start;
  return best === undefined ? undefined : window(lines, best, sought.length);
}

/** The place of the line that is most like the longest of the wanted ones, when it is at all like it. */
function mostAlike(lines: readonly Line[], sought: readonly Line[]): Near | undefined {
  const longest = sought.reduce((a, b) => (b.key.length > a.key.length ? b : a));
  const pairs = pairsOf(longest.key);
  if (pairs.size === 0) return undefined;
  let best = { index: -1, score: 0.5 };
  for (const [index, { key }] of lines.slice(0, 20_000).entries()) {
    const others = pairsOf(key);
    let shared = 0;
    for (const pair of others) if (pairs.has(pair)) shared++;
    const score = (2 * shared) / (pairs.size + others.size);
    if (score > best.score) best = { index, score };
  }
  return best.index < 0 ? undefined : window(lines, best.index - sought.indexOf(longest), sought.length);
}

function pairsOf(key: string): Set<string> {
  const pairs = new Set<string>();
  for (let at = 0; at < Math.min(key.length, 200) - 1; at++) pairs.add(key.slice(at, at + 2));
  return pairs;
}

function window(lines: readonly Line[], start: number, count: number): Near | undefined {
  const first = lines[Math.max(0, start)];
  const last = lines[Math.min(lines.length - 1, start + count - 1)];
  return first && last && { first: first.number, last: last.number, onlyWhiteSpace: false };
}
