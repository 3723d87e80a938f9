/** Computes line-wise replacements, so that lines that do not change keep the file's bytes. Pure. */
import { diffArrays } from "diff";
import { endingAround } from "../text/text.ts";
import { indentOf } from "./indentation.ts";
import { type LooseMatch, trimBlanksEnd } from "./loose-matches.ts";

export interface TextSplice {
  start: number;
  end: number;
  text: string;
}

/** Applies `splices`, ordered and relative to the text with line feeds; `indexIn` maps their indices to `text`. */
export function applySplices(text: string, indexIn: (index: number) => number, splices: readonly TextSplice[]): string {
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end, text: fresh } of splices) {
    const at = indexIn(start);
    pieces.push(text.slice(done, at), endingAround(text, at) === "\r\n" ? fresh.replaceAll("\n", "\r\n") : fresh);
    done = indexIn(end);
  }
  pieces.push(text.slice(done));
  return pieces.join("");
}

/** `from` lines of one text become `to` lines of the other. */
interface LineRun {
  from: number;
  to: number;
  same: boolean;
}

/** Texts beyond these limits are replaced as one block. */
const mostLines = 2_000;
const timeLimitMs = 100;

export function linesWithEnds(text: string): string[] {
  const lines = text.split("\n");
  return lines.map((line, index) => (index < lines.length - 1 ? `${line}\n` : line));
}

/** `from` and `to` come from `linesWithEnds`. */
export function splicesFor(place: LooseMatch, from: readonly string[], to: readonly string[]): TextSplice[] {
  const edge = (line: number) => place.starts[line] ?? place.end;
  const indented = (line: string, index: number) => {
    if (!place.shift || (index === 0 && place.startsMidLine) || trimBlanksEnd(line.replace("\n", "")) === "")
      return line;
    const indent = indentOf(line);
    return place.shift(indent) + line.slice(indent.length);
  };
  const lines = to.map(indented);
  const splices: TextSplice[] = [];
  let [old, fresh] = [0, 0];
  for (const run of diffLineRuns(from, to, place.startsMidLine)) {
    const text = lines.slice(fresh, fresh + run.to).join("");
    if (!run.same) splices.push({ start: edge(old), end: edge(old + run.from), text });
    old += run.from;
    fresh += run.to;
  }
  return splices;
}

function diffLineRuns(from: readonly string[], to: readonly string[], within: boolean): LineRun[] {
  const isLong = from.length > mostLines || to.length > mostLines;
  const changes = isLong ? undefined : diffArrays([...from], [...to], { timeout: timeLimitMs });
  if (!changes) return singleChange(from, to, within);
  const runs: LineRun[] = [];
  for (const { count, added, removed } of changes) {
    const last = runs.at(-1);
    if (!added && !removed) runs.push({ from: count, to: count, same: true });
    else if (!last || last.same) runs.push({ from: removed ? count : 0, to: added ? count : 0, same: false });
    // What is removed comes before what is added.
    else last.to += count;
  }
  // A match that begins within a line cannot get new lines before its first.
  return within && runs[0]?.from === 0 ? singleChange(from, to, within) : runs;
}

/** Returns one change between the common first and last lines. */
function singleChange(from: readonly string[], to: readonly string[], within: boolean): LineRun[] {
  const most = Math.min(from.length, to.length);
  let head = 0;
  while (head < most && from[head] === to[head]) head++;
  let tail = 0;
  const room = Math.min(most - head, from.length - (within ? Math.max(head, 1) : head));
  while (tail < room && from.at(-1 - tail) === to.at(-1 - tail)) tail++;
  return [
    { from: head, to: head, same: true },
    { from: from.length - head - tail, to: to.length - head - tail, same: false },
    { from: tail, to: tail, same: true },
  ];
}
