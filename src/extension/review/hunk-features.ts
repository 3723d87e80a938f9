/** What VS Code asks about a place in a file under review: the hover with the removed lines, and the lightbulb. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import { type Changes, userLines } from "../../review/hunks.ts";
import type { LineHunk } from "../../review/line-diff.ts";
import { isNotebook } from "./notebook-text.ts";
import { linesInWords, removedLines, withoutEnd } from "./old-lines.ts";
import type { Review } from "./review.ts";
import { hunkAt } from "./review-places.ts";

const maxHoverLines = 60;

/** Also in diff editors, where a CodeLens may be switched off. */
export function hunkFeatures(review: Review): vscode.Disposable {
  const selector = { scheme: "file" };
  return vscode.Disposable.from(
    vscode.languages.registerHoverProvider(selector, {
      provideHover(document, { line }) {
        const found = hunkOf(review, document, line);
        return found && new vscode.Hover(hoverOf(document, found));
      },
    }),
    vscode.languages.registerCodeActionsProvider(
      selector,
      {
        provideCodeActions(document, range) {
          const found = hunkOf(review, document, range.start.line);
          return found ? actionsOf(document.uri, found) : [];
        },
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  );
}

interface FoundHunk {
  changes: Changes;
  hunk: LineHunk;
  index: number;
}

function hunkOf(review: Review, { uri }: vscode.TextDocument, line: number): FoundHunk | undefined {
  const changes = isNotebook(uri) ? undefined : review.changes(uri);
  const index = changes && hunkAt(changes.hunks, line);
  const hunk = index === undefined ? undefined : changes?.hunks[index];
  return changes && hunk && index !== undefined ? { changes, hunk, index } : undefined;
}

const linkCommands = [
  ...["rondo.acceptHunk", "rondo.rejectHunk", "rondo.takeAgentLines", "rondo.keepBothLines"],
  ...["rondo.compareFile", "rondo.compareConflict"],
];

function hoverOf({ uri, languageId }: vscode.TextDocument, { changes, hunk, index }: FoundHunk): vscode.MarkdownString {
  const args = encodeURIComponent(JSON.stringify([uri.fsPath, index, hunk.start]));
  const link = (title: string, command: string) => `[${title}](command:${command}?${args})`;
  const isConflict = userLines(changes, hunk).mixed.length > 0;
  const links = [
    link(isConflict ? t("Keep mine") : t("Accept"), "rondo.acceptHunk"),
    ...(isConflict
      ? [link(t("Take Rondo's"), "rondo.takeAgentLines"), link(t("Keep both"), "rondo.keepBothLines")]
      : []),
    link(t("Reject"), "rondo.rejectHunk"),
    link(t("Compare"), isConflict ? "rondo.compareConflict" : "rondo.compareFile"),
  ];
  const lines = removedLines(changes, hunk).map(withoutEnd);
  const words =
    lines.length > 0 ? t("{0} removed", linesInWords(lines.length)) : t("{0} added", linesInWords(hunk.count));
  const text = new vscode.MarkdownString(t("Rondo: {0} · {1}", words, links.join(" · ")));
  // The old lines are hostile text: they stand in a code block, and no other command can be called.
  text.isTrusted = { enabledCommands: linkCommands };
  if (lines.length > 0) text.appendCodeblock(lines.slice(0, maxHoverLines).join("\n"), languageId);
  if (lines.length > maxHoverLines) text.appendMarkdown(t("… and {0} more", lines.length - maxHoverLines));
  return text;
}

function actionsOf(uri: vscode.Uri, { changes, hunk, index }: FoundHunk): vscode.CodeAction[] {
  const action = (title: string, command: string) => {
    const one = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    one.command = { title, command, arguments: [uri, index, hunk.start] };
    return one;
  };
  const isConflict = userLines(changes, hunk).mixed.length > 0;
  return [
    action(t("Accept Rondo's Change"), "rondo.acceptHunk"),
    action(t("Reject Rondo's Change"), "rondo.rejectHunk"),
    ...(isConflict
      ? [
          action(t("Take Rondo's Lines Instead of Mine"), "rondo.takeAgentLines"),
          action(t("Keep Both My Lines and Rondo's"), "rondo.keepBothLines"),
        ]
      : []),
  ];
}
