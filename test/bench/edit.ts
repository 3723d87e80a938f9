/** `edit` in a file of 1 MB: an exact match, each kind of inexact match, and no match. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { edit } from "../../src/tools/built-in/edit.ts";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import { versionOf } from "../../src/tools/node-host/workspace.ts";
import { type FilesSeen, nobodyToAsk, noDelegate, ToolError } from "../../src/tools/tool.ts";
import { median, type Report } from "./headless.ts";

const rounds = 21;

/** 16,000 lines, no two alike: 1 MB. */
const lines = Array.from(
  { length: 16_000 },
  (_, at) => `\tconst value${at} = compute(input, { retries: ${at} }); // "${at}"`,
);
const code = lines.join("\n");
const place = lines.slice(8_000, 8_003);
const wanted = place.join("\n");
const word = "no words in common with it at all ";

const cases: readonly [name: string, text: string, old: string][] = [
  ["exact", code, wanted],
  ["trailing-space", code, place.join(" \n")],
  ["indentation", code, wanted.replaceAll("\t", "    ")],
  ["escapes", code, wanted.replaceAll('"', '\\"')],
  ["typography", code, wanted.replaceAll('"', "”")],
  ["failing", code, wanted.replace("value8001", "valeu8001")],
  ["failing-unlike", code, word],
  ["failing-one-line", code.replaceAll("\n", " "), wanted.replace("value8001", "valeu8001")],
  ["failing-alike", `${lines[0]}\n`.repeat(16_000), `${lines[0]}\n${lines[1]}`],
];

export async function benchEdit(report: Report): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "rondo-bench-"));
  try {
    const file = path.join(folder, "big.ts");
    report("edit.bare", await timed(file, code, () => rewriteBare(file)), "ms");
    const host = nodeHost({
      folders: [folder],
      trusted: true,
      overflowDir: path.join(folder, "overflow"),
      secrets: [],
    });
    for (const [name, text, old_string] of cases) {
      const { signal } = new AbortController();
      const run = async () => {
        // After a read, errors may quote the file.
        const seen: FilesSeen = new Map([[file, versionOf(text)]]);
        const wish = edit.input.parse({ file_path: file, old_string, new_string: "changed" });
        const context = { host, callID: "bench", seen, signal, delegate: noDelegate, askUser: nobodyToAsk };
        const plan = await edit.prepare(wish, context);
        await plan.run(() => {});
      };
      const mayFail = name.startsWith("failing");
      const time = await timed(file, text, async () => {
        const failed = await run().then(
          () => false,
          (error: unknown) => error instanceof ToolError,
        );
        if (failed !== mayFail) throw new Error(`edit.${name}: failed ${failed}`);
      });
      report(`edit.${name}`, time, "ms");
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lower bound of an edit: reads the bytes and writes them to the disk. */
async function rewriteBare(file: string): Promise<void> {
  const bytes = readFileSync(file);
  const handle = await open(file, "r+");
  await handle.write(bytes);
  await handle.datasync();
  await handle.close();
}

async function timed(file: string, text: string, run: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    writeFileSync(file, text);
    const started = performance.now();
    await run();
    times.push(performance.now() - started);
  }
  return median(times);
}
