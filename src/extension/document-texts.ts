import type * as vscode from "vscode";
import type { Chat } from "../chat/apply.ts";
import { t } from "../l10n/l10n.ts";
import { proposedText } from "./answers/open.ts";
import { sentText } from "./attachments/sent-attachments.ts";
import { checkpointText } from "./checkpoints/editor-checkpoints.ts";
import { planAt } from "./comments/plan-documents.ts";
import type { ShownReview } from "./review/shown-review.ts";
import { worktreeText } from "./worktrees/worktree-diff.ts";

/** The text of a comparison that the window shows again after a reload. */
const closedWithWindow = `${t("This comparison ended when the window was reloaded. Open it again from Rondo's panel.")}\n`;

interface DocumentSources {
  shownReview: ShownReview;
  chatOf(sessionID: string): Chat;
}

/** Returns the text of a document with one of Rondo's schemes. */
export async function documentText(uri: vscode.Uri, { shownReview, chatOf }: DocumentSources): Promise<string> {
  const texts: Record<string, (uri: vscode.Uri) => string | undefined | Promise<string | undefined>> = {
    "rondo-attached": () => sentText(uri, chatOf),
    "rondo-before": () => shownReview.text(uri),
    "rondo-checkpoint": checkpointText,
    "rondo-lines": () => shownReview.text(uri),
    "rondo-plan": () => planAt(uri, chatOf),
    "rondo-proposed": proposedText,
    "rondo-worktree": worktreeText,
  };
  return (await texts[uri.scheme]?.(uri)) ?? closedWithWindow;
}
