/** Cost of a checkpoint: how long a step with three changed files waits for it, and whether it blocks anything else. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openCheckpoints } from "../../src/checkpoints/session-checkpoints.ts";
import { median, type Report } from "./headless.ts";

const sizes = [1_000, 20_000, 100_000];
const rounds = 11;
const changed = 3;

export async function benchCheckpoint(report: Report): Promise<void> {
  for (const size of sizes) {
    const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "rondo-bench-")));
    try {
      await bench(folder, size, report);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function bench(folder: string, size: number, report: Report): Promise<void> {
  const root = path.join(folder, "work");
  const files = fill(root, size);
  let reviewed = 0;
  const checkpoints = openCheckpoints({
    folder: path.join(folder, "store"),
    sessionID: "bench",
    roots: () => [root],
    limitBytes: () => 1e9,
    log: (line) => process.stderr.write(`${line}\n`),
    reviewer: {
      commandBegins: () => () => {},
      backgroundBegins: () => () => {},
      take: async () => {
        reviewed = performance.now();
      },
    },
  });
  const { signal } = new AbortController();
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const started = performance.now();
  checkpoints.begin();
  await checkpoints.ready("unknown", signal);
  report(`checkpoint.${size}.first`, performance.now() - started, "ms");
  await checkpoints.end();
  const times = { ready: [] as number[], command: [] as number[], named: [] as number[], reviewed: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const some = Array.from({ length: changed }, (_, at) => files[(round * 997 + at * 313) % files.length] ?? "");
    for (const [kind, writes] of [
      ["command", "unknown"],
      ["named", some],
    ] as const) {
      checkpoints.begin();
      // The model answers.
      await checkpoints.restored();
      const asked = performance.now();
      await checkpoints.ready(writes, signal);
      if (kind === "command") times.ready.push(performance.now() - asked);
      for (const file of some) writeFileSync(file, `changed by ${kind} in round ${round}\n`);
      const ended = performance.now();
      const change = await checkpoints.end();
      times[kind].push(performance.now() - ended);
      if (kind === "command") times.reviewed.push(reviewed - ended);
      if (change?.files.length !== changed) throw new Error(`${change?.files.length} files instead of ${changed}`);
    }
  }
  delays.disable();
  report(`checkpoint.${size}.command`, median(times.command), "ms");
  report(`checkpoint.${size}.named`, median(times.named), "ms");
  // From the last write until the review has the files of the step with their texts.
  report(`checkpoint.${size}.reviewed`, median(times.reviewed), "ms");
  report(`checkpoint.${size}.ready`, median(times.ready), "ms");
  // This thread's own timers are up to 2 ms late.
  report(`checkpoint.${size}.blocked`, delays.max / 1e6, "ms");
  await checkpoints.close();
}

function fill(root: string, size: number): string[] {
  return Array.from({ length: size }, (_, at) => {
    const file = path.join(
      root,
      `package-${Math.floor(at / 200)}`,
      "src",
      `part-${Math.floor(at / 20) % 10}`,
      `file-${at}.ts`,
    );
    if (at % 20 === 0) mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `export const value${at} = ${at};\n`.repeat(20));
    return file;
  });
}
