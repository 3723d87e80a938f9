/**
 * Shows what a session has changed in its worktree. Both sides are texts in memory: opening the files themselves would
 * make VS Code ask whether to trust a folder outside of the workspace.
 */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import { stateOfWorktree, textsOf } from "../../worktrees/changes.ts";
import { WorktreeError } from "../../worktrees/git.ts";
import type { Worktree } from "../../worktrees/worktree-store.ts";

const scheme = "rondo-worktree";
const texts = new Map<string, string>();

/** Maximum number of files in one view. */
const maxFiles = 300;

/** Returns the text of a document of this module; undefined if the window that showed it was reloaded. */
export const worktreeText = (uri: vscode.Uri): string | undefined => texts.get(uri.toString());

let shown = 0;

/** @throws WorktreeError if nothing has changed */
export async function compareWorktree(worktree: Worktree): Promise<void> {
  const { files, branch } = await stateOfWorktree(worktree);
  if (files.length === 0) throw new WorktreeError(t("Nothing has changed in {0}.", branch), "");
  const changed = await textsOf(worktree, files.slice(0, maxFiles));
  await show(
    branch,
    [...changed].map(([file, { before, after }]) => ({ file, left: before, right: after })),
  );
}

/** Shows the files in which two sessions with the same task differ. @throws WorktreeError if there are none */
export async function compareRivals(one: Worktree, other: Worktree): Promise<void> {
  const [ours, theirs] = await Promise.all([stateOfWorktree(one), stateOfWorktree(other)]);
  const files = [...new Set([...ours.files, ...theirs.files])].sort().slice(0, maxFiles);
  const [left, right] = await Promise.all([textsOf(one, files), textsOf(other, files)]);
  const rows = files
    .map((file) => ({ file, left: left.get(file)?.after, right: right.get(file)?.after }))
    .filter((row) => row.left !== row.right);
  if (rows.length === 0) throw new WorktreeError(t("Both have the same files."), "");
  await show(`${one.branch} ↔ ${other.branch}`, rows);
}

/** A text is undefined where there is no file. */
interface ShownRow {
  file: string;
  left: string | undefined;
  right: string | undefined;
}

async function show(title: string, rows: readonly ShownRow[]): Promise<void> {
  texts.clear();
  // A text that was shown before is not asked for again, so each view has its own addresses.
  shown += 1;
  const addresses = rows.map(({ file, left, right }) => {
    const before = left === undefined ? undefined : register("before", file, left);
    const after = right === undefined ? undefined : register("after", file, right);
    return [after ?? before, before, after];
  });
  await vscode.commands.executeCommand("vscode.changes", title, addresses);
}

function register(side: string, file: string, text: string): vscode.Uri {
  const uri = vscode.Uri.from({ scheme, path: `/${file}`, query: `${side} ${shown}` });
  texts.set(uri.toString(), text);
  return uri;
}
