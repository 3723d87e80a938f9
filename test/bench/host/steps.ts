/** A step whose command changes files: from its last write until the review has all of them. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { editorCheckpoints } from "../../../src/extension/checkpoints/editor-checkpoints.ts";
import { StepChanges } from "../../../src/extension/review/step-changes.ts";
import { type HostReport, ReviewWindow, reportBoth, settle } from "./window.ts";

const { signal } = new AbortController();

export async function benchSteps(report: HostReport): Promise<void> {
  for (const size of [100, 1_000, 20_000]) await bench(report, `step-in-${size}-files`, size, 3, 15);
  await bench(report, "step-of-1000-files", 1_000, 1_000, 3);
}

async function bench(report: HostReport, name: string, size: number, changed: number, rounds: number): Promise<void> {
  const window = await ReviewWindow.open();
  const files = fill(window.folder, size);
  const tell = (sentence: string) => console.error(sentence);
  const changes = new StepChanges({ review: window.review, tell });
  const checkpoints = editorCheckpoints({
    ...{ storage: vscode.Uri.file(window.storage), sessionID: "ses_bench", isApart: false, log: { warn: tell } },
    ...{ review: window.review, changes, folders: () => [window.folder] },
  });
  const delays = monitorEventLoopDelay({ resolution: 1 });
  const step = async (round: number): Promise<{ reviewed: number; ended: number; blocked: number }> => {
    const some = Array.from({ length: changed }, (_, at) => files[(round * 997 + at * 313) % size] ?? "");
    checkpoints.begin();
    // The model answers.
    await checkpoints.restored();
    await checkpoints.ready("unknown", signal);
    await wait(50);
    for (const file of some) writeFileSync(file, `changed in round ${round}\n`);
    const written = performance.now();
    let reviewed = Number.NaN;
    const listener = window.review.onDidChange(() => {
      if (Number.isNaN(reviewed) && window.review.uris().length === changed) reviewed = performance.now();
    });
    delays.reset();
    delays.enable();
    await checkpoints.end();
    const ended = performance.now();
    await settle(300);
    delays.disable();
    listener.dispose();
    if (Number.isNaN(reviewed)) throw new Error(`${window.review.uris().length} of ${changed} files are under review`);
    await window.review.decide("accept");
    await settle(300);
    return { reviewed: reviewed - written, ended: ended - written, blocked: delays.max / 1e6 };
  };
  await step(0);
  const steps = [];
  for (let round = 1; round <= rounds; round++) steps.push(await step(round));
  for (const part of ["reviewed", "ended", "blocked"] as const) {
    reportBoth(
      report,
      `${name}.${part}`,
      steps.map((one) => one[part]),
    );
  }
  report(`${name}.panel-message`, window.stateChars, "characters");
  await checkpoints.close();
  changes.dispose();
  await window.close();
}

function fill(root: string, size: number): string[] {
  return Array.from({ length: size }, (_, at) => {
    const file = path.join(
      root,
      `package-${Math.floor(at / 200)}`,
      `part-${Math.floor(at / 20) % 10}`,
      `file-${at}.ts`,
    );
    if (at % 20 === 0) mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `export const value${at} = ${at};\n`.repeat(20));
    return file;
  });
}
