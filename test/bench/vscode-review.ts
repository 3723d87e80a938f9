/** The review in the real VS Code. The figures come from the extension host. */
import { bundleForHost, runInHost } from "../extension/runner/host.mjs";
import type { Report } from "./headless.ts";

const limitMs = 20 * 60_000;

export async function benchVSCodeReview(report: Report): Promise<void> {
  const log: unknown[][] = [];
  const code = await runInHost({
    bundle: await bundleForHost("bench-review", "test/bench/host/index.ts", {
      // The parts to measure; all if empty.
      BENCH_PARTS: JSON.stringify(process.env["RONDO_BENCH_PARTS"]?.split(",") ?? []),
    }),
    limitMs,
    print: (...line) => {
      const figure = /^figure (\S+) (\S+) (.+)$/.exec(String(line[0]));
      if (figure) report(String(figure[1]), Number(figure[2]), String(figure[3]));
      else log.push(line);
    },
  });
  if (code === 0) return;
  for (const line of log) console.error(...line);
  throw new Error("the measurement in the extension host failed");
}
