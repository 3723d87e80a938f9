/** Time from a command's write until the panel gets it: for the first line, and for each of many. */
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import { median, type Report } from "./headless.ts";

const tries = 50;
/** Each line is the time at which it is written, in seconds. */
const many = "for i in $(seq 200); do echo $EPOCHREALTIME; sleep 0.005; done";

export async function benchOutput(report: Report): Promise<void> {
  const first: number[] = [];
  for (let at = 0; at < tries; at++) first.push(...(await delays("echo $EPOCHREALTIME; sleep 0.05")));
  report("output.first.median", median(first), "ms");
  report("output.first.worst", Math.max(...first), "ms");
  const each = await delays(many);
  report("output.each.median", median(each), "ms");
  report("output.each.worst", Math.max(...each), "ms");
}

/** Milliseconds from the write of each line until it was first shown. */
async function delays(command: string): Promise<number[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "rondo-output-"));
  const { background } = nodeHost({ folders: [folder], trusted: true, overflowDir: path.join(folder, "outputs") });
  const shown = new Map<string, number>();
  await background.run(
    {
      command: `exec bash -c '${command}'`,
      cwd: folder,
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      progress(text) {
        const now = performance.timeOrigin + performance.now();
        for (const line of text.split("\n")) if (!shown.has(line)) shown.set(line, now - Number(line) * 1000);
      },
    },
    "call",
  );
  rmSync(folder, { recursive: true, force: true });
  return [...shown.values()];
}
