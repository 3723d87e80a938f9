/** The headless run compared with the bare loop: 100 steps that each read a small file, with an instant server. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";

export type Report = (name: string, value: number, unit: string) => void;

type Which = "bare" | "rondo";

interface Run {
  /** Median from the last byte of a reply to the arrival of the next request, ms. */
  step: number;
  /** From the start of the process to its first request, ms. */
  first: number;
  /** Peak memory at the end and after the first steps, MiB; NaN where the system does not report it. */
  peak: number;
  early: number;
  /** Size of the record on disk, MiB. */
  record: number;
  /** Size of the first request, bytes. */
  size: number;
  /** Share of each request that the next one repeats as its prefix, up to the end of its messages; 1 is all. */
  prefix: number;
}

const root = path.join(import.meta.dirname, "../..");
const headless = path.join(root, "dist/headless.js");
const rounds = 15;
/** Number of steps of a long session, and the first one that is measured. */
const many = 1000;
/** Read in turn, because loop detection stops repeated calls. */
const files = 10;

/**
 * Everything is measured in pairs, with the bare loop or an empty program right before or after it, as the speed of a machine
 * changes from minute to minute. A warm start finds the compiled code of an earlier one, a cold start is the first of a user.
 */
export async function benchHeadless(report: Report): Promise<void> {
  const home = mkdtempSync(path.join(os.tmpdir(), "rondo-bench-home-"));
  const run = (which: Which, steps: number, from = home) => measure(which, steps, 0, { home: from });
  const runs: Record<Which, Run[]> = { bare: [], rondo: [] };
  const starts: Record<string, number[]> = {};
  try {
    for (let round = 0; round <= rounds; round++) {
      const measured = await inTurn(round, {
        bare: () => run("bare", 100),
        rondo: () => run("rondo", 100),
      });
      const times = await inTurn(round, {
        "bare.first-request": async () => (await run("bare", 0)).first,
        "rondo.first-request": async () => (await run("rondo", 0)).first,
        "rondo.cold-first-request": async () => {
          const fresh = mkdtempSync(path.join(os.tmpdir(), "rondo-bench-home-"));
          const { first } = await run("rondo", 0, fresh);
          rmSync(fresh, { recursive: true, force: true });
          return first;
        },
        "node.empty": () => timeOf(["-e", "0"], home),
        "rondo.help": () => timeOf([headless, "--help"], home),
      });
      // The first round fills the compile cache and the page cache.
      if (round === 0) continue;
      for (const which of ["bare", "rondo"] as const) runs[which].push(measured[which]);
      for (const [name, time] of Object.entries(times)) starts[name] = [...(starts[name] ?? []), time];
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  for (const which of ["bare", "rondo"] as const) {
    const of = (key: keyof Run) => median(runs[which].map((run) => run[key]));
    report(`${which}.step`, of("step"), "ms");
    report(`${which}.peak-memory`, of("peak"), "MiB");
    report(`${which}.first-request-size`, of("size"), "bytes");
    report(`${which}.prefix-kept`, Math.min(...runs[which].map((run) => run.prefix)), "share");
  }
  for (const [name, times] of Object.entries(starts)) report(name, median(times), "ms");
  const ratio = (name: string, those: number[] = [], these: number[] = []) =>
    report(name, median(those.map((that, at) => that / (these[at] ?? Number.NaN))), "times");
  const steps = (which: Which) => runs[which].map(({ step }) => step);
  ratio("step-ratio", steps("rondo"), steps("bare"));
  ratio("first-request-ratio", starts["rondo.first-request"], starts["bare.first-request"]);
  ratio("cold-first-request-ratio", starts["rondo.cold-first-request"], starts["bare.first-request"]);
  ratio("help-ratio", starts["rondo.help"], starts["node.empty"]);
}

/** Measures one after the other, in the other order each time. */
async function inTurn<K extends string, T>(
  round: number,
  measures: Record<K, () => Promise<T>>,
): Promise<Record<K, T>> {
  const entries = Object.entries<() => Promise<T>>(measures);
  const taken: Record<string, T> = {};
  for (const [name, take] of round % 2 === 0 ? entries : entries.toReversed()) taken[name] = await take();
  return taken;
}

/** From the start of Node with these arguments to its exit, ms. */
async function timeOf(args: string[], home: string): Promise<number> {
  const started = performance.now();
  const [code] = await once(spawn(process.execPath, args, { stdio: "ignore", env: environment(home) }), "exit");
  if (code !== 0) throw new Error(`node ${args.join(" ")}: exit code ${code}`);
  return performance.now() - started;
}

/** An environment in which neither settings nor compiled code of the user are found. */
function environment(home: string): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE, ...rest } = process.env;
  return { ...rest, HOME: home, USERPROFILE: home, LOCALAPPDATA: home, XDG_STATE_HOME: path.join(home, "state") };
}

