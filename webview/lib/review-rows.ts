/** Words of the review bar, for eyes and for screen readers. */
import type { ReviewFile } from "../../src/chat/review-views.ts";
import { baseName, count } from "./format.ts";

export const isDecided = ({ state }: ReviewFile): boolean => state === "accepted" || state === "rejected";

/** "5 changes in 3 files"; a created, moved or deleted file without lines is a change, too. */
export function changesInWords(files: readonly ReviewFile[]): { changes: string; files: string } {
  const open = files.filter((file) => !isDecided(file));
  const changes = open.reduce((sum, { hunks }) => sum + Math.max(1, hunks), 0);
  return { changes: count(changes, "change"), files: count(open.length, "file") };
}

/** Returns the state of a file: what has happened to it, or what is left of it. */
export function stateInWords({ state, hunks, total }: ReviewFile): string {
  if (state !== "changed") return state;
  if (hunks < total) return `${hunks} of ${total} left`;
  return hunks > 0 ? count(hunks, "change") : "changed";
}

/** Returns sentences about decisions that were made or taken back between two states of the review. */
export function decisionsInWords(before: readonly ReviewFile[], after: readonly ReviewFile[]): string[] {
  const former = new Map(before.map((file) => [file.path, file]));
  const changed = after.filter((file) => {
    const was = former.get(file.path);
    return was && (isDecided(was) !== isDecided(file) || (was.total === file.total && was.hunks !== file.hunks));
  });
  if (changed.length === 0) return [];
  const { changes, files } = changesInWords(after);
  const left = after.every(isDecided) ? "Nothing is left to review." : `${changes} left in ${files}.`;
  const [only] = changed;
  if (!only || changed.length > 1) return [`${count(changed.length, "file")} decided.`, left];
  const name = baseName(only.relative);
  if (isDecided(only)) return [`${name} ${only.state}.`, left];
  const more = only.hunks > (former.get(only.path)?.hunks ?? 0);
  return [more ? `The decision on ${name} is taken back.` : `${name}: ${stateInWords(only)}.`, left];
}
