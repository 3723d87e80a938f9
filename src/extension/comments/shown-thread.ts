/** What VS Code shows of a comment thread. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import type { Anchor, TextLines } from "./anchor.ts";
import { contextOf, labelOf, type StoredThread } from "./comment-thread.ts";

/** A comment on screen. VS Code gives it back to commands, with the edited text as `body`. */
export class ShownComment implements vscode.Comment {
  body: string | vscode.MarkdownString;
  mode = vscode.CommentMode.Preview;
  readonly author: vscode.CommentAuthorInformation;
  readonly timestamp: Date;
  readonly label: string;
  readonly contextValue: string;
  /** The user's comment, or the one that the agent answers. */
  readonly commentID: string;

  constructor(said: StoredThread["said"][number]) {
    const isOwn = said.by === "user";
    this.commentID = isOwn ? said.id : said.to;
    // The user's words are text, not Markdown.
    this.body = isOwn ? said.text : harmlessMarkdown(said.text);
    this.author = { name: isOwn ? t("You") : "Rondo" };
    this.timestamp = new Date(said.time);
    const isPending = isOwn && said.state === "pending";
    this.contextValue = isPending ? "pending" : isOwn ? "sent" : "answer";
    this.label = isPending ? t("waits for the review") : !isOwn && said.failed ? t("not answered") : "";
  }
}

/** Neither runs commands nor loads pictures, whose address could tell others what the model has read. */
function harmlessMarkdown(text: string): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString(text.replaceAll("![", "!\u200b["));
  markdown.isTrusted = false;
  markdown.supportHtml = false;
  return markdown;
}

/** `edited`: the comment whose text the user changes. */
export function show(thread: vscode.CommentThread, state: StoredThread, isWorking: boolean, edited?: string): void {
  thread.comments = state.said.map((said) => {
    const comment = new ShownComment(said);
    if (said.by === "user" && said.id === edited) comment.mode = vscode.CommentMode.Editing;
    return comment;
  });
  thread.label = labelOf(state, isWorking);
  thread.contextValue = contextOf(state);
  thread.state = state.resolved ? vscode.CommentThreadState.Resolved : vscode.CommentThreadState.Unresolved;
  thread.canReply = true;
}

export function rangeOf({ start, end }: Anchor, document: vscode.TextDocument): vscode.Range {
  const last = Math.min(end, document.lineCount - 1);
  return new vscode.Range(Math.min(start, last), 0, last, document.lineAt(last).text.length);
}

export function linesOf(document: vscode.TextDocument): TextLines {
  const { lineCount } = document;
  return {
    length: lineCount,
    slice: (from, to) =>
      Array.from({ length: Math.max(0, Math.min(to, lineCount) - from) }, (_, at) => document.lineAt(from + at).text),
  };
}
