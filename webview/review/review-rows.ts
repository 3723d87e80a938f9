/** Words of the review bar, for eyes and for screen readers. */

import type { ReviewFile } from "../../src/chat/review-views.ts";
import { counted, t } from "../../src/l10n/l10n.ts";
import { baseName } from "../text/format.ts";

export const isDecided = ({ state }: ReviewFile): boolean => state === "accepted" || state === "rejected";

/** "5 changes in 3 files"; a created, moved or deleted file without lines is a change, too. */
export function changesInWords(files: readonly ReviewFile[]): { changes: string; files: string } {
  const open = files.filter((file) => !isDecided(file));
  const changes = open.reduce((sum, { hunks }) => sum + Math.max(1, hunks), 0);
  return {
    changes: counted(changes, "{0} change", "{0} changes"),
    files: counted(open.length, "{0} file", "{0} files"),
  };
}

/** `review-rows.ts` of the host says what has happened to a file. */
const stateWords: Readonly<Record<ReviewFile["state"], string>> = {
  new: t("new"),
  changed: t("changed"),
  moved: t("moved"),
  conflict: t("conflict"),
  deleted: t("deleted"),
  "partly yours": t("partly yours"),
  accepted: t("accepted"),
  rejected: t("rejected"),
};

/** Returns the state of a file: what has happened to it, or what is left of it. */
export function stateInWords({ state, hunks, total }: ReviewFile): string {
  if (state !== "changed") return stateWords[state];
  if (hunks < total) return t("{0} of {1} left", hunks, total);
  return hunks > 0 ? counted(hunks, "{0} change", "{0} changes") : stateWords.changed;
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
  const left = after.every(isDecided) ? t("Nothing is left to review.") : t("{0} left in {1}.", changes, files);
  const [only] = changed;
  if (!only || changed.length > 1) return [t("{0} decided.", counted(changed.length, "{0} file", "{0} files")), left];
  const name = baseName(only.relative);
  if (isDecided(only)) return [`${name} ${stateWords[only.state]}.`, left];
  const more = only.hunks > (former.get(only.path)?.hunks ?? 0);
  return [more ? t("The decision on {0} is taken back.", name) : `${name}: ${stateInWords(only)}.`, left];
}
