/** Applies the chunks of a patch to a text. Pure. */
import { msg } from "../../l10n/l10n.ts";
import { describeMiss, notFoundWords } from "../fuzzy-match/describe-miss.ts";
import { findLoose, isOnOwnLines } from "../fuzzy-match/find-loose.ts";
import { LineIndex } from "../fuzzy-match/line-index.ts";
import type { LooseMatch } from "../fuzzy-match/loose-matches.ts";
import { applySplices, linesWithEnds, splicesFor, type TextSplice } from "../fuzzy-match/splices.ts";
import { isCrlf, occurrences, withLineFeeds } from "../text/text.ts";
import { ToolError } from "../tool.ts";
import type { PatchChunk } from "./parse-patch.ts";

/** `notes`: how the text differs. Errors quote a known file. @throws ToolError if not exactly one place matches */
export function applyChunks(text: string, chunks: readonly PatchChunk[], name: string, isKnown: boolean) {
  // Chunks are whole lines, so an unfinished last line gets an end temporarily.
  const isOpen = text !== "" && !text.endsWith("\n");
  const whole = isOpen ? text + (isCrlf(text) ? "\r\n" : "\n") : text;
  const { lf, indexIn } = withLineFeeds(whole);
  const lines = new LineIndex(lf);
  const notes: string[] = [];
  const splices: TextSplice[] = [];
  let cursor = 0;
  for (const [index, chunk] of chunks.entries()) {
    const which = chunks.length === 1 ? "The chunk" : `Chunk ${index + 1} of ${chunks.length}`;
    try {
      const found = findChunk(lines, chunk, cursor, isKnown);
      splices.push(...splicesFor(found.place, linesWithEnds(found.from), linesWithEnds(found.to)));
      if (found.note !== "") notes.push(`${which}: ${found.note}`);
      cursor = found.place.end;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      throw new ToolError(
        `${which} for ${name} has no place in it, so nothing was changed. ${error.message}`,
        msg("{0} Nothing was changed.", error.words),
      );
    }
  }
  const result = applySplices(whole, indexIn, splices);
  return { text: isOpen ? result.replace(/\r?\n$/, "") : result, notes };
}

/** Searches after `cursor`, the end of the chunk before. */
function findChunk(lines: LineIndex, chunk: PatchChunk, cursor: number, isKnown: boolean) {
  const from = chunk.from.map((line) => `${line}\n`).join("");
  const to = chunk.to.map((line) => `${line}\n`).join("");
  const start = chunk.heads.reduce((at, head) => findHead(lines, head, at), cursor);
  if (from === "") return { place: insertionPoint(lines, chunk, start), from, to, note: "" };
  const [first, ...more] = exactMatches(lines, from, start);
  if (first) return { place: chooseMatch([first, ...more], chunk, lines), from, to, note: "" };
  const loose = findLoose(lines.text, from, to, (place) => place.start >= start && isOnOwnLines(place, lines));
  if (loose) {
    const { places, wording } = loose;
    const note = loose.note
      .replaceAll("old_string", "what the patch has there")
      .replaceAll("new_string", "what it adds");
    return { place: chooseMatch(places, chunk, lines), from: wording.from, to: wording.to, note };
  }
  const after = start === 0 ? "" : ` after line ${lines.lineOf(start)}`;
  throw new ToolError(
    describeMiss(`Its context and - lines were not found${after}.`, lines.text, from, isKnown),
    notFoundWords,
  );
}

/** Finds the line that equals `head`, else starts with it, else contains it; the chunk is searched from there. */
function findHead(lines: LineIndex, head: string, cursor: number): number {
  const first = lines.lineOf(cursor);
  const fits: readonly ((line: string) => boolean)[] = [
    (line) => line === head,
    (line) => line.startsWith(head),
    (line) => line.includes(head),
  ];
  for (const matches of fits) {
    for (let line = first; line < lines.count; line++) if (matches(lines.at(line).trim())) return lines.start(line);
  }
  throw new ToolError(`No line reads "${head}", which its @@ names.`, notFoundWords);
}

function insertionPoint(lines: LineIndex, { heads, at }: PatchChunk, start: number): LooseMatch {
  let place = lines.text.length;
  if (heads.length > 0) place = lines.start(lines.lineOf(start) + 1);
  else if (at !== undefined) place = lines.start(at);
  return { start: place, end: place, starts: [place], shift: undefined, startsMidLine: false };
}

function exactMatches(lines: LineIndex, from: string, begin: number): LooseMatch[] {
  return occurrences(lines.text, from)
    .filter((at) => at >= begin && (at === 0 || lines.text[at - 1] === "\n"))
    .map((at) => {
      const first = lines.lineOf(at);
      const starts = from.split("\n").map((_, index) => lines.start(first + index));
      return { start: at, end: at + from.length, starts, shift: undefined, startsMidLine: false };
    });
}

/** Chooses by head, end of file or line number. @throws ToolError if the choice is ambiguous */
function chooseMatch([first, ...more]: readonly [LooseMatch, ...LooseMatch[]], chunk: PatchChunk, lines: LineIndex) {
  if (more.length === 0 || chunk.heads.length > 0) return first;
  const all = [first, ...more];
  const told = chunk.atEnd
    ? all.find(({ end }) => end === lines.text.length)
    : all.find(({ start }) => lines.lineOf(start) + 1 === chunk.at);
  if (told) return told;
  const numbers = all.slice(0, 10).map(({ start }) => lines.lineOf(start) + 1);
  throw new ToolError(
    `Its context and - lines are there ${all.length} times, on lines ${numbers.join(", ")}${all.length > 10 ? ", …" : ""}. Add lines around them, or a line "@@ " with the function or class that they are in.`,
    msg("The text is there {0} times; the model tries again.", all.length),
  );
}
