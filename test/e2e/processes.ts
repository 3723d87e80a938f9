/** The processes of this machine, as Linux shows them. */
import { readdir, readFile } from "node:fs/promises";

/** Processes whose command line holds `words`, other than this one; with `marker`, only those that inherited it. */
export async function processes(words: string, marker = ""): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const of = (file: string) => readFile(`/proc/${name}/${file}`, "utf8").catch(() => "");
    if ((await of("cmdline")).includes(words) && (await of("environ")).includes(marker)) found.push(Number(name));
  }
  return found;
}

/** Waits until no process has the words in its command line. Answers how long that took, in ms. */
export async function gone(words: string, limit = 5000): Promise<number> {
  const start = performance.now();
  while ((await processes(words)).length > 0) {
    if (performance.now() - start > limit) throw new Error(`After ${limit} ms there still runs ${words}.`);
  }
  return performance.now() - start;
}
