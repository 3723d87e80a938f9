/** What goes with the next prompt: files and selections, as the user put them there. */
import * as vscode from "vscode";
import type { Attachment } from "../../chat/prompt-input.ts";

/** The largest image that is attached as bytes. */
const largestImage = 5 << 20;

const imageTypes: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};

/** The selected lines, whole, with their text as it is in the buffer; the whole file when nothing is selected. */
export function fromSelection(editor: vscode.TextEditor): Attachment {
  const { document, selection } = editor;
  const filename = vscode.workspace.asRelativePath(document.uri);
  const base = { mime: "text/plain", filename, url: document.uri.toString() };
  if (selection.isEmpty) return { ...base, source: whole(document) };
  const endLine = selection.end.character === 0 ? selection.end.line - 1 : selection.end.line;
  const end = Math.max(selection.start.line, endLine);
  const range = new vscode.Range(selection.start.line, 0, end, document.lineAt(end).text.length);
  return { ...base, source: { start: selection.start.line + 1, end: end + 1, text: document.getText(range) } };
}

/** @throws Error with a sentence when the file is neither text nor an image that fits */
export async function fromFile(uri: vscode.Uri): Promise<Attachment> {
  const filename = vscode.workspace.asRelativePath(uri);
  const mime = imageTypes[uri.path.split(".").at(-1)?.toLowerCase() ?? ""];
  if (mime === undefined) {
    const document = await vscode.workspace.openTextDocument(uri);
    return { mime: "text/plain", filename, url: uri.toString(), source: whole(document) };
  }
  const bytes = await vscode.workspace.fs.readFile(uri);
  if (bytes.length > largestImage) {
    throw new Error(`${filename} is larger than ${largestImage >> 20} MB, the most for an image.`);
  }
  return { mime, filename, url: `data:${mime};base64,${Buffer.from(bytes).toString("base64")}` };
}

function whole(document: vscode.TextDocument): { start: number; end: number; text: string } {
  return { start: 1, end: document.lineCount, text: document.getText() };
}

/** Lets the user pick files of the workspace. */
export async function pickFiles(): Promise<vscode.Uri[]> {
  const found = await vscode.workspace.findFiles("**/*", "**/{node_modules,.git}/**", 5000);
  const items = found
    .map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }))
    .sort((a, b) => a.label.localeCompare(b.label));
  const picked = await vscode.window.showQuickPick(items, { canPickMany: true, placeHolder: "Files to attach" });
  return picked?.map((item) => item.uri) ?? [];
}
