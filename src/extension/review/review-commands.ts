/** Review commands. The command palette uses the cursor; CodeLens, menus and the panel pass a location. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import type { Handlers } from "../panel/handlers.ts";
import { allChangesTitle } from "./all-changes.ts";
import { beforeUri } from "./baseline-provider.ts";
import { isNotebook } from "./notebook-text.ts";
import type { Review } from "./review.ts";
import {
  compareConflict,
  compareFile,
  firstLine,
  goToHunk,
  type HunkPlace,
  isConflict,
  noHunkHere,
  placeOf,
  showFile,
  showHunk,
  uriOf,
} from "./review-places.ts";

export type Handler = (...args: unknown[]) => unknown;

/** Shows a sentence with buttons, and returns the one that was pressed. */
type Tell = (message: string, ...buttons: string[]) => Thenable<string | undefined>;

export function reviewCommands(
  review: Review,
  tell: Tell = vscode.window.showInformationMessage,
): Record<string, Handler> {
  // The sentence stays until it is closed: the command is over before that.
  const tellNone = (file: unknown) => void sayNone(review, file, tell);
  const onHunk = (act: (place: HunkPlace) => unknown): Handler => {
    return (...args) => {
      const place = placeOf(review, args);
      // A late press on a CodeLens, whose hunk has changed meanwhile, needs no words: the lens has moved.
      if (!place && typeof args[1] === "number") return undefined;
      return place ? act(place) : tellNone(args[0]);
    };
  };
  const onConflict = (act: (uri: vscode.Uri, index: number) => unknown): Handler =>
    onHunk(({ uri, index }) => {
      if (isConflict(review, { uri, index })) return act(uri, index);
      return void tell(t("You have changed no line of Rondo's here."));
    });
  const onFile = (act: (uri: vscode.Uri) => unknown): Handler => {
    return (file) => {
      const uri = uriOf(file);
      return uri && review.changes(uri) ? act(uri) : tellNone(file);
    };
  };
  const go =
    (step: 1 | -1): Handler =>
    async (...args) => {
      if (!(await goToHunk(review, args, step))) tellNone(args[0]);
    };
  return {
    "rondo.acceptHunk": onHunk(({ uri, index }) => review.accept(uri, index)),
    "rondo.rejectHunk": onHunk(({ uri, index }) => review.reject(uri, index)),
    "rondo.takeAgentLines": onConflict((uri, index) => review.resolveConflict(uri, index, "agent")),
    "rondo.keepBothLines": onConflict((uri, index) => keepBoth(review, uri, index, tell)),
    "rondo.compareConflict": onConflict((uri) => compareConflict(uri)),
    "rondo.commentHunk": onHunk(({ uri, index }) => commentOn(review, uri, index)),
    "rondo.showRemoved": onHunk(({ uri, index }) => showRemoved(review, uri, index)),
    "rondo.nextHunk": go(1),
    "rondo.previousHunk": go(-1),
    "rondo.acceptFile": onFile((uri) => review.accept(uri)),
    "rondo.rejectFile": onFile((uri) => review.reject(uri)),
    "rondo.compareFile": onFile((uri) => compareFile(uri)),
    "rondo.acceptAll": () => review.decide("accept"),
    "rondo.rejectAll": () => review.decide("reject"),
    "rondo.undoReview": async () => {
      const undone = await review.undoDecision();
      if (undone.length === 0) void tell(t("There is no accept or reject to undo."));
    },
    "rondo.reviewChanges": () => (review.uris().length > 0 ? showAll(review) : tellNone(undefined)),
  };
}

/** Handles the presses in the panel's review bar. */
export function reviewHandlers(review: Review) {
  return {
    async review({ action, path }) {
      const uri = path === undefined ? undefined : vscode.Uri.file(path);
      if (action === "accept" || action === "reject") await review.decide(action, uri && [uri]);
      else if (action === "undo") await review.undoDecision(uri);
      else if (uri && action === "compare") await compareConflict(uri);
      else if (uri && action === "take-agent-lines") await review.resolveConflict(uri, undefined, "agent");
      else if (uri) await showFile(review, uri, 1);
      else await showAll(review);
    },
  } satisfies Partial<Handlers>;
}

async function keepBoth(review: Review, uri: vscode.Uri, index: number, tell: Tell): Promise<void> {
  if (!isNotebook(uri)) return await review.resolveConflict(uri, index, "both");
  void tell(t("Two versions of one cell have the same id, so that a notebook cannot hold both."));
}

/** Says why a command does nothing, and offers to go to the next change. */
async function sayNone(review: Review, file: unknown, tell: Tell): Promise<void> {
  const go = review.uris().length > 0 ? [t("Go to Next Change")] : [];
  const chosen = await tell(noHunkHere(review, file), ...go);
  if (chosen !== undefined) await goToHunk(review, [], 1);
}

async function showAll(review: Review): Promise<void> {
  const resources = review.uris().map((uri) => [uri, beforeUri(uri), uri]);
  await vscode.commands.executeCommand("vscode.changes", allChangesTitle, resources);
}

/** Opens the box for a comment on the change. */
async function commentOn(review: Review, uri: vscode.Uri, index: number): Promise<void> {
  const hunk = review.changes(uri)?.hunks[index];
  if (!hunk) return;
  if (isNotebook(uri)) {
    // VS Code shows threads in cells only for ranges that its API for extensions cannot make.
    const sentence = t(
      "VS Code shows no comments of extensions in cells. Open the notebook as a text, or write in the chat.",
    );
    return void vscode.window.showInformationMessage(sentence);
  }
  const editor = await showHunk(uri, hunk);
  const last = editor.document.lineAt(
    firstLine({ ...hunk, start: hunk.start + Math.max(0, hunk.count - 1) }, editor.document),
  );
  editor.selection = new vscode.Selection(editor.selection.active, last.range.end);
  // It takes the selection and gives the box the focus; the Comments API can do neither.
  await vscode.commands.executeCommand("workbench.action.addComment");
}

async function showRemoved(review: Review, uri: vscode.Uri, index: number): Promise<void> {
  const hunk = review.changes(uri)?.hunks[index];
  if (!hunk) return;
  if (isNotebook(uri)) return await compareFile(uri);
  const editor = await showHunk(uri, hunk);
  // VS Code shows removed lines at the line above them.
  const line = Math.max(0, hunk.count === 0 ? hunk.start - 1 : hunk.start);
  editor.selection = new vscode.Selection(line, 0, line, 0);
  await vscode.commands.executeCommand("editor.action.dirtydiff.next");
}
