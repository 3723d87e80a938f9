/** The commands of the review. From the palette they work where the cursor is; CodeLens, menus and the panel say where. */
import * as vscode from "vscode";
import { beforeUri } from "./before.ts";
import type { Hunk } from "./lines.ts";
import { firstLine, hunkAt } from "./marks.ts";
import type { Review } from "./review.ts";

export type Handler = (...args: unknown[]) => unknown;

interface Place {
  uri: vscode.Uri;
  index: number;
}

export function reviewCommands(review: Review): Record<string, Handler> {
  const onHunk = (act: (place: Place) => unknown): Handler => {
    return (...args) => {
      const place = placeOf(review, args);
      return place && act(place);
    };
  };
  const onFile = (act: (uri: vscode.Uri) => unknown): Handler => {
    return (file) => {
      const uri = uriOf(file);
      return uri && act(uri);
    };
  };
  return {
    "rondo.acceptHunk": onHunk(({ uri, index }) => review.accept(uri, index)),
    "rondo.rejectHunk": onHunk(({ uri, index }) => review.reject(uri, index)),
    "rondo.nextHunk": (...args) => go(review, args, 1),
    "rondo.previousHunk": (...args) => go(review, args, -1),
    "rondo.acceptFile": onFile((uri) => review.accept(uri)),
    "rondo.rejectFile": onFile((uri) => review.reject(uri)),
    "rondo.acceptAll": () => {
      for (const uri of review.uris()) review.accept(uri);
    },
    "rondo.rejectAll": async () => {
      for (const uri of review.uris()) await review.reject(uri);
    },
    "rondo.reviewChanges": () =>
      vscode.commands.executeCommand(
        "vscode.changes",
        "Changes to Review",
        review.uris().map((uri) => [uri, beforeUri(uri), uri]),
      ),
  };
}

/** The hunk that is meant: named by a file, its index and the line it begins at, else the one at the cursor. */
function placeOf(review: Review, [file, index, start]: unknown[]): Place | undefined {
  const uri = uriOf(file);
  const changes = uri && review.changes(uri);
  if (!uri || !changes) return undefined;
  if (typeof index === "number") {
    const hunk = changes.hunks[index];
    return hunk && (start === undefined || hunk.start === start) ? { uri, index } : undefined;
  }
  const editor = editorOf(uri);
  const here = editor && hunkAt(changes, editor.selection.active.line);
  return here === undefined ? undefined : { uri, index: here };
}

/** To the next or previous hunk, over the files and around. */
async function go(review: Review, args: unknown[], step: 1 | -1): Promise<void> {
  const uris = review.uris();
  const uri = uriOf(args[0]);
  const at = uris.findIndex((one) => one.toString() === uri?.toString());
  const changes = uri && review.changes(uri);
  if (uri && changes) {
    const line = editorOf(uri)?.selection.active.line ?? 0;
    const from = placeOf(review, args)?.index;
    const found = from === undefined ? beyond(changes.hunks, line, step) : changes.hunks[from + step];
    if (found) return show(uri, found);
  }
  const other = uris.at((at < 0 && step < 0 ? 0 : at + step) % (uris.length || 1));
  const hunks = other && review.changes(other)?.hunks;
  const hunk = step > 0 ? hunks?.[0] : hunks?.at(-1);
  if (other && hunk) await show(other, hunk);
}

function beyond(hunks: readonly Hunk[], line: number, step: 1 | -1): Hunk | undefined {
  return step > 0 ? hunks.find(({ start }) => start > line) : hunks.findLast(({ start }) => start < line);
}

async function show(uri: vscode.Uri, hunk: Hunk): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = editorOf(uri) ?? (await vscode.window.showTextDocument(document));
  const line = firstLine(hunk, document);
  editor.selection = new vscode.Selection(line, 0, line, 0);
  const last = Math.min(hunk.start + hunk.count, document.lineCount - 1);
  editor.revealRange(new vscode.Range(line, 0, last, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  const isIt = (editor: vscode.TextEditor | undefined) => editor?.document.uri.toString() === uri.toString();
  const active = vscode.window.activeTextEditor;
  return isIt(active) ? active : vscode.window.visibleTextEditors.find(isIt);
}

/** A URI from VS Code, a path from the panel, or where the cursor is. */
function uriOf(file: unknown): vscode.Uri | undefined {
  if (file instanceof vscode.Uri) return file;
  if (typeof file === "string") return vscode.Uri.file(file);
  return vscode.window.activeTextEditor?.document.uri;
}
