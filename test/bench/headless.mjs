/** The headless run beside the bare loop, against a server that answers at once: 100 steps that each read a small file. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, "../..");
const steps = 100;

/** @param {(name: string, value: number, unit: string) => void} report */
export async function benchHeadless(report) {
  const rounds = 5;
  const runs = { bare: [], rondo: [] };
  for (let round = 0; round <= rounds; round++) {
    const bare = await run("bare");
    const rondo = await run("rondo");
    // The first round fills the compile cache and the page cache.
    if (round === 0) continue;
    runs.bare.push(bare);
    runs.rondo.push(rondo);
  }
  for (const [name, all] of Object.entries(runs)) {
    report(`${name}.step`, median(all.map((one) => one.step)), "ms");
    report(`${name}.first-request`, median(all.map((one) => one.first)), "ms");
    report(`${name}.peak-memory`, median(all.map((one) => one.peak)), "MiB");
    report(`${name}.first-request-size`, all[0].size, "bytes");
    report(`${name}.prefix-kept`, Math.min(...all.map((one) => one.prefix)), "share");
  }
  report("step-ratio", median(runs.rondo.map((one) => one.step)) / median(runs.bare.map((one) => one.step)), "times");
}

/** @param {"bare" | "rondo"} which */
async function run(which) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "rondo-bench-"));
  writeFileSync(path.join(folder, "small.txt"), "one\ntwo\nthree\n");
  const seen = [];
  let child;
  let peak = 0;
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const arrived = performance.now();
      const step = seen.length;
      const body = Buffer.concat(chunks);
      if (step === steps) peak = peakOf(child.pid);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(reply(step));
      seen.push({ arrived, answered: performance.now(), body });
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const base = `http://127.0.0.1:${server.address().port}`;
  const prompt = "Read the file again and again.";
  const args =
    which === "bare"
      ? [path.join(here, "bare-loop.mjs"), base, folder, path.join(folder, "record.jsonl"), prompt]
      : [path.join(root, "dist/headless.js"), "--cwd", folder, "--provider", "anthropic", "--base-url", base, "--model", "bench",
         "--max-turns", "1000", "--session-dir", path.join(folder, "sessions"), prompt];
  const started = performance.now();
  child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, ANTHROPIC_API_KEY: "none" } });
  const code = await new Promise((resolve) => child.on("exit", resolve));
  server.close();
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0 || seen.length !== steps + 1) throw new Error(`${which}: exit ${code} after ${seen.length} requests`);
  const between = seen.slice(1).map((one, at) => one.arrived - seen[at].answered);
  return { first: seen[0].arrived - started, step: median(between), peak, size: seen[0].body.length, prefix: prefixShare(seen) };
}

/** How much of each request's messages the next one begins with; 1 when it is all of them, to the byte. */
function prefixShare(seen) {
  const shares = seen.slice(1).map((one, at) => {
    // Without the closing brackets, and what may stand behind the messages.
    const before = seen[at].body.toString().replace(/\][^\]]*$/, "");
    const now = one.body.toString();
    let same = 0;
    while (same < before.length && before[same] === now[same]) same++;
    return same / before.length;
  });
  return Math.min(...shares);
}

function reply(step) {
  const last = step === steps;
  const block = last
    ? { start: { type: "text", text: "" }, delta: { type: "text_delta", text: "Done." } }
    : {
        start: { type: "tool_use", id: `toolu_${step}`, name: "read", input: {} },
        delta: { type: "input_json_delta", partial_json: JSON.stringify({ file_path: "small.txt" }) },
      };
  const usage = { input_tokens: 100, output_tokens: 20 };
  return [
    { type: "message_start", message: { id: `msg_${step}`, type: "message", role: "assistant", model: "bench", content: [], stop_reason: null, stop_sequence: null, usage } },
    { type: "content_block_start", index: 0, content_block: block.start },
    { type: "content_block_delta", index: 0, delta: block.delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: last ? "end_turn" : "tool_use", stop_sequence: null }, usage },
    { type: "message_stop" },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}

/** Peak memory of a process in MiB; NaN where the system does not tell. */
function peakOf(pid) {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return Number.NaN;
  }
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
