/** Texts in VS Code's hands: which document holds a file, and how a text gets into one. */
import { realpath } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { lineChanges } from "../review/line-diff.ts";

/** The open document of a file, however it was addressed. `file` is absolute, links resolved. */
export async function findDocument(file: string): Promise<vscode.TextDocument | undefined> {
  const documents = vscode.workspace.textDocuments.filter(({ uri, isClosed }) => uri.scheme === "file" && !isClosed);
  const direct = documents.find(({ uri }) => uri.fsPath === file);
  if (direct) return direct;
  const targets = await Promise.all(documents.map(({ uri }) => resolved(uri.fsPath)));
  return documents[targets.indexOf(file)];
}

/** The address under which the user would open it: through the workspace folder, where that is a link itself. */
export async function uriOf(file: string): Promise<vscode.Uri> {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    if (uri.scheme !== "file") continue;
    const below = path.relative(await resolved(uri.fsPath), file);
    if (below !== "" && !below.startsWith("..") && !path.isAbsolute(below)) {
      return vscode.Uri.file(path.join(uri.fsPath, below));
    }
  }
  return vscode.Uri.file(file);
}

export const lineFeeds = (text: string): string => text.replaceAll(/\r\n|\r/g, "\n");

/** The one line ending of a text; undefined where it has none, "mixed" where VS Code could not keep it as it is. */
export function endingOf(text: string): vscode.EndOfLine | "mixed" | undefined {
  const ends = new Set(text.match(/\r\n|\r|\n/g));
  if (ends.size === 0) return undefined;
  if (ends.size > 1 || ends.has("\r")) return "mixed";
  return ends.has("\n") ? vscode.EndOfLine.LF : vscode.EndOfLine.CRLF;
}

/**
 * Makes the document's text `text`, line by line where it differs, in one step of undo. Does not save.
 * @returns false when VS Code refused, as it does when the document has changed under way
 */
export async function putText(document: vscode.TextDocument, text: string): Promise<boolean> {
  const ending = endingOf(text);
  const edits: vscode.TextEdit[] = [];
  if (ending !== undefined && ending !== "mixed" && ending !== document.eol) {
    edits.push(vscode.TextEdit.setEndOfLine(ending));
  }
  for (const { from, to, lines } of lineChanges(lineFeeds(document.getText()), lineFeeds(text))) {
    edits.push(vscode.TextEdit.replace(document.validateRange(new vscode.Range(from, 0, to, 0)), lines));
  }
  if (edits.length === 0) return true;
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, edits);
  return vscode.workspace.applyEdit(edit);
}

/** Longest wait for VS Code to see what is on disk already, in ms. */
const refreshMs = 1500;

/** Waits until a document shows what is on disk. Answers whether it does. */
export async function settled(document: vscode.TextDocument, text: string): Promise<boolean> {
  const wanted = lineFeeds(text);
  const same = () => lineFeeds(document.getText()) === wanted;
  if (same()) return true;
  return new Promise((resolve) => {
    const done = (result: boolean) => {
      clearTimeout(timer);
      listener.dispose();
      resolve(result);
    };
    const timer = setTimeout(() => done(same()), refreshMs);
    const listener = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && same()) done(true);
    });
  });
}

const resolved = (file: string): Promise<string> => realpath(file).catch(() => file);
