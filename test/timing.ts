/** Waiting and measuring on a machine that may be busy. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Shorter than the time limits of the suites, so that a failure names the condition. */
const patienceMs = 120_000;

/**
 * Longest time of what takes at most a second where the machine has nothing else to do: the figures are in the
 * benchmarks, and this limit finds what waits for a timeout.
 */
export const secondMs = 4_000;

/** Waits until `holds` returns true. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${patienceMs} ms: ${holds}`);
    await sleep(1);
  }
}

/**
 * Starts a stopwatch. The function that it returns gives the milliseconds since, without the time in which processes of
 * this machine waited for a processor: a limit then holds on a busy machine, too. Only Linux tells that time.
 */
export function stopwatch(): () => number {
  const start = performance.now();
  const waitedBefore = cpuWaitMs();
  return () => performance.now() - start - (cpuWaitMs() - waitedBefore);
}

/** Milliseconds since boot in which a process waited for a processor ("some" of pressure stall information). */
function cpuWaitMs(): number {
  try {
    const total = /^some .*total=(\d+)/m.exec(readFileSync("/proc/pressure/cpu", "utf8"))?.[1];
    return Number(total ?? 0) / 1000;
  } catch {
    return 0;
  }
}
