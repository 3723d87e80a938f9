/** Makes attachments of selections and files. */
import * as vscode from "vscode";
import type { Attachment } from "../../chat/prompt-input.ts";

const maxImageBytes = 5 << 20;

const imageTypes: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};

/** Attaches the selected lines with their text in the editor; the whole file if nothing is selected. */
export function fromSelection(editor: vscode.TextEditor): Attachment {
  const { document, selection } = editor;
  const filename = vscode.workspace.asRelativePath(document.uri);
  const base = { mime: "text/plain", filename, url: document.uri.toString() };
  if (selection.isEmpty) return { ...base, source: wholeText(document) };
  const endLine = selection.end.character === 0 ? selection.end.line - 1 : selection.end.line;
  const end = Math.max(selection.start.line, endLine);
  const range = new vscode.Range(selection.start.line, 0, end, document.lineAt(end).text.length);
  return { ...base, source: { start: selection.start.line + 1, end: end + 1, text: document.getText(range) } };
}

/** Attaches a file. @throws Error with a sentence if it is neither text nor an image of acceptable size */
export async function fromFile(uri: vscode.Uri): Promise<Attachment> {
  const filename = vscode.workspace.asRelativePath(uri);
  const mime = imageTypes[uri.path.split(".").at(-1)?.toLowerCase() ?? ""];
  if (mime === undefined) {
    const document = await vscode.workspace.openTextDocument(uri);
    return { mime: "text/plain", filename, url: uri.toString(), source: wholeText(document) };
  }
  const bytes = await vscode.workspace.fs.readFile(uri);
  if (bytes.length > maxImageBytes) {
    throw new Error(`${filename} is larger than ${maxImageBytes >> 20} MB, the limit for an image.`);
  }
  return { mime, filename, url: `data:${mime};base64,${Buffer.from(bytes).toString("base64")}` };
}

function wholeText(document: vscode.TextDocument): { start: number; end: number; text: string } {
  return { start: 1, end: document.lineCount, text: document.getText() };
}

export async function pickFiles(): Promise<vscode.Uri[]> {
  const found = await vscode.workspace.findFiles("**/*", "**/{node_modules,.git}/**", 5000);
  const items = found
    .map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }))
    .sort((a, b) => a.label.localeCompare(b.label));
  const picked = await vscode.window.showQuickPick(items, { canPickMany: true, placeHolder: "Files to attach" });
  return picked?.map((item) => item.uri) ?? [];
}
