/** Says what a removal of a worktree would delete that git does not hold, and asks. */

import * as vscode from "vscode";
import { never } from "../../base/never.ts";
import { counted, formatted, t } from "../../l10n/l10n.ts";
import { type Loss, lossesOf } from "../../worktrees/losses.ts";
import type { Worktree } from "../../worktrees/worktree-store.ts";

/** Returns what its removal would delete for good, apart from the commits of its branch. */
export const lostNow = (worktree: Worktree): Promise<Loss[]> =>
  lossesOf(worktree, { at: worktree.path, branchGoes: false });

/** Returns what its removal would delete for good after its work is committed on its branch. */
export const lostAfterCommit = (worktree: Worktree): Promise<Loss[]> =>
  lossesOf(worktree, { at: worktree.path, branchGoes: false, isCommitted: true });

/** Returns the losses without work that the number of changed files tells. */
export const outsideGit = (losses: readonly Loss[]): Loss[] => losses.filter(({ type }) => type !== "uncommitted");

/** Maximum number of lines in a question. */
const maxLines = 15;

/** Returns a line for each, below a heading; nothing if there are none. */
export function listed(losses: readonly Loss[], heading: string): string[] {
  if (losses.length === 0) return [];
  const lines = losses.slice(0, maxLines).map(lineOf);
  const more = losses.length - lines.length;
  if (more > 0) lines.push(counted(more, "and {0} more", "and {0} more"));
  return ["", heading, ...lines];
}

function lineOf(loss: Loss): string {
  switch (loss.type) {
    case "commits":
      return counted(loss.count, "{0} commit that is on no branch", "{0} commits that are on no branch");
    case "repository":
      return t("{0} (a repository of its own: {1})", loss.path, amountOf(loss));
    case "unknown":
      return t("everything in the worktree ({0})", amountOf(loss));
    case "ignored":
    case "uncommitted":
      return t("{0} ({1})", loss.path, loss.path.endsWith("/") ? amountOf(loss) : sizeOf(loss.bytes));
    default:
      return never(loss);
  }
}

const amountOf = ({ files, bytes }: { files: number; bytes: number }): string =>
  counted(files, "{0} file, {1}", "{0} files, {1}", sizeOf(bytes));

function sizeOf(bytes: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const unit = units[step] ?? "byte";
  return formatted(bytes / 1000 ** step, { style: "unit", unit, maximumFractionDigits: step > 0 ? 1 : 0 });
}

/** Asks before a merge whose worktree, or the one of the other model, has what the merge does not take along. */
export async function askBeforeMerge(
  { branch }: Worktree,
  lost: readonly Loss[],
  rival: Worktree | undefined,
  rivalLost: readonly Loss[],
): Promise<"removed" | "kept" | "cancelled"> {
  const detail = [
    ...listed(lost, t("The merge does not take these of {0} along:", branch)),
    ...(rival ? listed(outsideGit(rivalLost), t("Git does not hold these of {0}:", rival.branch)) : []),
  ];
  if (detail.length === 0) return "removed";
  const [remove, keep] = [t("Merge and Delete Them"), t("Merge and Keep Them")];
  const question = t("Merge {0}, and delete what git does not hold?", branch);
  const answer = await vscode.window.showWarningMessage(
    question,
    { modal: true, detail: detail.join("\n").trim() },
    remove,
    keep,
  );
  return answer === undefined ? "cancelled" : answer === remove ? "removed" : "kept";
}
