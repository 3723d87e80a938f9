/** Finds the lines most similar to the wanted text, for error messages. Pure, and bounded in time. */
import { countLines, headOf, occurrences, splitLines } from "../text/text.ts";
import type { LineIndex } from "./line-index.ts";

export interface NearestLines {
  /** Line numbers, from 1, both included. */
  first: number;
  last: number;
  onlyWhiteSpace: boolean;
}

interface KeyedLine {
  number: number;
  /** Without white space. */
  key: string;
}

/** A text of fewer characters is compared as a whole. */
const smallText = 30_000;
const longestLine = 2_000;
const mostPlaces = 200;

export function findNearest(lines: LineIndex, wanted: string): NearestLines | undefined {
  const sought = keyedLines(headOf(wanted, smallText));
  if (sought.length === 0) return undefined;
  if (lines.text.length <= smallText) return nearestAmong(keyedLines(lines.text), sought);
  const count = countLines(wanted);
  // Choose the best of a few windows: first one that differs only in white space.
  const found = likelyStarts(lines, wanted)
    .map((start) => nearestAmong(keyedWindow(lines, start - 3, count + 8), sought))
    .filter((near) => near !== undefined);
  return found.find(({ onlyWhiteSpace }) => onlyWhiteSpace) ?? found[0];
}

function nearestAmong(lines: readonly KeyedLine[], sought: readonly KeyedLine[]): NearestLines | undefined {
  return sameButForSpace(lines, sought) ?? sharingMost(lines, sought) ?? mostAlike(lines, sought);
}

/** Returns lines, from 0, where the wanted text may begin according to the places of its words, likeliest first. */
function likelyStarts(lines: LineIndex, wanted: string): number[] {
  const votes = new Map<number, number>();
  const vote = (word: string, line: number) => {
    const places = occurrences(lines.text, word, 1, mostPlaces);
    for (const place of places) {
      const start = lines.lineOf(place) - line;
      // Frequent words count less.
      votes.set(start, (votes.get(start) ?? 0) + word.length / places.length);
    }
    return places.length > 0;
  };
  for (const { word, line } of longestWords(wanted)) {
    if (vote(word, line)) continue;
    // If one letter is wrong, one half of the word is still right.
    const size = Math.min(8, Math.ceil(word.length / 2));
    vote(word.slice(0, size), line);
    vote(word.slice(-size), line);
  }
  return [...votes]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 3)
    .map(([start]) => start);
}

function longestWords(wanted: string): { word: string; line: number }[] {
  return splitLines(headOf(wanted, smallText))
    .flatMap((text, line) => (text.match(/[\p{L}\p{N}_$]{3,100}/gu) ?? []).map((word) => ({ word, line })))
    .sort((a, b) => b.word.length - a.word.length)
    .slice(0, 8);
}

function keyedWindow(lines: LineIndex, start: number, count: number): KeyedLine[] {
  const first = Math.max(0, start);
  const found: KeyedLine[] = [];
  for (let line = first; line < Math.min(lines.count, first + count); line++) {
    const key = headOf(lines.at(line), longestLine).replace(/\s+/g, "");
    if (key !== "") found.push({ number: line + 1, key });
  }
  return found;
}

function keyedLines(text: string): KeyedLine[] {
  return splitLines(text)
    .map((line, index) => ({ number: index + 1, key: line.replace(/\s+/g, "") }))
    .filter((line) => line.key !== "");
}

/** Lets the first wanted line begin within a line, and the last end within one. */
function sameButForSpace(lines: readonly KeyedLine[], sought: readonly KeyedLine[]): NearestLines | undefined {
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

/** Returns the place where most wanted lines are at the right distance; long lines count more. */
function sharingMost(lines: readonly KeyedLine[], sought: readonly KeyedLine[]): NearestLines | undefined {
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
  return best === undefined ? undefined : linesFrom(lines, best, sought.length);
}

/** Returns the place of the line most similar to the longest wanted one, if any is similar enough. */
function mostAlike(lines: readonly KeyedLine[], sought: readonly KeyedLine[]): NearestLines | undefined {
  const longest = sought.reduce((a, b) => (b.key.length > a.key.length ? b : a));
  const pairs = bigramsOf(longest.key);
  if (pairs.size === 0) return undefined;
  let best = { index: -1, score: 0.5 };
  for (const [index, { key }] of lines.slice(0, 20_000).entries()) {
    const others = bigramsOf(key);
    let shared = 0;
    for (const pair of others) if (pairs.has(pair)) shared++;
    const score = (2 * shared) / (pairs.size + others.size);
    if (score > best.score) best = { index, score };
  }
  return best.index < 0 ? undefined : linesFrom(lines, best.index - sought.indexOf(longest), sought.length);
}

function bigramsOf(key: string): Set<string> {
  const pairs = new Set<string>();
  for (let at = 0; at < Math.min(key.length, 200) - 1; at++) pairs.add(key.slice(at, at + 2));
  return pairs;
}

function linesFrom(lines: readonly KeyedLine[], start: number, count: number): NearestLines | undefined {
  const first = lines[Math.max(0, start)];
  const last = lines[Math.min(lines.length - 1, start + count - 1)];
  return first && last && { first: first.number, last: last.number, onlyWhiteSpace: false };
}
