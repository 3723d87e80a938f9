import * as vscode from "vscode";
import { ToolError } from "../../tools/tool.ts";
import { openDocument } from "./documents.ts";

/** A symbol is looked for this many lines before and after the given line. */
const nearbyLines = 3;

/** @throws ToolError if VS Code does not open it as text */
export async function opened(uri: vscode.Uri): Promise<vscode.TextDocument> {
  const document = await openDocument(uri);
  if (document) return document;
  throw new ToolError(`${uri.fsPath} cannot be opened as text.`);
}

/** Finds the symbol as a word on or near the line: the model's line numbers are often slightly off. */
export function findSymbol(document: vscode.TextDocument, line: number, symbol: string): vscode.Position {
  const word = new RegExp(`(?<![\\w$])${symbol.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}(?![\\w$])`);
  const offsets = Array.from({ length: nearbyLines + 1 }, (_, by) => (by === 0 ? [0] : [by, -by])).flat();
  for (const offset of offsets) {
    const at = line - 1 + offset;
    if (at < 0 || at >= document.lineCount) continue;
    const index = document.lineAt(at).text.search(word);
    if (index >= 0) return new vscode.Position(at, index);
  }
  throw new ToolError(
    `"${symbol}" is not on line ${line} or near it. Read the file, and give the symbol as it is written there.`,
    `${symbol} is not on line ${line} or near it; the model tries again.`,
  );
}
