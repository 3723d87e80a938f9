/** grep and glob over 50,000 files compared with bare ripgrep, interleaved so that both see the same machine. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { FileNames } from "../../src/extension/mentions/file-search.ts";
import { marksOf } from "../../src/extension/mentions/fuzzy.ts";
import { glob } from "../../src/tools/built-in/glob.ts";
import { grep } from "../../src/tools/built-in/grep.ts";
import { listArguments } from "../../src/tools/file-access/search-filter.ts";
import type { Host } from "../../src/tools/host.ts";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import { nobodyToAsk, noDelegate, type Tool } from "../../src/tools/tool.ts";
import { median, type Report } from "./headless.ts";

const tries = 11;

interface Pair {
  name: string;
  tool: Tool;
  input: Record<string, unknown>;
  /** Arguments of ripgrep for the same search. */
  bare: string[];
}

const pairs: Pair[] = [
  { name: "grep", tool: grep, input: { pattern: "needle" }, bare: ["--files-with-matches", "needle", "./"] },
  {
    name: "grep.lines",
    tool: grep,
    input: { pattern: "needle", output_mode: "content" },
    bare: ["--line-number", "needle", "./"],
  },
  // Newest first, like the tool: sorting is most of the work for many files.
  {
    name: "glob",
    tool: glob,
    input: { pattern: "**/*.json" },
    bare: ["--files", "--glob=**/*.json", "--sortr=modified"],
  },
  { name: "glob.all", tool: glob, input: { pattern: "**/*" }, bare: ["--files", "--sortr=modified"] },
];

export async function benchSearch(report: Report): Promise<void> {
  const folder = tree();
  const overflowDir = mkdtempSync(path.join(os.tmpdir(), "rondo-bench-search-"));
  const host = nodeHost({ folders: [folder], trusted: true, overflowDir });
  await benchMention(report, host, folder);
  for (const { name, tool, input, bare } of pairs) {
    const own: number[] = [];
    const ripgrep: number[] = [];
    for (let at = 0; at < tries; at++) {
      own.push(await timeOf(() => call(tool, input, host)));
      ripgrep.push(await timeOf(() => run(bare, folder)));
    }
    report(`search.${name}`, median(own), "ms");
    report(`search.${name}.ripgrep`, median(ripgrep), "ms");
    report(`search.${name}.ratio`, median(own) / median(ripgrep), "times");
  }
}

/** Words as they are typed after "@": of many files, of few, of none, of a path. */
const typed = ["f", "fi", "file", "file-49", "md1", "package-4/module-1", "pkgmod", "nothing-of-that-name", "üb"];

/** What "@" takes for a keystroke: the search of names, without the way to the panel and back. */
async function benchMention(report: Report, host: Host, folder: string): Promise<void> {
  let listed = "";
  await host.search.ripgrep(["--files", ...listArguments], {
    ...{ cwd: folder, limit: 1 << 26, signal: new AbortController().signal },
    take: (text) => {
      listed += text;
    },
  });
  const paths = listed.split("\0").slice(0, -1);
  const begun = performance.now();
  const names = new FileNames(paths);
  report("search.mention.names", performance.now() - begun, "ms");
  const times = Array.from({ length: tries }, () =>
    typed.map((words) => {
      const started = performance.now();
      const files = names.files(words, 3, () => false);
      for (const file of files) marksOf(file, words);
      names.foldersFor(words, 3);
      return performance.now() - started;
    }),
  );
  report("search.mention", median(times.flat()), "ms");
  report(
    "search.mention.slowest-words",
    Math.max(...typed.map((_, at) => median(times.map((one) => one[at] ?? 0)))),
    "ms",
  );
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function call(tool: Tool, input: Record<string, unknown>, host: Host): Promise<void> {
  const { signal } = new AbortController();
  const context = { host, callID: "bench", seen: new Map(), signal, delegate: noDelegate, askUser: nobodyToAsk };
  const plan = await tool.prepare(tool.input.parse(input), context);
  const { failed } = await plan.run(() => {});
  if (failed) throw new Error(`${tool.name} failed`);
}

async function run(args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(rgPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.resume();
  await once(child, "close");
}

/** 50,000 files of about 1 kB in 2,500 folders. Made once, which takes longer than the rest. */
function tree(): string {
  const folder = path.join(os.tmpdir(), "rondo-bench-tree-50000");
  if (existsSync(folder)) return folder;
  const begun = mkdtempSync(path.join(os.tmpdir(), "rondo-bench-tree-"));
  const endings = ["ts", "js", "md", "css", "json"];
  for (let at = 0; at < 50_000; at++) {
    const place = path.join(begun, `package-${Math.floor(at / 1000)}`, `module-${Math.floor(at / 20) % 50}`);
    if (at % 20 === 0) mkdirSync(place, { recursive: true });
    const lines = Array.from({ length: 20 }, (_, line) => `export const value${line} = work(${at * line}, "text");\n`);
    if (at % 500 === 0) lines.push("a needle\n");
    writeFileSync(path.join(place, `file-${at}.${endings[at % endings.length]}`), lines.join(""));
  }
  renameSync(begun, folder);
  return folder;
}
