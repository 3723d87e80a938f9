/** What a key costs in the extension host while the user types, with and without a review. */
import { writeFile } from "node:fs/promises";
import { type Profiler, Session } from "node:inspector/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { before, type HostReport, ReviewWindow, reportBoth, settle, withHunks } from "./window.ts";

const rounds = 5;
const keyCount = 20;
const keyMs = 60;
const sampleMs = 0.1;
const line = 8_003;

export async function benchTyping(report: HostReport): Promise<void> {
  const profiler = new Session();
  profiler.connect();
  await profiler.post("Profiler.enable");
  await profiler.post("Profiler.setSamplingInterval", { interval: sampleMs * 1000 });
  for (const count of [1, 100, 500]) {
    const window = await ReviewWindow.open();
    const uri = vscode.Uri.file(path.join(window.folder, `typed-${count}.ts`));
    await writeFile(uri.fsPath, withHunks(count));
    const editor = await vscode.window.showTextDocument(uri);
    const costs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const bare = await type(editor, profiler);
      const after = editor.document.getText();
      const old = after.replaceAll(/^\tchanged\((\d+)\);$/gm, "\told($1);");
      window.review.agentChanged({ uri, before: old, after, encoding: undefined, movedFrom: undefined, folders: [] });
      const hunks = window.review.changes(uri)?.hunks.length;
      if (hunks !== count) throw new Error(`${hunks} hunks instead of ${count} in ${before.length} characters`);
      await settle();
      costs.push((await type(editor, profiler)) - bare);
      window.review.accept(uri);
      await settle();
    }
    reportBoth(report, `key-of-${count}-hunks`, costs);
    await window.close();
  }
  profiler.disconnect();
}

/** Types into a line of the user's. @returns time of Rondo's code per key, in ms, with what follows the last one */
async function type(editor: vscode.TextEditor, profiler: Session): Promise<number> {
  const at = editor.document.lineAt(line).range.end;
  editor.selection = new vscode.Selection(at, at);
  await settle();
  await profiler.post("Profiler.start");
  for (let key = 0; key < keyCount; key++) {
    await vscode.commands.executeCommand("type", { text: "x" });
    await wait(keyMs);
  }
  await settle();
  const { profile } = await profiler.post("Profiler.stop");
  const typed = editor.document.lineAt(line).text;
  if (!typed.endsWith("x".repeat(keyCount))) throw new Error(`the keys are lost: ${typed}`);
  return (samplesOfBundle(profile) * sampleMs) / keyCount;
}

/** Counts samples in this bundle and in what it calls. A process that waits for a processor has no samples. */
function samplesOfBundle({ nodes, samples = [] }: Profiler.Profile): number {
  const inBundle = new Set<number>();
  const mark = (ids: readonly number[]) => {
    for (const id of ids) {
      inBundle.add(id);
      mark(nodes.find((node) => node.id === id)?.children ?? []);
    }
  };
  mark(nodes.filter(({ callFrame }) => callFrame.url === import.meta.url).map(({ id }) => id));
  return samples.filter((id) => inBundle.has(id)).length;
}
