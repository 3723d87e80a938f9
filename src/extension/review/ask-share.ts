/** Asks before a reject takes away lines that are not the agent's alone, and offers to take decisions back. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import type { UserShare } from "../../review/decisions.ts";
import type { ReviewDialogs, ShareAnswer } from "./decider.ts";

const maxNames = 8;

export const reviewDialogs: ReviewDialogs = { ask: askAboutShares, offerUndo };

async function askAboutShares(shares: readonly UserShare[]): Promise<ShareAnswer> {
  const { message, detail, keep, drop } = questionOf(shares.map((share) => ({ ...share, name: nameOf(share.uri) })));
  const answer = await vscode.window.showWarningMessage(message, { modal: true, detail }, keep, drop);
  if (answer === undefined) return "cancel";
  return answer === keep ? "keep" : "drop";
}

/** Says what was decided, with a button that takes it back. */
async function offerUndo(message: string, undo: () => Promise<unknown>): Promise<void> {
  const answer = await vscode.window.showInformationMessage(message, t("Undo"));
  if (answer === "Undo") await undo();
}

const nameOf = (uri: string): string => vscode.workspace.asRelativePath(vscode.Uri.parse(uri));

/** Returns the words of the question. */
function questionOf(shares: readonly (UserShare & { name: string })[]) {
  const [only] = shares;
  if (shares.length === 1 && only?.kind === "created") {
    return {
      message: t("{0} has {1} of yours. Delete it?", only.name, linesInWords(only.lines)),
      detail: t("Rondo created the file. Rejecting deletes it, with what you have added."),
      keep: t("Keep My Lines"),
      drop: t("Delete the File"),
    };
  }
  if (shares.length === 1 && only) {
    return {
      message: t("You changed {0} of Rondo's in {1}.", linesInWords(only.lines), only.name),
      detail: t("Rejecting puts the old lines in their place, and your changes in them are gone."),
      keep: t("Keep Mine"),
      drop: t("Reject Anyway"),
    };
  }
  const names = shares.slice(0, maxNames).map(({ name, kind, lines }) => {
    return kind === "created"
      ? t("{0}: deleted, with {1} of yours", name, linesInWords(lines))
      : `${name}: ${linesInWords(lines)}`;
  });
  if (shares.length > maxNames) names.push(t("… and {0} more", shares.length - maxNames));
  return {
    message: t("{0} files have lines of yours that a reject would take away.", shares.length),
    detail: names.join("\n"),
    keep: t("Keep Mine"),
    drop: t("Reject Anyway"),
  };
}

const linesInWords = (count: number): string => (count === 1 ? t("1 line") : t("{0} lines", count));
