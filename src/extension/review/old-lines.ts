/** How removed lines are shown and told. */
import { t } from "../../l10n/l10n.ts";
import { type Changes, userLines } from "../../review/hunks.ts";
import type { LineHunk } from "../../review/line-diff.ts";

/** Up to this many replaced lines, each old line is shown after the new one. */
const maxPairedLines = 4;

/** Returns the lines that the agent has removed in a hunk, without those of the user between them. */
export function removedLines({ base, pieces }: Changes, { start, count }: LineHunk): string[] {
  return pieces
    .filter((piece) => piece.start >= start && piece.start + piece.count <= start + count)
    .flatMap(({ baseStart, baseCount }) => base.slice(baseStart, baseStart + baseCount));
}

/** Whether the old lines stand behind the new ones. */
export function showsOldLines(changes: Changes, hunk: LineHunk): boolean {
  return hunk.count === hunk.baseCount && hunk.count <= maxPairedLines && userLines(changes, hunk).mine.length === 0;
}

export const linesInWords = (count: number): string => (count === 1 ? t("1 line") : t("{0} lines", count));

export const withoutEnd = (line: string): string => line.replace(/(?<![\r\n])[\r\n]+$/, "");
