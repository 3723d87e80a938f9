/** 500 hunks in a file of 1 MB: from the command until the document has the text and the review has announced it. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { putText } from "../../../src/extension/host/documents.ts";
import { reviewCommands } from "../../../src/extension/review/review-commands.ts";
import { before, type HostReport, ReviewWindow, reportBoth, settle, withHunks } from "./window.ts";

const rounds = 5;
const count = 500;
const after = withHunks(count);

/** The hunks that are left afterwards. */
const commands = {
  "rondo.acceptAll": { left: 0, args: [] },
  "rondo.rejectAll": { left: 0, args: [] },
  "rondo.acceptHunk": { left: count - 1, args: [250] },
  "rondo.rejectHunk": { left: count - 1, args: [250] },
};

export async function benchDecisions(report: HostReport): Promise<void> {
  const window = await ReviewWindow.open();
  const times = new Map<string, number[]>();
  const add = (name: string, took: number) => times.set(name, [...(times.get(name) ?? []), took]);
  for (let round = 0; round < rounds; round++) {
    add("nothing", await timed(() => vscode.commands.executeCommand("setContext", "rondo.bench", round)));
    const bare = path.join(window.folder, `bare-${round}.ts`);
    add("edit-and-save-without-review", await editWithoutReview(bare));
    for (const [id, { left, args }] of Object.entries(commands)) {
      const took = await decide(window, path.join(window.folder, `${id}-${round}.ts`), id, left, args);
      add(id, took);
    }
  }
  for (const [id, values] of times) reportBoth(report, id.replace("rondo.", ""), values);
  await window.close();
}

async function timed(work: () => Thenable<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The same edits as those of "Reject All". What VS Code takes for them is no cost of a review. */
async function editWithoutReview(file: string): Promise<number> {
  await writeFile(file, after);
  const document = await vscode.workspace.openTextDocument(file);
  await vscode.window.showTextDocument(document);
  await settle();
  const took = await timed(async () => {
    await putText(document, before);
    await document.save();
  });
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  return took;
}

async function decide(
  { review }: ReviewWindow,
  file: string,
  id: string,
  left: number,
  args: readonly number[],
): Promise<number> {
  const uri = vscode.Uri.file(file);
  await writeFile(file, after);
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);
  review.agentChanged({ uri, before, after, encoding: undefined, movedFrom: undefined, folders: [] });
  await settle();
  const hunks = () => review.changes(uri)?.hunks.length ?? 0;
  if (hunks() !== count) throw new Error(`${hunks()} hunks`);
  let announced = Number.NaN;
  const listener = review.onDidChange(() => {
    if (hunks() === left) announced = performance.now();
  });
  const start = performance.now();
  const command = reviewCommands(review)[id];
  const { index, hunk } = { index: args[0], hunk: review.changes(uri)?.hunks[args[0] ?? 0] };
  await command?.(...(index === undefined ? [] : [uri, index, hunk?.start]));
  const done = performance.now();
  listener.dispose();
  const wanted = id === "rondo.rejectAll" ? before : undefined;
  if (hunks() !== left || (wanted !== undefined && document.getText() !== wanted)) {
    throw new Error(`${id}: ${hunks()} hunks are left`);
  }
  await review.flush();
  review.accept(uri);
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  return Math.max(done, announced) - start;
}