/** Steps 900 to 1,000 of a session of 1,000, and how memory grows with the record. */
export async function benchLongSession(report: Report): Promise<void> {
  const bare = await measure("bare", many, many - 100);
  const rondo = await measure("rondo", many, many - 100);
  report("long.bare.step", bare.step, "ms");
  report("long.rondo.step", rondo.step, "ms");
  report("long.step-ratio", rondo.step / bare.step, "times");
  report("long.record-size", rondo.record, "MiB");
  report("long.peak-growth", rondo.peak - rondo.early, "MiB");
  report("long.memory-growth", await liveGrowth(), "MiB");
  report("long.prefix-kept", rondo.prefix, "share");
}

/** Growth of the heap after a full collection, between 100 steps and the end of a long session. */
async function liveGrowth(): Promise<number> {
  const heaps: number[] = [];
  await measure("rondo", many, 0, {
    flags: ["--expose-gc", "--require", path.join(import.meta.dirname, "heap.cjs")],
    before: async (step, child) => {
      if (step !== 100 && step !== many) return;
      child.kill("SIGUSR2");
      const [line] = await once(child.stderr, "data");
      heaps.push(Number(/heap (\d+)/.exec(String(line))?.[1]));
    },
  });
  return ((heaps[1] ?? Number.NaN) - (heaps[0] ?? Number.NaN)) / 2 ** 20;
}

interface Circumstances {
  /** Home of the user; otherwise one without anything. */
  home?: string;
  /** Options of Node. */
  flags?: string[];
  /** Awaited before the reply of a step; takes what the program writes to standard error. */
  before?(step: number, child: ChildProcessByStdio<null, null, Readable>): Promise<void>;
}

/** `from`: the first step that counts for the median. */
async function measure(which: Which, steps: number, from: number, circumstances: Circumstances = {}): Promise<Run> {
  const { flags = [], before } = circumstances;
  const folder = mkdtempSync(path.join(os.tmpdir(), "rondo-bench-"));
  for (let at = 0; at < files; at++) writeFileSync(path.join(folder, `small-${at}.txt`), "one\ntwo\nthree\n");
  const seen: { arrived: number; answered: number; body: string }[] = [];
  let peak = Number.NaN;
  let early = Number.NaN;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      const arrived = performance.now();
      const body = Buffer.concat(chunks).toString();
      if (seen.length === steps) peak = peakOf(child.pid);
      if (seen.length === 100) early = peakOf(child.pid);
      await before?.(seen.length, child);
      const bytes = reply(seen.length, steps);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(bytes);
      seen.push({ arrived, answered: performance.now(), body });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const started = performance.now();
  const args = [...flags, ...command(which, `http://127.0.0.1:${address.port}`, folder)];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...environment(circumstances.home ?? folder), ANTHROPIC_API_KEY: "none" },
  });
  if (!before) child.stderr.pipe(process.stderr);
  const [code] = await once(child, "exit");
  server.close();
  const record = sizeOfRecord(folder);
  rmSync(folder, { recursive: true, force: true });
  const first = seen[0];
  if (code !== 0 || seen.length !== steps + 1 || !first) {
    throw new Error(`${which}: exit code ${code} after ${seen.length} requests`);
  }
  return {
    step: median(
      seen
        .slice(1)
        .map((one, at) => one.arrived - (seen[at]?.answered ?? Number.NaN))
        .slice(from),
    ),
    first: first.arrived - started,
    peak,
    early,
    record,
    size: Buffer.byteLength(first.body),
    prefix: Math.min(...seen.slice(1).map((one, at) => shareKept(seen[at]?.body ?? "", one.body))),
  };
}

function command(which: Which, base: string, folder: string): string[] {
  const prompt = "Read the files again and again.";
  const record = path.join(folder, "record.jsonl");
  if (which === "bare") return [path.join(import.meta.dirname, "bare-loop.mjs"), base, folder, record, prompt];
  const options = { cwd: folder, provider: "anthropic", "base-url": base, model: "bench", "max-turns": "2000" };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  return [headless, ...args, "--no-title", "--session-dir", path.join(folder, "sessions"), prompt];
}

function shareKept(before: string, after: string): number {
  // Without the brackets that close the messages, and what may stand behind them.
  const whole = before.replace(/\][^\]]*$/, "");
  let same = 0;
  while (same < whole.length && whole[same] === after[same]) same++;
  return same / whole.length;
}

/** MiB of all records below the folder. */
function sizeOfRecord(folder: string): number {
  const records = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  return records.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0) / 2 ** 20;
}

function reply(step: number, steps: number): string {
  const last = step === steps;
  const start = last ? { type: "text", text: "" } : { type: "tool_use", id: `toolu_${step}`, name: "read", input: {} };
  const delta = last
    ? { type: "text_delta", text: "Done." }
    : { type: "input_json_delta", partial_json: JSON.stringify({ file_path: `small-${step % files}.txt` }) };
  const usage = { input_tokens: 100, output_tokens: 20 };
  const message = { id: `msg_${step}`, type: "message", role: "assistant", model: "bench", content: [] };
  return [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null, usage } },
    { type: "content_block_start", index: 0, content_block: start },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: last ? "end_turn" : "tool_use", stop_sequence: null }, usage },
    { type: "message_stop" },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}

function peakOf(pid: number | undefined): number {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return Number.NaN;
  }
}

export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
