/** The processes of this machine, as Linux shows them. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** Processes whose command line holds `words`, other than this one; with `marker`, only those that inherited it. */
export function processes(words: string, marker = ""): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => read(name, "cmdline").includes(words) && read(name, "environ").includes(marker))
    .map(Number);
}

/** Resolves when so many processes have the words in their command line. */
export async function processCount(words: string, count: number, limit = 5000): Promise<void> {
  for (const end = Date.now() + limit; processes(words).length !== count; await wait(20)) {
    if (Date.now() > end) throw new Error(`${processes(words).length} processes have "${words}", not ${count}`);
  }
}

/** Empty for a process that is gone. */
function read(name: string, file: string): string {
  try {
    return readFileSync(`/proc/${name}/${file}`, "latin1");
  } catch {
    return "";
  }
}
