/** How a command is drawn: its lines, and what is marked in them. The texts joined are the command, character by character. */
import type { AskReason, CommandMarks, TextRange } from "../../src/chat/requests.ts";

/** A command with its connectors, allowed parts and reasons. */
export interface DrawnCommand extends CommandMarks {
  command: string;
  reasons: readonly AskReason[];
}

type PieceLook = "plain" | "program" | "quoted" | "connector" | "allowed";

export interface CommandPiece {
  text: string;
  look: PieceLook;
}

/** Text in a row with the same marks. */
interface Run {
  /** Ranks of the reasons that it belongs to, from 0, the worst first. Empty: it is not marked. */
  ranks: readonly number[];
  pieces: readonly CommandPiece[];
  /** Stands with the numbers behind it on one line. */
  last: readonly CommandPiece[];
  /** Ranks of the marks that end here. */
  ends: readonly number[];
}

export interface CommandLine {
  runs: readonly Run[];
}

/** Lines, or a number of lines that are left out. */
export type ShownLine = { type: "line"; line: CommandLine } | { type: "gap"; lines: number };

/** A longer command shows its ends and what is marked. */
const longCommand = 2_000;
const endLines = 20;
/** Longer commands have no colours. */
const mostColoured = 10_000;
/** So much of the last word stays with its number. */
const mostKept = 12;

export function drawCommand(drawn: DrawnCommand): CommandLine[] {
  const { command } = drawn;
  const marks = marksOf(drawn);
  const inner = cuts(command, drawn, marks);
  return lineRanges(command, drawn.connectors).map(({ start, end }) => {
    const bounds = [start, ...inner.filter((at) => at > start && at < end), end];
    const pieces = bounds.slice(0, -1).map((from, at) => placed(from, bounds[at + 1] ?? end, drawn, marks));
    return { runs: runsOf(pieces, marks) };
  });
}

/** Leaves out lines of a long command that are neither near its ends nor marked. */
export function shortened(lines: readonly CommandLine[], command: string): ShownLine[] {
  const isWhole = command.length <= longCommand || lines.length <= 2 * endLines + 1;
  const blocks: ShownLine[] = [];
  for (const [at, line] of lines.entries()) {
    const isShown = isWhole || at < endLines || at >= lines.length - endLines || line.runs.some(isMarked);
    const before = blocks.at(-1);
    if (isShown) blocks.push({ type: "line", line });
    else if (before?.type === "gap") before.lines += 1;
    else blocks.push({ type: "gap", lines: 1 });
  }
  return blocks;
}

const isMarked = ({ ranks }: Run) => ranks.length > 0;

interface RankedRange extends TextRange {
  rank: number;
}

/** A reason about the whole command marks it, unless another one has a place in it. */
function marksOf({ command, reasons }: DrawnCommand): RankedRange[] {
  const whole = { start: 0, end: command.length };
  const hasPlaces = reasons.some(({ marks }) => marks.length > 0);
  const all = reasons.flatMap(({ marks }, rank) =>
    (marks.length === 0 && !hasPlaces ? [whole] : marks).map((range) => ({ ...trimmed(command, range), rank })),
  );
  return all.filter(({ start, end }) => start < end);
}

function trimmed(command: string, { start, end }: TextRange): TextRange {
  const text = command.slice(start, end);
  return { start: start + text.length - text.trimStart().length, end: end - (text.length - text.trimEnd().length) };
}

/** A line begins after each line break, and before a connector that no line break stands before. */
function lineRanges(command: string, connectors: readonly TextRange[]): TextRange[] {
  const starts = new Set([0]);
  for (const { index } of command.matchAll(/\n/g)) starts.add(index + 1);
  for (const { start, end } of connectors) {
    const isLineStart = /(^|\n)[^\S\n]*$/.test(command.slice(Math.max(0, start - 200), start));
    if (!/^\|&?$/.test(command.slice(start, end)) && !isLineStart) starts.add(start);
  }
  const sorted = [...starts].filter((at) => at < command.length).sort((one, other) => one - other);
  return sorted.map((start, at) => ({ start, end: sorted[at + 1] ?? command.length }));
}

