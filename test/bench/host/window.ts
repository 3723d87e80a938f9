/** The parts of a window that follow a review, as `app.ts` starts them. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { Review } from "../../../src/extension/review/review.ts";
import { ShownReview } from "../../../src/extension/review/review-feature.ts";

/** The panel sends its state once in a frame. */
const frameMs = 16;

export class ReviewWindow {
  readonly review: Review;
  /** For files, in the workspace. */
  readonly folder: string;
  readonly storage: string;
  readonly #own: vscode.Disposable[];
  /** Size of the review in the panel's last state, as JSON. */
  stateChars = 0;

  private constructor(folder: string, storage: string) {
    this.folder = folder;
    this.storage = storage;
    const warn = (message: string) => console.error(message);
    this.review = new Review({ storage: vscode.Uri.file(storage), warn });
    let frame: NodeJS.Timeout | undefined;
    const tellPanel = () => {
      frame = undefined;
      this.stateChars = JSON.stringify(this.review.files()).length;
    };
    this.#own = [
      new ShownReview(this.review),
      this.review.onDidChange(() => {
        frame ??= setTimeout(tellPanel, frameMs);
      }),
      { dispose: () => clearTimeout(frame) },
    ];
  }

  static async open(): Promise<ReviewWindow> {
    const [workspace] = vscode.workspace.workspaceFolders ?? [];
    if (!workspace) throw new Error("no folder is open");
    return new ReviewWindow(
      await realpath(await mkdtemp(path.join(workspace.uri.fsPath, "bench-"))),
      await mkdtemp(path.join(os.tmpdir(), "rondo-bench-")),
    );
  }

  async close(): Promise<void> {
    await this.review.flush();
    for (const one of this.#own) one.dispose();
    this.review.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    for (const folder of [this.folder, this.storage]) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Waits until the host has finished what earlier work has begun. */
export const settle = (ms = 700): Promise<void> => wait(ms);

/** Reports median and minimum: other programs that run meanwhile make figures larger, never smaller. */
export function reportBoth(report: HostReport, name: string, values: readonly number[], unit = "ms"): void {
  const sorted = values.toSorted((a, b) => a - b);
  report(name, sorted[Math.floor(sorted.length / 2)] ?? Number.NaN, unit);
  report(`${name}.min`, sorted[0] ?? Number.NaN, unit);
}

export type HostReport = (name: string, value: number, unit: string) => void;

/** 16,000 lines, no two alike: 1 MB. */
const lines = Array.from(
  { length: 16_000 },
  (_, at) => `\tconst value${at} = compute(input, { retries: ${at} }); // "${at}"\n`,
);
export const before = lines.join("");

/** Returns the text with this many changed lines, far from each other. */
export function withHunks(count: number): string {
  const every = lines.length / count;
  return lines.map((line, at) => (at % every === 7 ? `\tchanged(${at});\n` : line)).join("");
}
