/** The form in which a review is kept on disk. */
import * as z from "zod/mini";
import { becomes } from "./edits.ts";
import { FileReview, ReviewState } from "./file-review.ts";
import { baseText, type Changes, changesOf, currentText, end, isMixed, unchanged, unmarked } from "./hunks.ts";
import { type LineHunk, splitLines } from "./line-diff.ts";
import { cleared } from "./piece-builder.ts";

const Count = z.number().check(z.int(), z.nonnegative());

export const StoredChanges = z.object({
  base: z.string(),
  text: z.string(),
  /** `baseStart`, `baseCount`, `start`, `count` of each piece. */
  pieces: z.array(z.tuple([Count, Count, Count, Count])),
  mine: z.array(Count),
  /** With what the agent wrote there. */
  mixed: z.array(z.tuple([Count, z.array(z.string())])),
  /** Lines of the agent in which the user has changed spaces alone, likewise. */
  spaced: z._default(z.array(z.tuple([Count, z.array(z.string())])), []),
});
export type StoredChanges = z.infer<typeof StoredChanges>;

export const StoredReview = z.extend(StoredChanges, { version: z.literal(2), uri: z.string(), state: ReviewState });
export type StoredReview = z.infer<typeof StoredReview>;

export const storedReview = (uri: string, file: FileReview): StoredReview => ({
  ...{ version: 2, uri },
  state: file.state,
  ...storedChanges(file.changes),
});

/** The form of versions up to 0.4, which knew neither pieces nor marks. */
const FormerReview = z.object({
  version: z.literal(1),
  uri: z.string(),
  created: z.boolean(),
  base: z.string(),
  text: z.string(),
});

/** Reads a review that was kept on disk, by this version or a former one. Returns undefined if it is none. */
export function readReview(json: unknown): StoredReview | undefined {
  const former = FormerReview.safeParse(json).data;
  if (!former) return StoredReview.safeParse(json).data;
  const { uri, created, base, text } = former;
  const state: ReviewState = created ? { type: "created", folders: [] } : { type: "changed" };
  return storedReview(uri, new FileReview(state, becomes(unchanged(base), text, "agent")));
}

export const reviewOf = (stored: StoredReview): FileReview => new FileReview(stored.state, changesFrom(stored));

export function storedChanges(changes: Changes): StoredChanges {
  return {
    base: baseText(changes),
    text: currentText(changes),
    pieces: changes.pieces.map(({ baseStart, baseCount, start, count }) => [baseStart, baseCount, start, count]),
    mine: changes.marks.flatMap((mark, line) => (mark === "mine" ? [line] : [])),
    spaced: changes.marks.flatMap((mark, line) =>
      typeof mark === "object" && !isMixed(mark) ? [[line, [...mark.written]]] : [],
    ),
    mixed: changes.marks.flatMap((mark, line) => (isMixed(mark) ? [[line, [...mark.agent]]] : [])),
  };
}

export function changesFrom({ base, text, pieces: stored, mine, mixed, spaced }: StoredChanges): Changes {
  const pieces = stored.map(([baseStart, baseCount, start, count]) => ({ baseStart, baseCount, start, count }));
  const [old, fresh] = [splitLines(base), splitLines(text)];
  if (!areDifferences(old, fresh, pieces)) return becomes(unchanged(old), fresh, "agent");
  const marks = unmarked(fresh.length);
  for (const line of mine) if (line < marks.length) marks[line] = "mine";
  for (const [line, written] of spaced) if (line < marks.length) marks[line] = { written };
  for (const [line, agent] of mixed) if (line < marks.length) marks[line] = { agent };
  return changesOf(old, fresh, cleared(marks, pieces), pieces);
}

/** Whether the texts are equal but for the pieces. */
function areDifferences(base: readonly string[], text: readonly string[], pieces: readonly LineHunk[]): boolean {
  const stop = { baseStart: base.length, baseCount: 0, start: text.length, count: 0 };
  let [inBase, inText] = [0, 0];
  for (const piece of [...pieces, stop]) {
    if (piece.baseStart - inBase !== piece.start - inText || piece.start < inText) return false;
    for (; inText < piece.start; inText++, inBase++) if (base[inBase] !== text[inText]) return false;
    inBase += piece.baseCount;
    inText = end(piece);
  }
  return inBase === base.length && inText === text.length;
}