interface Placed extends TextRange, CommandPiece {
  ranks: number[];
}

function placed(start: number, end: number, drawn: DrawnCommand, marks: readonly RankedRange[]): Placed {
  const { command, connectors, allowed } = drawn;
  const holds = (range: TextRange) => range.start <= start && end <= range.end;
  const ranks = [...new Set(marks.filter(holds).map(({ rank }) => rank))].sort((one, other) => one - other);
  let look: PieceLook = "plain";
  if (connectors.some(holds)) look = "connector";
  else if (allowed.some(({ range }) => holds(range))) look = "allowed";
  else if (quotedRanges(command).some(holds)) look = "quoted";
  else if (programRanges(drawn).some(holds)) look = "program";
  return { start, end, text: command.slice(start, end), look, ranks };
}

function cuts(command: string, drawn: DrawnCommand, marks: readonly RankedRange[]): number[] {
  const { connectors, allowed } = drawn;
  const ranges = [
    ...connectors,
    ...allowed.map(({ range }) => range),
    ...marks,
    ...quotedRanges(command),
    ...programRanges(drawn),
  ];
  return [...new Set(ranges.flatMap(({ start, end }) => [start, end]))].sort((one, other) => one - other);
}

const known = { command: "", ranges: [] as TextRange[] };

/** Texts in quotes; a colour only, so that reading the shell's grammar is not needed. */
function quotedRanges(command: string): TextRange[] {
  if (command.length > mostColoured) return [];
  if (known.command !== command) {
    known.command = command;
    known.ranges = [...command.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'/gs)].map(({ index, 0: text }) => {
      return { start: index, end: index + text.length };
    });
  }
  return known.ranges;
}

/** The first word of the command, and those after its connectors. */
function programRanges({ command, connectors }: DrawnCommand): TextRange[] {
  return [0, ...connectors.map(({ end }) => end)].flatMap((from) => {
    const [text = "", space = "", word = ""] = /^(\s*)([^\s"'$`(]+)/.exec(command.slice(from, from + 200)) ?? [];
    return word === "" ? [] : [{ start: from + space.length, end: from + text.length }];
  });
}

function runsOf(pieces: readonly Placed[], marks: readonly RankedRange[]): Run[] {
  const runs: { ranks: number[]; ends: number[]; pieces: Placed[] }[] = [];
  for (const piece of pieces) {
    const before = runs.at(-1);
    const ends = marks.filter(({ end }) => end === piece.end).map(({ rank }) => rank);
    const isSame = before?.ends.length === 0 && before.ranks.join() === piece.ranks.join();
    if (!isSame || !before) {
      runs.push({ ranks: piece.ranks, ends, pieces: [piece] });
      continue;
    }
    before.pieces.push(piece);
    before.ends = ends;
  }
  return runs.map(({ ranks, ends, pieces: all }) => {
    const sorted = [...new Set(ends)].sort((one, other) => one - other);
    return { ranks, ends: sorted, ...(sorted.length > 0 ? splitLast(all) : { pieces: all, last: [] }) };
  });
}

/** Splits off the last word, or the end of a long one. */
function splitLast(all: readonly Placed[]): Pick<Run, "pieces" | "last"> {
  const piece = all.at(-1);
  if (!piece) return { pieces: all, last: [] };
  const [word = ""] = piece.text.slice(-mostKept).split(/\s/).slice(-1);
  const rest = piece.text.slice(0, piece.text.length - word.length);
  const pieces = [...all.slice(0, -1), ...(rest === "" ? [] : [{ text: rest, look: piece.look }])];
  return { pieces, last: [{ text: word, look: piece.look }] };
}
