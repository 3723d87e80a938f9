/** Runs in VS Code's extension host, which calls `run`. Prints a line for each figure: `figure name value unit`. */
import { benchDecisions } from "./decisions.ts";
import { benchSteps } from "./steps.ts";
import { benchTyping } from "./typing.ts";

/** Inserted by the bundler. */
declare const BENCH_PARTS: readonly string[];

const parts = { decisions: benchDecisions, typing: benchTyping, steps: benchSteps };

export async function run(): Promise<void> {
  for (const [name, bench] of Object.entries(parts)) {
    if (BENCH_PARTS.length > 0 && !BENCH_PARTS.includes(name)) continue;
    await bench((figure, value, unit) => console.log(`figure vscode-review.${figure} ${value} ${unit}`));
  }
}
