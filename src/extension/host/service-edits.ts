/** Edits that language services propose. They are listed here, and made by the tools. */
import * as vscode from "vscode";
import type { PlacedEdit, ServiceAction, ServiceEdit } from "../../tools/host.ts";
import { ToolError } from "../../tools/tool.ts";
import { addressOf, openDocument } from "./documents.ts";
import { findSymbol, opened } from "./find-symbol.ts";

/** WindowServices work out the edits of so many actions at once; of the others they give only titles. */
const maxResolved = 30;

export async function serviceRename(file: string, line: number, symbol: string, newName: string) {
  const uri = await addressOf(file);
  const position = findSymbol(await opened(uri), line, symbol);
  const edit = await renameEdit(uri, position, newName);
  const edits = edit && (await listEdits(edit));
  if (!edits)
    throw new ToolError(
      "This rename would change what is no file yet. Edit the files.",
      "This rename would change files that do not exist yet; the model edits the files.",
    );
  return edits;
}

async function renameEdit(uri: vscode.Uri, position: vscode.Position, newName: string) {
  try {
    const edit = await vscode.commands.executeCommand<vscode.WorkspaceEdit | undefined>(
      "vscode.executeDocumentRenameProvider",
      ...[uri, position, newName],
    );
    if (edit && edit.size > 0) return edit;
  } catch (error) {
    throw new ToolError(`The language services refuse the rename: ${error instanceof Error ? error.message : error}`);
  }
  throw new ToolError(
    `No language service renames symbols in ${uri.fsPath}. Edit the files.`,
    `No language service renames symbols in ${uri.fsPath}; the model edits the files.`,
  );
}

export async function serviceActions(
  file: string,
  { first, last }: { first: number; last: number },
  kind: string,
): Promise<ServiceAction[]> {
  const uri = await addressOf(file);
  const document = await opened(uri);
  const range = document.validateRange(new vscode.Range(first - 1, 0, last - 1, Number.MAX_SAFE_INTEGER));
  const actions = await vscode.commands.executeCommand<(vscode.CodeAction | vscode.Command)[] | undefined>(
    "vscode.executeCodeActionProvider",
    ...[uri, range, kind === "" ? undefined : kind, maxResolved],
  );
  const usable = (actions ?? []).filter((one) => !("disabled" in one && one.disabled));
  return await Promise.all(usable.map(describe));
}

/** A command beside an edit is left out: it mostly counts uses, or puts the cursor somewhere. */
async function describe(action: vscode.CodeAction | vscode.Command): Promise<ServiceAction> {
  const { title } = action;
  if (!("edit" in action) || !action.edit) return { title, kind: kindOf(action), edits: undefined };
  return { title, kind: kindOf(action), edits: await listEdits(action.edit) };
}

const kindOf = (action: vscode.CodeAction | vscode.Command): string =>
  "kind" in action && action.kind ? action.kind.value : "";

/**
 * Returns undefined if it edits what is no file yet. An edit may also create, move and delete files: VS Code's API does not
 * list that, so it is never done.
 */
async function listEdits(edit: vscode.WorkspaceEdit): Promise<ServiceEdit[] | undefined> {
  const listed: ServiceEdit[] = [];
  for (const [uri, edits] of edit.entries()) {
    const document = uri.scheme === "file" ? await openDocument(uri) : undefined;
    if (!document) return undefined;
    listed.push({ path: uri.fsPath, known: document.getText(), edits: edits.map(placed) });
  }
  return listed;
}

const placed = ({ range, newText }: vscode.TextEdit): PlacedEdit => ({
  from: { line: range.start.line, character: range.start.character },
  to: { line: range.end.line, character: range.end.character },
  text: newText,
});
