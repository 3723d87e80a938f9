/**
 * Plays the recorded streams of real servers through a headless run and compares its output with the expected one.
 * `node test/streams/run.mjs [ID…]`; RONDO_STREAMS and RONDO_STREAMS_RESPONSES are the folders of the recordings.
 * Ends with "N passed, N failed", and ", N skipped" without a folder.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { startModelServer } from "../model-server.ts";
import { compare, readExpected, recordings } from "./compare.ts";

/** @typedef {import("./compare.ts").Expected} Expected */
/** @typedef {import("./compare.ts").Seen} Seen */
/** @typedef {{ status: number | null, stdout: string, stderr: string }} Run */

const parallelRuns = 2;
const runTimeoutMs = 30_000;

/** @type {Record<string, string>} */
const finishes = {
  end_turn: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  refusal: "refusal",
  model_context_window_exceeded: "context-full",
};

const root = path.join(import.meta.dirname, "../..");
const headless = path.join(root, "dist/headless.js");
const found = recordings(root);
let skipped = 0;
for (const { folder, count, skippedNote } of found) {
  if (folder) continue;
  console.log(skippedNote);
  skipped += count;
}
if (found.some(({ folder }) => folder) && !existsSync(headless)) {
  console.error(`There is no ${headless}: run "npm run build" first.`);
  process.exit(1);
}

const only = process.argv.slice(2);
const waiting = found
  .flatMap(({ folder }) => (folder ? readExpected(folder).map((expected) => ({ expected, folder })) : []))
  .filter(({ expected: { id } }) => only.length === 0 || only.includes(id));
let passed = 0;
let failed = 0;
await Promise.all(
  Array.from({ length: parallelRuns }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const wrong = await check(next.expected, next.folder);
      if (wrong.length === 0) passed++;
      else failed++;
      if (wrong.length > 0) console.log(`✘ ${next.expected.id}\n    ${wrong.join("\n    ")}`);
    }
  }),
);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed > 0 ? 1 : 0;

/** @param {Expected} expected @param {string} folder @returns {Promise<string[]>} the differences */
async function check(expected, folder) {
  const bytes = readFileSync(path.join(folder, expected.stream));
  const server = await startModelServer(() => ({ bytes }));
  const cwd = await mkdtemp(path.join(os.tmpdir(), "rondo-stream-"));
  try {
    const run = await play(expected, server.url, cwd);
    const messages = run.stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    return judge(expected, run, messages);
  } catch (error) {
    return [String(error)];
  } finally {
    await server.stop();
    await rm(cwd, { recursive: true });
  }
}

/** @param {Expected} expected @param {string} url @param {string} cwd @returns {Promise<Run>} */
function play({ api }, url, cwd) {
  const anthropic = api === "anthropic-messages";
  const options = {
    cwd,
    provider: anthropic ? "anthropic" : "openai",
    "base-url": anthropic ? url : `${url}/v1`,
    model: "gpt-5.5",
    ...(api === "openai-responses" && { api: "responses" }),
    "output-format": "stream-json",
    "permission-mode": "bypassPermissions",
    "max-turns": "1",
    "max-retries": "0",
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const env = { ...process.env, ANTHROPIC_API_KEY: "test-key", OPENAI_API_KEY: "test-key" };
  const child = spawn(process.execPath, [headless, ...args, "--no-persist", "Hello"], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), runTimeoutMs);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => {
      clearTimeout(timer);
      resolve({ status, stdout, stderr });
    });
  });
}

/** @param {Expected} expected @param {Run} run @param {any[]} messages @returns {string[]} */
function judge(expected, run, messages) {
  const result = messages.find(({ type }) => type === "result");
  if (!result) return [`no result; exit status ${run.status}; ${run.stderr}`];
  const replies = messages.filter(({ type }) => type === "assistant").map(({ message }) => message);
  const blocks = replies.flatMap(({ content }) => content);
  const results = messages
    .filter(({ type }) => type === "user")
    .flatMap(({ message }) => message.content)
    .filter(({ type }) => type === "tool_result");
  const wrong = compare(expected, summary(expected, run, result, replies, blocks));
  if (expected.must_report_error) {
    if (result.subtype === "error_during_execution" && run.status !== 1)
      wrong.push(`exit status ${run.status} instead of 1`);
    if (/Unexpected error in Rondo/.test(run.stderr)) wrong.push(`reported as a bug in Rondo: ${run.stderr.trim()}`);
    if (results.some(ran)) wrong.push("a call of a reply that failed was run");
    return wrong;
  }
  // The recordings' tools are not Rondo's: a call that runs gets the error that there is no such tool.
  const calls = blocks.filter(({ type }) => type === "tool_use");
  for (const [index, { id, name }] of calls.entries()) {
    const own = results.filter(({ tool_use_id }) => tool_use_id === id);
    if (own.length !== 1) wrong.push(`call ${index} (${name}) has ${own.length} results`);
    if (expected.execute_tool_indexes.includes(index) && !own.some(ran))
      wrong.push(`call ${index} (${name}) was not run`);
    const due = expected.execute_tool_indexes.includes(index);
    const readable = expected.tool_calls[index]?.arguments_valid;
    if (!due && readable && own.some(ran)) wrong.push(`call ${index} (${name}) was run`);
  }
  return wrong;
}

/** Whether a call got as far as looking up its tool. @param {any} result */
function ran(result) {
  return /no tool named/i.test(JSON.stringify(result.content));
}

/** @param {Expected} expected @param {Run} run @param {any} result @param {any[]} replies @param {any[]} blocks @returns {Seen} */
function summary(expected, run, result, replies, blocks) {
  const texts = (/** @type {string} */ type, /** @type {string} */ field, separator = "") =>
    blocks
      .filter((block) => block.type === type)
      .map((block) => block[field])
      .filter(Boolean)
      .join(separator);
  // A reply without blocks has no message; the result reports it.
  const { usage, stop_reason } = replies.at(-1) ?? result;
  return {
    error: failure(expected, run, result),
    text: texts("text", "text"),
    reasoning: texts("thinking", "thinking", expected.api === "openai-responses" ? "\n\n" : ""),
    redacted: blocks.filter(({ type }) => type === "redacted_thinking").length,
    // Arguments that do not parse are an empty input here; the result says why.
    calls: blocks
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }, index) => ({
        id,
        name,
        input: expected.tool_calls[index]?.arguments_valid === false ? undefined : input,
      })),
    // SDK messages have one value for both.
    finish:
      expected.stop_reason === "content_filter" && stop_reason === "refusal"
        ? "content-filter"
        : (finishes[stop_reason] ?? "unknown"),
    usage: usage && {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cache_read_input_tokens,
      cacheWrite: usage.cache_creation_input_tokens,
    },
  };
}

/** Returns the error on standard error. Limits and refusals are reported there too but are no failures. */
function failure(
  /** @type {Expected} */ { must_report_error },
  /** @type {Run} */ { stderr },
  /** @type {any} */ result,
) {
  if (!result.is_error) return undefined;
  if (must_report_error) return stderr.trim();
  return result.subtype === "error_during_execution" && result.exit_reason === "error" && result.stop_reason === null
    ? stderr.trim()
    : undefined;
}
