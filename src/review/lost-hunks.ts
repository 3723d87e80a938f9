/** Tells which hunks are gone when another program has replaced the text: after a switch of branches, for example. Pure. */
import { areAlike, withoutSpaces, wordsOf } from "./alignment.ts";
import { accept, type Changes, oldLines } from "./hunks.ts";
import { differences, hasWords, type LineHunk } from "./line-diff.ts";

/**
 * Ends the hunks of which nothing is left in `lines`. What stands there now is not the agent's, so it must not be taken
 * for its change, which a reject would replace with lines of another branch. A line that was only formatted is left.
 */
export function withoutLost(changes: Changes, lines: readonly string[]): Changes {
  const edits = differences(changes.text, lines);
  return changes.hunks.reduceRight(
    (now, hunk, index) => (isLost(hunk, changes, edits, lines) ? accept(now, index) : now),
    changes,
  );
}

function isLost(hunk: LineHunk, changes: Changes, edits: readonly LineHunk[], lines: readonly string[]): boolean {
  const { text } = changes;
  const end = hunk.start + hunk.count;
  if (hunk.count === 0 && edits.some((edit) => isReplaced(hunk, edit, changes, lines))) return true;
  const touching = edits.filter(({ baseStart, baseCount }) =>
    hunk.count > 0
      ? baseStart < end && baseStart + baseCount > hunk.start
      : (baseStart < hunk.start && baseStart + baseCount > hunk.start) || isAll(baseCount, text),
  );
  if (touching.length === 0) return false;
  const kept = Array.from({ length: hunk.count }, (_, at) => hunk.start + at).some(
    (line) => !touching.some(({ baseStart, baseCount }) => line >= baseStart && line < baseStart + baseCount),
  );
  if (kept) return false;
  const fresh = new Set(touching.flatMap(({ start, count }) => lines.slice(start, start + count)).map(wordsOf));
  return !text.slice(hunk.start, end).some((line) => wordsOf(line) !== "" && fresh.has(wordsOf(line)));
}

/** Whether nothing is left of the text: then nothing tells, either, where at its edges lines had been removed. */
const isAll = (count: number, text: readonly string[]): boolean => count > 0 && count === text.length;

/** Whether other lines stand now where the agent has removed some, or some of these beside others. */
function isReplaced(hunk: LineHunk, edit: LineHunk, changes: Changes, lines: readonly string[]): boolean {
  const { baseStart, baseCount, start, count } = edit;
  if (baseStart > hunk.start || baseStart + baseCount < hunk.start) return false;
  const old = oldLines(changes, hunk).filter(hasWords);
  const fresh = lines.slice(start, start + count).filter(hasWords);
  const [oldWords, freshWords] = [old.map(wordsOf), fresh.map(wordsOf)];
  // On another branch a removed line may stand in another version.
  if (baseCount > 0) return freshWords.some((words) => oldWords.some((one) => areVersions(one, words)));
  // All of them are back, perhaps formatted.
  if (freshWords.join("\n") === oldWords.join("\n")) return fresh.length > 0;
  const kept = new Set(old.map(withoutSpaces));
  return fresh.some((line) => !kept.has(withoutSpaces(line)));
}

const areVersions = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a) || areAlike(a, b);
