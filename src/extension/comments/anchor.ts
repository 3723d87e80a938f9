/** Where a comment stands: lines that move with the text, and are found again in a text that changed unseen. Pure. */
import * as z from "zod/mini";

/** Lines from 0, both included. */
export const Anchor = z.object({
  start: z.number(),
  end: z.number(),
  /** Their text, by which they are found again. */
  lines: z.array(z.string()),
  /** Whether they are gone, or others: then the place is the nearest one. */
  outdated: z.boolean(),
});
export type Anchor = z.infer<typeof Anchor>;

/** An edit: a range from 0 and its new text. */
export interface AnchorEdit {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
  readonly text: string;
}

/** Longer ones are found again by their beginning. */
const maxLines = 200;

/** The lines of a text: an array, or a document. */
export interface TextLines {
  readonly length: number;
  slice(from: number, to: number): string[];
}

export function anchorAt(text: TextLines, start: number, end: number): Anchor {
  const last = Math.max(0, text.length - 1);
  const from = Math.min(Math.max(0, start), last);
  const to = Math.min(Math.max(from, end), last);
  return { start: from, end: to, lines: text.slice(from, Math.min(to + 1, from + maxLines)), outdated: false };
}

/** Returns where the lines are after edits, which were made one after the other. `text` is the result. */
export function afterEdits(anchor: Anchor, edits: readonly AnchorEdit[], text: TextLines): Anchor {
  let { start, end, outdated } = anchor;
  for (const edit of edits) {
    outdated ||= isRemoved({ start, end }, edit);
    ({ start, end } = movedBy({ start, end }, edit));
  }
  const moved = anchorAt(text, start, end);
  return outdated ? { ...moved, lines: anchor.lines, outdated } : moved;
}

type Span = Pick<Anchor, "start" | "end">;

function movedBy({ start, end }: Span, { start: from, end: to, text }: AnchorEdit): Span {
  const added = text.split("\n").length - 1;
  const grown = added - (to.line - from.line);
  // What ends at the very beginning of the first line stands above it.
  if (to.line < start || (to.line === start && to.character === 0)) return { start: start + grown, end: end + grown };
  if (from.line > end) return { start, end };
  const first = Math.min(start, from.line);
  if (to.line <= end) return { start: first, end: Math.max(first, end + grown) };
  // The line in which the replaced text ended is not theirs, and now follows the new text.
  const last = from.line + added - (to.character === 0 && added > 0 ? 1 : 0);
  return { start: first, end: Math.max(first, last) };
}

/** Whether nothing is left of the lines, and nothing stands in their place. */
function isRemoved({ start, end }: Span, { start: from, end: to, text }: AnchorEdit): boolean {
  const begins = from.line < start || (from.line === start && from.character === 0);
  return begins && to.line > end && text.trim() === "";
}

/** Farther away a line that happens to be equal is another one. */
const maxDistance = 2000;

/** Finds the lines in a text that has changed unseen: the nearest place with the same lines. */
export function foundAgain(anchor: Anchor, text: readonly string[]): Anchor {
  const { lines, start, end } = anchor;
  const isAt = (at: number) =>
    at >= 0 && at + lines.length <= text.length && lines.every((line, offset) => text[at + offset] === line);
  for (let away = 0; lines.length > 0 && away <= maxDistance; away++) {
    const at = [start + away, start - away].find(isAt);
    if (at !== undefined) return anchorAt(text, at, at + end - start);
  }
  return { ...anchorAt(text, start, end), lines, outdated: true };
}
