/** What a comment is about: the lines as they are now, and the agent's change that they belong to. */

import * as vscode from "vscode";
import { shortened } from "../../chat/comments.ts";
import type { SentComment } from "../../chat/prompt-input.ts";
import { t } from "../../l10n/l10n.ts";
import { oldLines } from "../../review/hunks.ts";
import { AttachError, type Attachments } from "../attachments/attachments.ts";
import type { Review } from "../review/review.ts";
import { isPlan, planIDOf } from "./plan-documents.ts";

/** Whether lines of this document take comments: files of the workspace, and plans. */
export function takesComments(uri: vscode.Uri): boolean {
  if (isPlan(uri)) return true;
  return uri.scheme !== "vscode-notebook-cell" && vscode.workspace.getWorkspaceFolder(uri) !== undefined;
}

export function nameOf(uri: vscode.Uri): string {
  return isPlan(uri) ? t("The plan") : vscode.workspace.asRelativePath(uri);
}

/** `lines`: from 0, both included. @throws AttachError if the model may not see the file */
export async function describePlace(
  review: Pick<Review, "changes">,
  files: Pick<Attachments, "whyNot">,
  uri: vscode.Uri,
  lines: { start: number; end: number },
): Promise<Pick<SentComment, "place" | "source">> {
  const why = uri.scheme === "file" ? await files.whyNot(uri) : undefined;
  if (why !== undefined)
    throw new AttachError(
      t("The comment on {0} is not sent: {1}.", nameOf(uri), why),
      t("Ask without it, in a message."),
    );
  const document = await vscode.workspace.openTextDocument(uri);
  const last = Math.min(lines.end, document.lineCount - 1);
  const start = Math.min(lines.start, last);
  const range = new vscode.Range(start, 0, last, document.lineAt(last).text.length);
  const source = { start: start + 1, end: last + 1, text: shortened(`${document.getText(range)}\n`) };
  if (isPlan(uri)) return { place: { type: "plan", planID: planIDOf(uri) }, source };
  const file = { filename: nameOf(uri), url: uri.toString() };
  const changes = review.changes(uri);
  const hunk = changes?.hunks.find(
    (one) => one.start <= last && Math.max(one.start + 1, one.start + one.count) > start,
  );
  if (!changes || !hunk) return { place: { type: "file", ...file }, source };
  const change = {
    line: hunk.start + 1,
    removed: shortened(oldLines(changes, hunk).join("")),
    added: shortened(changes.text.slice(hunk.start, hunk.start + hunk.count).join("")),
  };
  return { place: { type: "change", ...file, change }, source };
}
