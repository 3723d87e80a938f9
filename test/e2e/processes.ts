/** Processes of this machine, which only Linux shows as files. */
import { readdirSync, readFileSync } from "node:fs";
import { until } from "../timing.ts";

/** Returns the other processes whose command line holds `words` and, given a `marker`, whose environment holds that. */
export function processes(words: string, marker = ""): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => read(name, "cmdline").includes(words) && read(name, "environ").includes(marker))
    .map(Number);
}

/** Waits until this many processes of a window, which carry its `marker`, have the words in their command line. */
export async function processCount(marker: string, words: string, count: number): Promise<void> {
  await until(() => processes(words, marker).length === count);
}

/** Returns a file of /proc, empty for a process that is gone. */
function read(name: string, file: string): string {
  try {
    return readFileSync(`/proc/${name}/${file}`, "latin1");
  } catch {
    return "";
  }
}
