/** Review commands. The command palette uses the cursor; CodeLens, menus and the panel pass a location. */
import * as vscode from "vscode";
import * as z from "zod/mini";
import { beforeUri } from "./baseline-provider.ts";
import { firstLine, hunkAt } from "./decorations.ts";
import type { LineHunk } from "./line-diff.ts";
import type { Review } from "./review.ts";

export type Handler = (...args: unknown[]) => unknown;

interface HunkLocation {
  uri: vscode.Uri;
  index: number;
}

export function reviewCommands(review: Review): Record<string, Handler> {
  const onHunk = (act: (place: HunkLocation) => unknown): Handler => {
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
    "rondo.showRemoved": onHunk(({ uri, index }) => showRemoved(review, uri, index)),
    "rondo.nextHunk": (...args) => go(review, args, 1),
    "rondo.previousHunk": (...args) => go(review, args, -1),
    "rondo.acceptFile": onFile((uri) => review.accept(uri)),
    "rondo.rejectFile": onFile((uri) => review.reject(uri)),
    "rondo.acceptAll": () => review.decide("accept"),
    "rondo.rejectAll": () => review.decide("reject"),
    "rondo.reviewChanges": () =>
      vscode.commands.executeCommand(
        "vscode.changes",
        "Changes to Review",
        review.uris().map((uri) => [uri, beforeUri(uri), uri]),
      ),
  };
}

/** Finds the hunk by file, index and first line; without arguments, the one at the cursor. */
function placeOf(review: Review, [file, which, start]: unknown[]): HunkLocation | undefined {
  const uri = uriOf(file);
  const changes = uri && review.changes(uri);
  if (!uri || !changes) return undefined;
  if (typeof which === "number") {
    const hunk = changes.hunks[which];
    return hunk && (start === undefined || hunk.start === start) ? { uri, index: which } : undefined;
  }
  const line = peekedLine(which, start) ?? editorOf(uri)?.selection.active.line;
  const index = line === undefined ? undefined : hunkAt(changes, line);
  return index === undefined ? undefined : { uri, index };
}

/** Reads the arguments of VS Code's peek view in the gutter: its list of changes, and the current index. */
function peekedLine(changes: unknown, index: unknown): number | undefined {
  if (!Array.isArray(changes) || typeof index !== "number") return undefined;
  const change = z.object({ modifiedStartLineNumber: z.number() }).safeParse(changes[index]).data;
  return change && Math.max(0, change.modifiedStartLineNumber - 1);
}

async function showRemoved(review: Review, uri: vscode.Uri, index: number): Promise<void> {
  const hunk = review.changes(uri)?.hunks[index];
  if (!hunk) return;
  const editor = await show(uri, hunk);
  // VS Code shows removed lines at the line above them.
  const line = Math.max(0, hunk.count === 0 ? hunk.start - 1 : hunk.start);
  editor.selection = new vscode.Selection(line, 0, line, 0);
  await vscode.commands.executeCommand("editor.action.dirtydiff.next");
}

/** Goes to the next or previous hunk, across files and from the end to the start. */
async function go(review: Review, args: unknown[], step: 1 | -1): Promise<void> {
  const uris = review.uris();
  const uri = uriOf(args[0]);
  const at = uris.findIndex((one) => one.toString() === uri?.toString());
  const changes = uri && review.changes(uri);
  if (uri && changes) {
    const line = editorOf(uri)?.selection.active.line ?? 0;
    const from = placeOf(review, args)?.index;
    const found = from === undefined ? beyond(changes.hunks, line, step) : changes.hunks[from + step];
    if (found) {
      await show(uri, found);
      return;
    }
  }
  const other = uris.at((at < 0 && step < 0 ? 0 : at + step) % (uris.length || 1));
  const hunks = other && review.changes(other)?.hunks;
  const hunk = step > 0 ? hunks?.[0] : hunks?.at(-1);
  if (other && hunk) await show(other, hunk);
}

function beyond(hunks: readonly LineHunk[], line: number, step: 1 | -1): LineHunk | undefined {
  return step > 0 ? hunks.find(({ start }) => start > line) : hunks.findLast(({ start }) => start < line);
}

async function show(uri: vscode.Uri, hunk: LineHunk): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(uri);
  const shown = editorOf(uri);
  // A diff editor stays open.
  const isActive = shown !== undefined && shown === vscode.window.activeTextEditor;
  const editor = isActive ? shown : await vscode.window.showTextDocument(document, shown?.viewColumn);
  const line = firstLine(hunk, document);
  editor.selection = new vscode.Selection(line, 0, line, 0);
  const last = Math.min(hunk.start + hunk.count, document.lineCount - 1);
  editor.revealRange(new vscode.Range(line, 0, last, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return editor;
}

function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  const isIt = (editor: vscode.TextEditor | undefined) => editor?.document.uri.toString() === uri.toString();
  const active = vscode.window.activeTextEditor;
  return isIt(active) ? active : vscode.window.visibleTextEditors.find(isIt);
}

/** Returns the file of an argument: a URI or resource state, or a path of the panel; by default the active file. */
function uriOf(file: unknown): vscode.Uri | undefined {
  if (file instanceof vscode.Uri) return file;
  if (typeof file === "object" && file && "resourceUri" in file) return uriOf(file.resourceUri);
  if (typeof file === "string") return vscode.Uri.file(file);
  return vscode.window.activeTextEditor?.document.uri;
}
