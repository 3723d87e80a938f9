/** Asks before a reject takes away lines that are not the agent's alone, and offers to take decisions back. */
import * as vscode from "vscode";
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
  const answer = await vscode.window.showInformationMessage(message, "Undo");
  if (answer === "Undo") await undo();
}

const nameOf = (uri: string): string => vscode.workspace.asRelativePath(vscode.Uri.parse(uri));

/** Returns the words of the question. */
function questionOf(shares: readonly (UserShare & { name: string })[]) {
  const [only] = shares;
  if (shares.length === 1 && only?.kind === "created") {
    return {
      message: `${only.name} has ${linesInWords(only.lines)} of yours. Delete it?`,
      detail: "Rondo created the file. Rejecting deletes it, with what you have added.",
      keep: "Keep My Lines",
      drop: "Delete the File",
    };
  }
  if (shares.length === 1 && only) {
    return {
      message: `You changed ${linesInWords(only.lines)} of Rondo's in ${only.name}.`,
      detail: "Rejecting puts the old lines in their place, and your changes in them are gone.",
      keep: "Keep Mine",
      drop: "Reject Anyway",
    };
  }
  const names = shares.slice(0, maxNames).map(({ name, kind, lines }) => {
    return kind === "created"
      ? `${name}: deleted, with ${linesInWords(lines)} of yours`
      : `${name}: ${linesInWords(lines)}`;
  });
  if (shares.length > maxNames) names.push(`… and ${shares.length - maxNames} more`);
  return {
    message: `${shares.length} files have lines of yours that a reject would take away.`,
    detail: names.join("\n"),
    keep: "Keep Mine",
    drop: "Reject Anyway",
  };
}

const linesInWords = (count: number): string => (count === 1 ? "1 line" : `${count} lines`);
